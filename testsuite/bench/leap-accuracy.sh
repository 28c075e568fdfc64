#!/bin/sh
# leap-accuracy.sh [BYTES] - how good the lossy LEAP profile is: dependence
# frequencies, strides, captured share, compression (leap_accuracy.cc), on gzip
# and bzip2 (Debian sources, a mixed file of BYTES, default 100000) and on the
# example programs.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../long/real-program.inc"
${MAKE:-make} -s -C "$MEMPROF_BUILDDIR" leap_accuracy
mixed_file input "${1:-100000}"
generate="-specs=$specs -fprofile-mem-generate=$work -fprofile-mem-mode=full"

# stream NAME COMMAND...: -> NAME.stream
stream ()
{
  name=$1; shift
  MPRT_OPTIONS=file=$work/$name.stream "$@" >/dev/null
  streams="${streams-} $name.stream"
}

for p in gzip bzip2; do
  # shellcheck disable=SC2086
  build_program $p generate $generate
  stream $p ./$p.generate -c input
done
for e in bfs hashjoin spmv; do
  # shellcheck disable=SC2086
  "$cc" $generate -O2 -g "$MEMPROF_SRCDIR/examples/$e.c" -o $e
  stream $e ./$e 12 7 1
done
# shellcheck disable=SC2086
"$MEMPROF_BUILDDIR/leap_accuracy" $streams
