# use/bad-profile.sh - a damaged profile is an error with file and place; one of
# another version a note; neither is ever a crash.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
int table[10];
int main (int argc, char **argv) { return table[argc]; }
END
compile_gen a.c -o a
run ./a
cp a.memprof.json good.json
use () { compile_fails -specs="$specs" -O2 -fprofile-mem-use="$1" -c a.c; }

sed 's/"executions": *1/"executions":"one"/' good.json >bad.json
cmp -s good.json bad.json && fail "the profile has no executions"
use bad.json
expect err 'error: memprof: bad\.json:/modules/0/functions/[0-9]+/sites/[0-9]+/executions: '
expect_not err '^a\.c:[0-9]'  # the fault is not there
head -c 300 good.json >cut.json
use cut.json
expect err 'error: memprof: cut\.json:'
: >empty.json
use empty.json
expect err 'error: memprof: empty\.json'
# In a folder, the file is named.
mkdir folder
cp good.json folder/a.memprof.json
cp cut.json folder/b.memprof.json
use folder
expect err 'error: memprof: folder/b\.memprof\.json:'

sed 's/"format": *"1\.[0-9]*"/"format":"9.0"/' good.json >future.json
compile -specs="$specs" -O2 -Werror -fprofile-mem-use=future.json -c a.c 2>err
expect err 'note: memprof: future\.json.*9\.0'
