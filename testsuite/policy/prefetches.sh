# prefetches.sh - the prefetches of the backend are in its code.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# GCC takes a function that does nothing but prefetch for one without effects and
# removes its calls, unless they are inlined before (shadow_memory.h). Nothing fails
# then; dependences just cost a tenth more.
set -eu
build=${MEMPROF_BUILDDIR:-$(cd "$(dirname "$0")/../.." && pwd)/build}
[ -x "$build/memprof-backend" ] || { echo "prefetches: build memprof-backend" >&2; exit 99; }

functions=$("$(${MEMPROF_CC:-gcc} -print-prog-name=objdump)" -d -C --no-show-raw-insn "$build/memprof-backend" |
  awk '/^[0-9a-f]+ <.*>:/ { name = $0 } /\t(prefetch|prfu?m)/ { print name }' | sort -u)
for part in Dependence Stride Decoder; do
  case $functions in
  *$part*) ;;
  *) echo "prefetches: there is none in the functions of $part" >&2; exit 1 ;;
  esac
done
echo "prefetches: 3 passed, 0 failed"
