#!/bin/sh
# eager-prefetch.sh - random programs, rebuilt with every prefetch that the code
# allows, worth it or not: no fault, same output, GCC's own checks content.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"

plugin=$(sed -n 's/^-fplugin=\([^ ]*\).*/\1/p' "$specs" | head -n 1 \
  | sed "s/%(version)/$("$cc" -dumpfullversion)/")
generate=$MEMPROF_SRCDIR/testsuite/exact/generate.py
: "${MEMPROF_EAGER_FIRST:=1}"
: "${MEMPROF_EAGER_COUNT:=60}"

prefetches=0
seed=$MEMPROF_EAGER_FIRST
while [ "$seed" -lt $((MEMPROF_EAGER_FIRST + MEMPROF_EAGER_COUNT)) ]; do
  case $((seed % 4)) in
    0) level=-O1 ;;
    1) level=-O2 ;;
    2) level=-O3 ;;
    3) level="-O2 -funroll-loops" ;;
  esac
  rm -f p.memprof.json
  "${MEMPROF_PYTHON:-python3}" -B "$generate" "$seed" >p.c
  "$cc" -w $level -g p.c -lm -o plain || fail "program $seed does not compile"
  "$cc" -w $level -g -specs="$specs" -fprofile-mem-generate="$work" -fprofile-mem-mode=full p.c -lm -o p \
    || fail "program $seed does not compile with -fprofile-mem-generate"
  ./p >/dev/null || true
  [ -s p.memprof.json ] || fail "program $seed leaves no profile"
  "$cc" -w $level -g -fchecking -fplugin="$plugin" -fplugin-arg-memprof-eager \
    -specs="$specs" -fprofile-mem-use=p.memprof.json p.c -lm -o use \
    || fail "program $seed does not compile with -fprofile-mem-use"
  plain=0; ./plain >plain.out || plain=$?
  use=0; ./use >use.out || use=$?
  [ "$plain" = "$use" ] || fail "program $seed: exit status $use instead of $plain"
  cmp plain.out use.out || fail "program $seed: the output differs"
  prefetches=$((prefetches + $(objdump -d use | grep -c prefetch || true)))
  seed=$((seed + 1))
done
[ $((3 * prefetches)) -ge "$MEMPROF_EAGER_COUNT" ] || fail "only $prefetches prefetches"
ok "$MEMPROF_EAGER_COUNT programs with $prefetches prefetches"
