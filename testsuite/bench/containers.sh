#!/bin/sh
# containers.sh [ROUNDS] - nanoseconds per counting insertion of our reducing map
# (1 to 32 workers), std::map, std::unordered_map and absl::flat_hash_map
# (libabsl-dev), on uniform keys and on the dependences of gzip (Debian source).
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/../long/real-program.inc"
rounds=${1:-5}
cxx=${MEMPROF_CXX:-g++}; cxx=${cxx%% *}
${MAKE:-make} -s -C "$MEMPROF_BUILDDIR" dependence_pairs

absl=
if printf '#include <absl/container/flat_hash_map.h>\n' | "$cxx" -std=c++20 -fsyntax-only -x c++ - 2>/dev/null; then
  absl="-DHAVE_ABSL -labsl_raw_hash_set -labsl_hash -labsl_city -labsl_low_level_hash"
else
  echo "no absl here (libabsl-dev)"
fi
# shellcheck disable=SC2086
"$cxx" -std=c++20 -O2 -g -I"$MEMPROF_SRCDIR" "$MEMPROF_SRCDIR/testsuite/bench/containers.cc" \
  -o containers $absl -ltbb -pthread

mixed_file input 300000
build_program gzip generate -specs="$specs" -fprofile-mem-generate="$work" -fprofile-mem-mode=full
MPRT_OPTIONS=file=$work/gzip.stream ./gzip.generate -c input >/dev/null
"$MEMPROF_BUILDDIR/dependence_pairs" gzip.stream pairs
./containers "$rounds" pairs
