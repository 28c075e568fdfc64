#!/bin/sh
# reproducible.sh - each compilation gives the same code, wherever the compiler's memory lies.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Large functions of zstd's, whose bodies share code in sample mode.
. "$(dirname "$0")/real-program.inc"
library=$(source_of libzstd)/lib || exit
for file in compress/zstd_fast compress/zstd_compress decompress/zstd_decompress_block; do
  for mode in full sample; do
    for time in 1 2 3 4; do
      "$cc" -specs="$specs" -O2 -fprofile-mem-generate -fprofile-mem-mode=$mode -I"$library/common" \
        -S "$library/$file.c" -o $time.s || fail "$file.c does not compile in mode $mode"
      cmp 1.s $time.s || fail "compilation $time of $file.c gives other code in mode $mode"
    done
  done
  grep -q __mprt_ 1.s || fail "$file.c is not instrumented"
  ok "$file.c"
done
