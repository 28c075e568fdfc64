#!/bin/sh
# overhead.sh [-n PAIRS] [--json FILE] [--compare FILE] [ROW...] - what profiling
# costs: run time of the instrumented program (full mode, backend on another
# core) against plain, peak memory of the backend, size of the profile.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Rows (default: all): an empty program; two affine kernels; two that store at
# random; gzip and bzip2 (Debian sources).  Interleaved pairs (default 5).
# --json writes the figures, --compare prints them beside a file written so.
. "$(dirname "$0")/../long/real-program.inc"
here=$(cd "$OLDPWD" && pwd)
measure= rows=
while [ $# -gt 0 ]; do
  case $1 in
    -n) measure="$measure -n $2"; shift 2 ;;
    --json|--compare)
      case $2 in /*) file=$2 ;; *) file=$here/$2 ;; esac
      measure="$measure $1=$file"; shift 2 ;;
    -*) sed -n '2,/^\./s/^# \{0,1\}//p' "$0" | sed '$d'; exit 2 ;;
    *) rows="$rows $1"; shift ;;
  esac
done
[ -n "$rows" ] || rows="empty gemm jacobi scatter8 scatter1 gzip bzip2"

generate="-specs=$specs -fprofile-mem-generate=$work"
for row in $rows; do
  memory=irregular
  case $row in
    gzip|bzip2)
      [ -f input ] || mixed_file input 10000000
      build_program "$row" plain
      # shellcheck disable=SC2086
      build_program "$row" generate $generate
      echo "$row $memory ./$row.plain -c input" >>rows ;;
    *)
      case $row in gemm|jacobi) memory=affine ;; esac
      kernel=$MEMPROF_SRCDIR/testsuite/bench/kernels/$row.c
      "$cc" -O2 -g "$kernel" -o "$row.plain" -lm
      # shellcheck disable=SC2086
      "$cc" $generate -O2 -g "$kernel" -o "$row.generate" -lm
      echo "$row $memory ./$row.plain" >>rows ;;
  esac
done
# shellcheck disable=SC2086
"$MEMPROF_SRCDIR/testsuite/bench/overhead.py" $measure rows
