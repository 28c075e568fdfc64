# cli/doctor.sh - memprof doctor finds this tree in good health, and says what is wrong.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

s=0; "$memprof" doctor --compiler="${CC##* }" >out 2>err || s=$?
cat out
expect_equal "exit status of doctor" $s 0
expect out '^plugin loads +ok'
expect out '^plain command +ok .*-specs='
expect out '^whole way +ok +a test program gave a profile of [0-9,]+ accesses'
run -s 1 "$memprof" doctor --compiler=/no/such/gcc
expect out '^compiler +FAILED +/no/such/gcc: No such file'

# A compiler of a version that has no plugin, and one that says it is another than it is.
for version in 12.99.0 "$($CC -dumpfullversion | sed 's/\..*//').0.0"; do
  printf '#!/bin/sh\ncase $* in -dumpfullversion) echo %s ;; *) exec %s "$@" ;; esac\n' \
    $version "$CC" >gcc-other
  chmod +x gcc-other
  run -s 1 "$memprof" doctor --compiler="$PWD/gcc-other"
  expect out "^plugin +FAILED +there is no plugin for $PWD/gcc-other $version but for [0-9., ]+; to build one: .*gcc-other"
  run -s 2 "$memprof" --specs --gcc="$PWD/gcc-other"
  expect err "memprof: there is no plugin for $PWD/gcc-other $version but for .*; to build one: "
done
run "$memprof" --specs --gcc="${CC##* }"
expect_equal "specs of $CC" "$(cat out)" "$specs"
run -s 2 "$memprof" --specs --gcc=/no/such/gcc
expect err '/no/such/gcc: No such file'
run -s 2 "$memprof" --specs --other
expect err "unknown option '--other'"

# The plugin of another version, by its name: one error, which says what to do.
sed "s/\(fplugin=[^ ]*\)%(version)/\1$($CC -dumpfullversion)/" "$specs" >fixed.specs
"$PYTHON" - "$(plugin_file)" "$($CC -dumpfullversion)" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
version = sys.argv[2].encode() + b"\0"
assert data.count(version) >= 1
open("memprof.so", "wb").write(data.replace(version, b"1" + version[1:-2] + b"z\0"))
END
if $CC -fplugin="$PWD/memprof.so" -c -x c /dev/null -o x.o 2>err; then fail "loaded another version"; fi
expect err 'error: memprof: this plugin was built for GCC 1.*z and cannot be used with GCC [0-9.]+; .*memprof doctor'
expect_equal "errors" "$(grep -c 'error: memprof' err)" 1

run "$memprof" doctor --compiler="${CC##* }" --json
"$PYTHON" -c 'import json, sys; assert len(json.load(sys.stdin)["checks"]) > 8' <out
passed

# The machine's caches, as the rebuild wants them.
run "$memprof" doctor --machine
expect out '^L1=[0-9]+K/[0-9]+,L2=.*,LLC=.*,TLB=[0-9K]+/[0-9]+$'
echo 'int main (void) { return 0; }' >m.c
compile_use "-fprofile-mem-caches=$(cat out)" m.c -o m
