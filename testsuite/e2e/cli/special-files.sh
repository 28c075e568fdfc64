# cli/special-files.sh - what is no regular file, such as /dev/null, is written to, never replaced or removed.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

printf 'int v[9];\nint main (void) { for (int i = 0; i < 9; i++) v[i] += i; return 0; }\n' >a.c
compile_gen a.c -o a
run ./a
mkfifo pipe

written_to () # COMMAND...
{
  timeout 20 cat pipe >got & reader=$!
  run timeout 20 "$@"
  wait $reader || fail "nothing came through the pipe: $*"
  [ -p pipe ] || fail "replaced: $*"
  expect_file got
}
written_to "$memprof" export --as=csv -o pipe a.memprof.json
written_to "$memprof" merge -o pipe a.memprof.json
written_to "$memprof" report -o pipe a.memprof.json
# Remarks come one by one, and each opens the file.
exec 3<>pipe
run timeout 20 "$CC" -specs="$specs" -O2 -fprofile-mem-use -fprofile-mem-remarks=pipe -c a.c -o a.o
timeout 20 head -n 1 <&3 >got
exec 3>&-
[ -p pipe ] || fail "replaced by remarks"
expect got '"file":'

# verify moves a program away before it is built again.
for refused in 'layout --baseline=pipe --update a.memprof.json' 'verify --build : -- ./pipe'; do
  # shellcheck disable=SC2086 # several words
  run -s 2 timeout 20 "$memprof" $refused
  expect err 'pipe: not a regular file'
  [ -p pipe ] || fail "replaced: $refused"
done
expect_equal "files" "$(ls)" "a
a.c
a.memprof.json
a.o
err
got
out
pipe"
