# use/address-kinds.sh - each kind of value that an address can be computed from
# (plugin/use/address/value_graph.h): what can be computed ahead gets a prefetch, the rest none.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
enum { N = 1 << 20, M = 1 << 16 };
static long a[N];
static unsigned b[M], c[M];
__attribute__ ((noipa)) static unsigned opaque (void) { return 1; }
#define LOOP(name, more, at, ...)					\
  __attribute__ ((noipa)) static long					\
  name (unsigned m)							\
  {									\
    long sum = 0;							\
    more;								\
    for (int i = 0; i < M; i++)						\
      {									\
	__VA_ARGS__;							\
	if (a[(at) & (N - 1)] & 1)					\
	  sum += i;							\
      }									\
    return sum;								\
  }
#define MIX x = (x ^ x >> 3) * 5 + m;
LOOP (outside, , b[i] ^ m)
LOOP (choice, , x, unsigned x = b[i] & 1 ? b[i] >> 1 : m)
LOOP (call, , b[i] + x, unsigned x = opaque ())
LOOP (two, , b[i] ^ c[i])
LOOP (carried, unsigned x = m, y, unsigned y = x; x = x * 5 + b[i])
LOOP (many, , x, unsigned x = b[i]; MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX)
int main (void)
{
  for (int i = 0; i < N; i++) a[i] = i * 7;
  for (unsigned i = 0, x = 1; i < M; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 12, c[i] = x >> 16;
  printf ("%ld\n", outside (5) + choice (5) + call (5) + two (5) + carried (5) + many (5));
  return 0;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a
compile -specs="$specs" -O2 -g -fprofile-mem-use -fchecking -fopt-info-all=remarks \
  -fplugin="$(plugin_file)" -fplugin-arg-memprof-eager a.c -o use
same_output ./plain ./use
line=$(grep -n '^LOOP (outside' a.c | cut -d: -f1)
for function in outside choice call; do
  expect remarks "a.c:$line:.* optimized: memprof: a\[.*: indirect prefetch"
  line=$((line + 1))
done
for why in 'the address takes two index loads' \
  'the address depends on a value carried round the loop' 'constant stride'; do
  expect remarks "a.c:$line:.* missed: memprof: a\[.*: no prefetch: $why"
  line=$((line + 1))
done
