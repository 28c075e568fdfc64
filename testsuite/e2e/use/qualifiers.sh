#!/bin/sh
# use/qualifiers.sh - what is said of a reference besides its address (address space,
# byte order, volatile, alignment, restrict, part of bytes) is carried by each
# transformation, or keeps it away.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "no segments"
cat >a.c <<'END'
#include <asm/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#define K __attribute__ ((noipa))
#define BIG __attribute__ ((scalar_storage_order ("big-endian")))
enum { N = 1 << 14 };
struct rec { long w, fill[7]; };
struct BIG swapped { unsigned n; };
struct __attribute__ ((packed)) odd { char c; unsigned n; };
struct bits { unsigned n : 15, rest : 17; };
typedef unsigned lanes __attribute__ ((vector_size (16)));
K long plain (struct rec *r, const unsigned *x) { long s = 0; for (long i = 0; i < N; i++) s += r[x[i]].w; return s; }
K long swapped (struct rec *r, const struct swapped *x) { long s = 0; for (long i = 0; i < N; i++) s += r[x[i].n].w; return s; }
K long odd (struct rec *r, const struct odd *x) { long s = 0; for (long i = 0; i < N; i++) s += r[x[i].n].w; return s; }
K long alone (struct rec *restrict r, const unsigned *restrict x) { long s = 0; for (long i = 0; i < N; i++) s += r[x[i]].w; return s; }
K long device (struct rec *r, const volatile unsigned *x) { long s = 0; for (long i = 0; i < N; i++) s += r[x[i]].w; return s; }
K long bits (struct rec *r, const struct bits *x) { long s = 0; for (long i = 0; i < N; i++) s += r[x[i].n].w; return s; }
K long lane (struct rec *r, const lanes *x) { long s = 0; for (long i = 0; i < N / 4; i++) s += r[x[i][1]].w; return s; }
K long segment_index (struct rec *r, const __seg_gs unsigned *x) { long s = 0; for (long i = 0; i < N; i++) s += r[x[i]].w; return s; }
K long segment (const __seg_gs struct rec *r, const unsigned *x) { long s = 0; for (long i = 0; i < N; i++) s += r[x[i]].w; return s; }
K void fill (__seg_gs unsigned char *to, const unsigned char *from, const unsigned char *key, int n)
{ for (int i = 0; i < n; i++) to[i] = from[i] ^ *key; }
K void from_segment (unsigned char *to, const __seg_gs unsigned char *from, const __seg_gs unsigned char *key, int n)
{ for (int i = 0; i < n; i++) to[i] = from[i] ^ *key; }
K void swap_key (unsigned short *to, const unsigned short *from, const struct swapped *key, int n)
{ for (int i = 0; i < n; i++) to[i] = from[i] ^ key->n; }
static unsigned char mem[1 << 13], far[1 << 13], in[4096];
int main (int c, char **v)
{
  (void) v;
  struct rec *r = calloc (N, sizeof *r);
  unsigned *x = malloc (N * 4);
  struct swapped *w = malloc (N * sizeof *w), key = { 0x1234 };
  struct odd *o = malloc (N * sizeof *o);
  struct bits *b = malloc (N * sizeof *b);
  for (long i = 0; i < N; i++)
    r[i].w = i * i, x[i] = w[i].n = o[i].n = b[i].n = i * 40503u % N;
  printf ("%ld %ld %ld %ld\n", plain (r, x), swapped (r, w), odd (r, o), alone (r, x));
  printf ("%ld %ld %ld\n", device (r, x), bits (r, b), lane (r, (lanes *) x));
  syscall (SYS_arch_prctl, ARCH_SET_GS, x);
  printf ("%ld\n", segment_index (r, 0));
  syscall (SYS_arch_prctl, ARCH_SET_GS, r);
  printf ("%ld\n", segment (0, x));
  for (int i = 0; i < 4096; i++) in[i] = i * 7;
  // With an argument what is stored through gs is what is loaded, too.
  syscall (SYS_arch_prctl, ARCH_SET_GS, c > 1 ? mem : far);
  for (int k = 0; k < 100; k++)
    {
      mem[500] = k;
      fill ((__seg_gs unsigned char *) 16, in, mem + 500, 2000);
      from_segment (mem + 4000, (__seg_gs unsigned char *) 3000, (__seg_gs unsigned char *) 4100, 1000);
      swap_key ((unsigned short *) mem, (unsigned short *) in, c > 1 ? (struct swapped *) (mem + 400) : &key, 900);
    }
  unsigned long h = 0;
  for (int i = 0; i < 8192; i++) h = h * 31 + mem[i] + far[i];
  printf ("%lx\n", h);
}
END
# GCC 12 vectorises without the address space.
compile_plain -fno-tree-vectorize a.c -o plain
compile_gen -fno-tree-vectorize a.c -o a
run ./a
compile -specs="$specs" -O2 -g -fchecking -fno-tree-vectorize -fprofile-mem-use -fplugin="$(plugin_file)" \
  -fplugin-arg-memprof-eager -fprofile-mem-remarks=decisions -fno-unroll-loops -save-temps a.c -o use -fopt-info-loop-all=remarks
same_output ./plain ./use
same_output ./plain ./use x
line () { grep -n "^K.* $1 (" a.c | cut -d: -f1; }
expect decisions "from_segment.*not a hot function: it accesses a named address space"
for carried in plain swapped odd alone; do
  expect remarks "a.c:$(line $carried):.*optimized: .*indirect prefetch"
done
# The index that is loaded ahead is swapped like that of the iteration.
sed -n '/^swapped:/,/^\t\.size/p' *a.s >swapped.s
expect_equal "the swaps" "$(grep -c 'bswap\|movbe' swapped.s)" 2
refused () { expect remarks "a.c:$(line "$1"):.*missed: .*$2"; }
refused device "the index is volatile"
refused bits "the index is a bit-field"
refused lane "the index is a bit-field"
refused segment_index "the index is in a named address space"
expect remarks "a.c:$(($(line swap_key) + 1)):.*optimized: .*versioned"
refused segment "the address is in a named address space"
for kernel in fill from_segment; do
  expect_not remarks "a.c:$(($(line $kernel) + 1)):.*optimized: .*versioned"
done
