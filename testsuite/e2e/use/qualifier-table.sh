#!/bin/sh
# use/qualifier-table.sh - each qualifier of a reference with each transformation: it is
# carried or the transformation is refused, with a remark, and the program does the same.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "no segments"

# NAME; the pointer's type; the value of element i; then what happens: "yes", why not, or "-":
# its own value is prefetched, but none is loaded ahead.
#        indirect: r[VALUE].w, loaded ahead      stride: VALUE far apart, prefetched
#        version: VALUE of what does not change, loaded before the loop
cat >table <<'END'
plain|const unsigned *|x[i]|yes|yes|yes
segment|const __seg_gs unsigned *|x[i]|named address space|no prefetch|named address space
swapped|const struct swapped *|x[i].n|yes|yes|yes
device|const volatile unsigned *|x[i]|index is volatile|no plain load|volatile access
atomic|const _Atomic unsigned *|x[i]|no plain load|no plain load|has a call
relaxed|const _Atomic unsigned *|__atomic_load_n (&x[i], __ATOMIC_RELAXED)|no plain load|no plain load|has a call
unaligned|const struct odd *|x[i].n|yes|yes|yes
alone|const unsigned *restrict|x[i]|yes|yes|yes
bits|const struct bits *|x[i].n|-|yes|yes
lane|const lanes *|x[i][1]|-|yes|yes
END
{
  cat <<'END'
#include <asm/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#define K __attribute__ ((noipa))
enum { N = 1 << 14 };
struct rec { long w, fill[7]; };
struct __attribute__ ((scalar_storage_order ("big-endian"))) swapped { unsigned n; };
struct __attribute__ ((packed)) odd { char c; unsigned n; };
struct bits { unsigned n : 15, rest : 17; };
typedef unsigned lanes __attribute__ ((vector_size (16)));
static struct rec r[N];
static unsigned to[N];
static lanes memory[1 << 16];
END
  while IFS='|' read -r name type value _; do
    key=$(printf '%s' "$value" | sed 's/\[i\]/[0]/')
    far=$(printf '%s' "$value" | sed 's/\[i\]/[i * 16]/')
    printf 'K long indirect_%s (struct rec *r, %s x) { long s = 0; for (long i = 0; i < N; i++) s += r[%s %% N].w; return s; }\n' "$name" "$type" "$value"
    printf 'K long stride_%s (%s x) { long s = 0; for (long i = 0; i < N / 8; i++) s += %s; return s; }\n' "$name" "$type" "$far"
    printf 'K void version_%s (unsigned *to, const unsigned *from, %s x, int n) { for (int i = 0; i < n; i++) to[i] = from[i] ^ %s; }\n' "$name" "$type" "$key"
  done <table
  cat <<'END'
static void set_gs (void *p) { syscall (SYS_arch_prctl, ARCH_SET_GS, p); }
int
main (void)
{
  for (long i = 0; i < N; i++) r[i].w = i * i;
  unsigned *all = (unsigned *) memory;
  for (long i = 0; i < 4 << 16; i++) all[i] = i * 40503u % N;
  unsigned long h = 0;
END
  while IFS='|' read -r name type _; do
    at=memory
    case $name in segment) at=0; echo '  set_gs (memory);' ;; esac
    printf '  h = h * 31 + indirect_%s (r, (%s) %s) + stride_%s ((%s) %s);\n' "$name" "$type" "$at" "$name" "$type" "$at"
    printf '  for (int k = 0; k < 50; k++) version_%s (to, to + 2000, (%s) %s, 1500);\n' "$name" "$type" "$at"
    printf '  printf ("%s %%lx %%x\\n", h, to[77]);\n' "$name"
  done <table
  printf '}\n'
} >a.c
# GCC 12 vectorises without the address space.
compile_plain -fno-tree-vectorize a.c -o plain
compile_gen -fno-tree-vectorize a.c -o a
run ./a
compile -specs="$specs" -O2 -g -fchecking -fno-tree-vectorize -fprofile-mem-use \
  -fplugin="$(plugin_file)" -fplugin-arg-memprof-eager -fopt-info-loop-all=remarks a.c -o use
same_output ./plain ./use
while IFS='|' read -r name _ _ indirect stride version; do
  for kind in indirect stride version; do
    eval "wanted=\$$kind"
    line=$(grep -n "^K.* ${kind}_$name (" a.c | cut -d: -f1)
    case $wanted in
      yes) expect remarks "a.c:$line:.*optimized: .*(prefetch|versioned)" ;;
      -) expect remarks "a.c:$line:.*missed: .*index is a bit-field" ;;
      *) expect remarks "a.c:$line:.*missed: .*$wanted"
         expect_not remarks "a.c:$line:.*optimized: .*(prefetch|versioned)" ;;
    esac
  done
done <table
