#!/bin/sh
# gen/avx512-builtins.sh - gathers, scatters, masked, compressing and streaming forms of AVX-512
# compile and have a site for each lane (one for all that lie side by side). They are not run: few machines can.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "AVX-512"
cat >a.c <<'END'
#include <immintrin.h>
#define N __attribute__ ((noipa))
N __m512i gather (const int *p, __m512i at) { return _mm512_i32gather_epi32 (at, p, 4); }
N __m512d gather_some (const double *p, __m256i at, __mmask8 k, __m512d x) { return _mm512_mask_i32gather_pd (x, k, at, p, 8); }
N __m512i gather_longs (const long long *p, __m512i at) { return _mm512_i64gather_epi64 (at, p, 8); }
N void scatter (int *p, __m512i at, __m512i x) { _mm512_i32scatter_epi32 (p, at, x, 4); }
N void scatter_some (double *p, __m512i at, __mmask8 k, __m512d x) { _mm512_mask_i64scatter_pd (p, k, at, x, 8); }
N __m256i gather_half (const int *p, __m256i at, __mmask8 k, __m256i x) { return _mm256_mmask_i32gather_epi32 (x, k, at, p, 4); }
N __m512 load_masked (const float *p, __mmask16 k, __m512 x) { return _mm512_mask_loadu_ps (x, k, p); }
N void store_masked (float *p, __mmask16 k, __m512 x) { _mm512_mask_storeu_ps (p, k, x); }
N void store_aligned (long long *p, __mmask8 k, __m512i x) { _mm512_mask_store_epi64 (p, k, x); }
N __m512i load_bytes (const char *p, __mmask64 k) { return _mm512_maskz_loadu_epi8 (k, p); }
N void store_words (short *p, __mmask32 k, __m512i x) { _mm512_mask_storeu_epi16 (p, k, x); }
N void compress (int *p, __mmask16 k, __m512i x) { _mm512_mask_compressstoreu_epi32 (p, k, x); }
N __m512d expand (const double *p, __mmask8 k) { return _mm512_maskz_expandloadu_pd (k, p); }
N void compress_bytes (char *p, __mmask64 k, __m512i x) { _mm512_mask_compressstoreu_epi8 (p, k, x); }
N __m128 load_one (const float *p, __mmask8 k, __m128 x) { return _mm_mask_load_ss (x, k, p); }
N void store_one (double *p, __mmask8 k, __m128d x) { _mm_mask_store_sd (p, k, x); }
N void stream (__m512i *p, __m512i x) { _mm512_stream_si512 (p, x); }
N __m512i load_streamed (__m512i *p) { return _mm512_stream_load_si512 (p); }
END
for level in -O0 -O2; do
  for mode in full sample; do
    rm -f keys
    compile_gen $level -fchecking -mavx512f -mavx512vl -mavx512bw -mavx512vbmi2 \
      -fprofile-mem-mode=$mode -fplugin="$(plugin_file)" -fplugin-arg-memprof-dump-keys=keys -c a.c
    [ $level = -O2 ] || continue
    for wanted in gather:16 gather_some:8 gather_longs:8 scatter:16 scatter_some:8 gather_half:8 \
      load_masked:16 store_masked:16 store_aligned:8 load_bytes:64 store_words:32 compress:1 \
      expand:1 compress_bytes:1 load_one:1 store_one:1 stream:1 load_streamed:1; do
      name=${wanted%:*}
      expect_equal "$mode: sites of $name" "$(sed -n "s/^$name [0-9a-f]* //p" keys)" "${wanted#*:}"
    done
  done
done
