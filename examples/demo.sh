#!/bin/sh
# demo.sh BUILD - the main job on a real program: profile, rebuild, time.
#
# 1. examples/hashjoin.c, a hash join over 256 MB: built plain, built with
#    -fprofile-mem-generate, run once on a small training input, rebuilt with
#    -fprofile-mem-use, timed against the plain build on the large input.
# 2. gzip (Debian's source, when it can be had), the same way: a program that
#    must not get slower.
#
# Results stay in BUILD/demo.
set -eu
build=$1
top=$(cd "$(dirname "$0")/.." && pwd)
dir=$build/demo
memprof=$build/memprof
cc=${CC:-}
if [ -z "$cc" ]; then
  # That of the build.
  cc=$(sed -n 's/^CC = //p' "$build/Makefile")
fi
specs=$("$memprof" --specs)
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir"

# row NAME PLAIN REBUILT: a line of the table; fails when the outputs differ.
row ()
{
  printf '%-12s %s\n' "$1" "$("$top/testsuite/bench/paired.py" -n 7 --same "$2" "$3")"
}

echo "== hashjoin: generate, run, use"
set -x
$cc -O2 -g "$top/examples/hashjoin.c" -o hashjoin.plain
$cc -specs="$specs" -O2 -g -fprofile-mem-generate="$dir" "$top/examples/hashjoin.c" -o hashjoin
./hashjoin 19 7 2
$cc -specs="$specs" -O2 -g -fprofile-mem-use="$dir/hashjoin.memprof.json" -fopt-info \
  "$top/examples/hashjoin.c" -o hashjoin.use 2>&1 | grep -i prefetch || true
set +x
"$memprof" show hashjoin.memprof.json | head -n 20
echo
echo "plain (base) against rebuilt (other), same output:"
row hashjoin ./hashjoin.plain ./hashjoin.use

if src=$("$top/testsuite/long/debian-source.sh" gzip "$build/sources"); then
  for kind in plain generate use; do
    case $kind in
      plain) flags= ;;
      generate) flags="-specs=$specs -fprofile-mem-generate=$dir" ;;
      use) flags="-specs=$specs -fprofile-mem-use=$dir/gzip.memprof.json" ;;
    esac
    mkdir -p gzip-$kind
    (cd gzip-$kind && CC="$cc" CFLAGS="-O2 -g $flags" MPRT_OPTIONS=off=1 "$src/configure" -q >/dev/null 2>&1 \
       && MPRT_OPTIONS=off=1 make -s -j2 MAKEINFO=true >make.log 2>&1) || { echo "demo: gzip does not build; see $dir/gzip-$kind/make.log" >&2; exit 2; }
    if [ $kind = generate ]; then
      find "$top" -name '*.[ch]*' -path "$top/[cfprt]*" -exec cat {} + | head -c 4000000 >train.txt
      ./gzip-generate/gzip -c train.txt >train.gz
    fi
  done
  cat gzip-plain/gzip gzip-plain/lib/*.a train.txt train.txt train.txt >test.bin
  cp gzip-plain/gzip gzip.plain; cp gzip-use/gzip gzip.use
  row gzip "./gzip.plain -c test.bin" "./gzip.use -c test.bin"
else
  echo "demo: gzip is left out" >&2
fi
echo
echo "profiles: $dir/*.memprof.json; look at them with: $memprof show FILE"
