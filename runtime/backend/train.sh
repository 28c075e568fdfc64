#!/bin/sh
# train.sh - compiles the backend with a profile of itself, as GCC's profiledbootstrap
# does: `make profiled-backend' calls it in the build tree.
#
#   1. programs of testsuite/bench/kernels, instrumented: their streams in files
#   2. the backend with -fprofile-generate, which reads these streams, and adds the runs
#      of some to profiles that are there
#   3. the backend with -fprofile-use
#
# Functions that no stream led to are compiled as they would be without a profile. If
# something fails, no object is left of the backend, so that make builds a plain one.
#
# Environment: srcdir, CC, CXXFLAGS, MAKE, objects (all of the backend's).
set -eu
work=training.tmp

die () { echo "train.sh: $*" >&2; exit 1; }
# Objects of a libtool library lie in .libs.
# shellcheck disable=SC2086
forget ()
{
  rm -f $objects runtime/backend/*.a feedback/.libs/*.o libmemprof-feedback.la memprof-backend
}
forget_counts () { find runtime/backend feedback -name '*.gcda' -exec rm -f {} +; }
end ()
{
  status=$?
  [ "$status" = 0 ] || forget
  rm -rf "$work"
  forget_counts
}
trap end EXIT
trap 'exit 1' HUP INT TERM
build ()
{
  forget
  $MAKE -s memprof-backend CXXFLAGS="$CXXFLAGS $*" || die "the backend does not build with $*"
}

rm -rf "$work"
mkdir "$work"
while read -r mode kernel arguments; do
  program=$work/$kernel.$mode
  $CC -specs=memprof.specs -O2 -fprofile-mem-generate -fprofile-mem-mode="$mode" \
    "$srcdir/testsuite/bench/kernels/$kernel.c" -o "$program" -lm
  # shellcheck disable=SC2086
  MPRT_OPTIONS=file=$program.stream:period=2000 "$program" $arguments >/dev/null \
    || die "$kernel failed"
done <<EOF
full gemm 160
full jacobi 300 10
full cholesky 250
full floyd 150
full stencil3d 40 20
full fft 13 4
full cg 10000 8
full pagerank 13 8
full bytes 60 3
full nbody 200 10
full mst 500
full health 5 100
sample fft 15 4
sample bytes 300 3
sample mst 1000
sample health 5 300
EOF

forget_counts  # of a training that was killed
build -fprofile-generate -fprofile-update=prefer-atomic
for stream in "$work"/*.stream "$work"/*.sample.stream; do
  ./memprof-backend --from "$stream" --output "${stream%.stream}.json" \
    || die "no profile of ${stream##*/}"
done
build -fprofile-use -fprofile-partial-training -Wno-missing-profile
# The plugin has what reads and writes profiles, too.
$MAKE -s plugin/memprof.la || die "the plugin does not link"
