# use/streaming-faults.sh - loops of all shapes store the same past the caches; each rule that makes these
# stores right, broken on purpose, is noticed by a kernel of streams.c.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "no streaming stores"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

need objdump
kernels_of streams.c
others=-fprofile-mem-use-no=prefetch,huge-pages,co-allocation
build () # OPTION...
{
  build_eager "$others" "$@"
}
code () # WHAT: how many instructions of a name that begins so
{
  objdump -d use --no-show-raw-insn | grep -c "[[:space:]]$1" || true
}
for level in -O2 -O3 "-O3 -mavx2"; do
  # shellcheck disable=SC2086
  build $level
  same_output ./plain ./use all
  [ "$(code movnt)" -ge 12 ] || fail "$level: $(code movnt) streaming stores"
  passed
done
# One loop, without a copy of another transformation; the option given last counts.
build "$others,versioning" -fprofile-mem-remarks=remarks
grep '"function":"fans_out".*"kind":"streaming-stores"' remarks >stores
expect_equal "stores of one loop" "$(grep -c '"taken":true' stores)" 4
expect stores '"taken":false.*four other stores of the loop bypass the caches'
build
fences=$(code sfence)
[ "$fences" -ge 8 ] || fail "$fences fences"
noticed () # FAULT KERNEL
{
  build -fplugin-arg-memprof-fault="$1"
  if [ "$2" = fence ]; then
    [ "$(code sfence)" -lt "$fences" ] || fail "$2 does not notice $1"
  else
    ./plain only "$2" >out.plain
    ./use only "$2" >out.use
    if cmp -s out.plain out.use; then fail "$2 does not notice $1"; fi
  fi
  passed
}
each_fault plugin/faults.def
