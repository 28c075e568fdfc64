#!/bin/sh
# machine-builtins.sh - gathers, masked, streaming and broadcasting instructions, and atomics of
# any size, access what they access: counts, widths, and dependences.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "AVX2"
grep -qw avx2 /proc/cpuinfo || skip "no AVX2 here"
cat >a.c <<'END'
#include <immintrin.h>
#define N __attribute__ ((noipa))
N __m256i gather (const int *p, __m256i at) { return _mm256_i32gather_epi32 (p, at, 4); }
N __m256d gather_some (const double *p, __m128i at, __m256d mask)
{ return _mm256_mask_i32gather_pd (_mm256_setzero_pd (), p, at, mask, 8); }
N __m256 gather_float (const float *p, __m256i at) { return _mm256_i32gather_ps (p, at, 4); }
N __m256 load_masked (const float *p, __m256i mask) { return _mm256_maskload_ps (p, mask); }
N void store_masked (float *p, __m256i mask, __m256 x) { _mm256_maskstore_ps (p, mask, x); }
N void store_three (int *p, __m128i x) { _mm_maskstore_epi32 (p, _mm_setr_epi32 (-1, -1, 0, -1), x); }
N void stream (__m256i *p, __m256i x) { _mm256_stream_si256 (p, x); }
N void stream_int (int *p, int x) { _mm_stream_si32 (p, x); }
N void stream_floats (float *p, __m128 x) { _mm_stream_ps (p, x); }
N __m128i load_streamed (__m128i *p) { return _mm_stream_load_si128 (p); }
N __m128i load_unaligned (const __m128i *p) { return _mm_lddqu_si128 (p); }
N __m256d broadcast (const double *p) { return _mm256_broadcast_sd (p); }
N void store_bytes (char *p, __m128i x, __m128i mask) { _mm_maskmoveu_si128 (x, mask, p); }
N __m128d load_high (const double *p, __m128d x) { return _mm_loadh_pd (x, p); }
struct three { long a[3]; };
N struct three load_any (struct three *p) { struct three x; __atomic_load (p, &x, 5); return x; }
static int ints[64] __attribute__ ((aligned (64)));
static float floats[64] __attribute__ ((aligned (64)));
static double doubles[64];
static struct three object;
N int exchange (struct three *p, struct three *old, struct three *new)
{ return __atomic_compare_exchange (p, old, new, 0, 5, 5); }
int
main (void)
{
  for (int i = 0; i < 64; i++)
    ints[i] = i, floats[i] = i, doubles[i] = i;
  __m256i at = _mm256_setr_epi32 (9, 8, 7, 6, 5, 4, 3, 30), few = _mm256_setr_epi32 (-1, 0, -1, 0, 0, 0, 0, 0);
  __m256i x = gather (ints, at);
  __m256d y = gather_some (doubles, _mm256_castsi256_si128 (at), _mm256_setr_pd (-1., 1., -1., 1.));
  __m256 z = gather_float (floats, at);
  store_masked (floats + 8, few, load_masked (floats + 8, few));
  store_three (ints + 4, _mm256_castsi256_si128 (x));
  stream ((__m256i *) (ints + 16), x);
  stream_int (ints + 32, 7);
  stream_floats (floats + 32, _mm256_castps256_ps128 (z));
  store_bytes ((char *) (ints + 40), _mm256_castsi256_si128 (x), _mm_setr_epi8 (-1, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  x = _mm256_castsi128_si256 (_mm_add_epi32 (load_streamed ((__m128i *) (ints + 16)), load_unaligned ((__m128i *) (ints + 33))));
  y = _mm256_add_pd (y, broadcast (doubles + 3));
  object.a[1] = 5;
  struct three other = object, next = { { 1, 2, 3 } };
  if (!exchange (&object, &other, &next))
    return 1;
  return (int) (_mm256_cvtsd_f64 (y) + _mm_cvtsd_f64 (load_high (doubles, _mm256_castpd256_pd128 (y)))
		+ load_any (&object).a[1] + floats[8] + _mm256_extract_epi32 (x, 0)) == 1;
}
END
compile -O2 -mavx2 a.c -o plain -latomic
run ./plain
for mode in full sample; do
  compile_gen -mavx2 -fchecking -fprofile-mem-mode=$mode a.c -o a -latomic
  rm -f a.memprof.json
  run ./a
  validate a.memprof.json
  [ $mode = full ] || continue
  expect_json a.memprof.json <<'END'
def rows(name, kind): return [s for s in function(name)["sites"] if s["kind"] == kind]
def widths(name, kind): return [s["width"] for s in rows(name, kind)]
def sources(name):
    ids = {s["id"] for s in rows(name, "load")}
    return [d["count"] for d in p["dependences"] if d["sink"] in ids]
equal(widths("gather", "load"), [4] * 8)
equal(widths("gather_float", "load"), [4] * 8)
equal(widths("gather_some", "load"), [0] * 4)
equal(sources("gather"), [1] * 8)
equal(sources("gather_some"), [1] * 2)
equal(widths("load_masked", "load"), [0] * 8)
equal(sources("load_masked"), [1] * 2)
equal(widths("store_masked", "store"), [0] * 8)
equal(widths("store_three", "store"), [8, 4])
equal(widths("stream", "store"), [32])
equal(widths("stream_int", "store"), [4])
equal(widths("stream_floats", "store"), [16])
equal(widths("store_bytes", "store"), [0] * 16)
equal(widths("load_streamed", "load"), [16])
equal(widths("load_unaligned", "load"), [16])
equal(widths("broadcast", "load"), [8])
equal(widths("load_high", "load"), [8])
equal(widths("exchange", "load"), [24] * 3)
check(any(d["source"] == "external" for d in p["dependences"]
          if d["sink"] in {s["id"] for s in rows("load_any", "load")}), "libatomic has written")
stream = rows("stream", "store")[0]["id"]
equal([d["count"] for d in p["dependences"] if d["source"] == stream], [1])
check(any(d["count"] for d in p["dependences"]
          if d["sink"] in {s["id"] for s in rows("load_any", "load")}), "the object's store is read")
END
done
