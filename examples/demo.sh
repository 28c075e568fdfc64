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
cc=${CC:-gcc}
case $($cc -dumpversion) in 12*) ;; *) cc=gcc-12 ;; esac
specs=$("$memprof" --specs)
rm -rf "$dir" && mkdir -p "$dir" && cd "$dir"

# time_pair PLAIN USE [ARG...]: medians of interleaved runs, as a table row.
time_pair ()
{
  python3 - "$@" <<'PY'
import subprocess, sys, time, statistics
plain, use, args = sys.argv[1], sys.argv[2], sys.argv[3:]
def run(p):
    t = time.perf_counter()
    out = subprocess.run([p] + args, stdout=subprocess.PIPE, check=True).stdout
    return time.perf_counter() - t, out
a, b = [], []
for i in range(7):
    t0, o0 = run(plain)
    t1, o1 = run(use)
    if o0 != o1:
        sys.exit("demo: the outputs differ")
    a.append(t0); b.append(t1)
    if sys.stderr.isatty():
        print("\r  run %d of 7" % (i + 1), end="", file=sys.stderr, flush=True)
if sys.stderr.isatty():
    print("\r" + " " * 20 + "\r", end="", file=sys.stderr)
r = statistics.median(x / y for x, y in zip(a, b))
print("%-24s %9.2f s %9.2f s %8.2fx   same output" % (plain.split("/")[-1].split(".")[0],
      statistics.median(a), statistics.median(b), r))
PY
}

echo "== hashjoin: generate, run, use"
set -x
$cc -O2 -g "$top/examples/hashjoin.c" -o hashjoin.plain
$cc -specs="$specs" -O2 -g -fprofile-mem-generate="$dir" "$top/examples/hashjoin.c" -o hashjoin
./hashjoin 18 7 2
$cc -specs="$specs" -O2 -g -fprofile-mem-use="$dir/hashjoin.memprof.json" -fopt-info \
  "$top/examples/hashjoin.c" -o hashjoin.use 2>&1 | grep -i prefetch || true
set +x
"$memprof" show hashjoin.memprof.json | head -n 20
echo
printf '%-24s %11s %11s %9s\n' "program" "plain" "rebuilt" "speed-up"
time_pair ./hashjoin.plain ./hashjoin.use

gzip_source ()
{
  command -v apt-get >/dev/null || return 1
  if ! apt-get source --print-uris gzip >/dev/null 2>&1; then
    [ "$(id -u)" = 0 ] || return 1
    sed -n "s/^deb /deb-src /p" /etc/apt/sources.list >/etc/apt/sources.list.d/memprof-src.list 2>/dev/null || true
    sed -i "s/^Types: deb$/Types: deb deb-src/" /etc/apt/sources.list.d/*.sources 2>/dev/null || true
    apt-get update -qq >/dev/null 2>&1 || return 1
  fi
  dpkg-query -W dpkg-dev >/dev/null 2>&1 || apt-get install -y -qq --no-install-recommends dpkg-dev >/dev/null 2>&1 || return 1
  mkdir -p src && cd src && apt-get source -qq gzip >/dev/null 2>&1
  cd "$dir" && ls -d src/gzip-*/ >/dev/null 2>&1
}

if gzip_source; then
  for kind in plain generate use; do
    case $kind in
      plain) flags= ;;
      generate) flags="-specs=$specs -fprofile-mem-generate=$dir" ;;
      use) flags="-specs=$specs -fprofile-mem-use=$dir/gzip.memprof.json" ;;
    esac
    mkdir -p gzip-$kind
    (cd gzip-$kind && CC="$cc" CFLAGS="-O2 -g $flags" MPRT_OPTIONS=off=1 ../src/gzip-*/configure -q >/dev/null 2>&1 \
       && MPRT_OPTIONS=off=1 make -s -j2 >make.log 2>&1) || { echo "demo: gzip does not build; see $dir/gzip-$kind/make.log" >&2; exit 2; }
    if [ $kind = generate ]; then
      find "$top" -name '*.[ch]*' -path "$top/[cfprt]*" -exec cat {} + | head -c 4000000 >train.txt
      ./gzip-generate/gzip -c train.txt >train.gz
    fi
  done
  cat gzip-plain/gzip gzip-plain/lib/*.a train.txt train.txt train.txt >test.bin
  cp gzip-plain/gzip gzip.plain; cp gzip-use/gzip gzip.use
  time_pair ./gzip.plain ./gzip.use -c test.bin
else
  echo "demo: gzip's source cannot be had here (no deb-src); left out" >&2
fi
echo
echo "profiles: $dir/*.memprof.json; look at them with: $memprof show FILE"
