#!/bin/sh
# overhead.sh [PAIRS] - what profiling costs: run time of the instrumented
# program (full mode, backend on another core) against plain, peak memory of the
# backend, size of the profile.  Interleaved pairs (default 5).
#
# Rows: an empty program, two affine kernels, gzip and bzip2 (Debian sources).
. "$(dirname "$0")/../long/real-program.inc"
pairs=${1:-5}
paired=$MEMPROF_SRCDIR/testsuite/bench/paired.py

row () # NAME PLAIN GENERATE: slowdown = 1 / ratio
{
  name=$1
  export MPRT_OPTIONS="output=$work/$name.json:merge=0"
  "$paired" -n "$pairs" --same --json "$2" "$3" >"$name.pair"
  python3 - "$name" "$work/$name.json" "$name.pair" <<'PY'
import json, os, sys
name, profile, pair = sys.argv[1:]
r = json.load(open(pair)); p = json.load(open(profile))
accesses = p["run"]["accesses"]
print("%-10s slowdown %6.2fx   plain %7.3f s   extra %7.1f ms   %6.2f ns per access   %11d accesses   profile %7d bytes   complete %s"
      % (name, 1 / r["ratio"], r["base_s"], (r["other_s"] - r["base_s"]) * 1e3,
         (r["other_s"] - r["base_s"]) * 1e9 / max(accesses, 1), accesses, os.path.getsize(profile), p["run"]["complete"]))
PY
}

build_kernel () # NAME: from bench/kernels
{
  "$cc" -O2 -g "$MEMPROF_SRCDIR/testsuite/bench/kernels/$1.c" -o "$1.plain" -lm
  "$cc" -specs="$specs" -O2 -g -fprofile-mem-generate="$work" "$MEMPROF_SRCDIR/testsuite/bench/kernels/$1.c" -o "$1.gen" -lm
}

for k in empty gemm jacobi; do
  build_kernel $k
  row $k ./$k.plain ./$k.gen
done
mixed_file input 10000000
for p in gzip bzip2; do
  src=$(source_of $p)
  for kind in plain gen; do
    flags=; [ $kind = plain ] || flags="-specs=$specs -fprofile-mem-generate=$work"
    mkdir $p.$kind.d
    case $p in
      gzip) (cd $p.$kind.d && export MPRT_OPTIONS=off=1 && CC=$cc CFLAGS="-O2 -g $flags" "$src/configure" -q && make -s -j2 MAKEINFO=true) >$p.$kind.log 2>&1 ;;
      bzip2) cp "$src"/*.[ch] "$src/Makefile" $p.$kind.d && make -s -C $p.$kind.d CC=$cc CFLAGS="-O2 -g -D_FILE_OFFSET_BITS=64 $flags" bzip2 >$p.$kind.log 2>&1 ;;
    esac || { tail $p.$kind.log; fail "$p does not build"; }
    cp $p.$kind.d/$p $p.$kind
  done
  row $p "./$p.plain -c input" "./$p.gen -c input"
done
