# use/wrapped-arenas.sh - objects of wrappers get arenas by the call of the wrapper, also across
# units: the malloc in it takes the caller's hint. Pools of the program are left alone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
cat >x.c <<'END'
#include <stdlib.h>
#ifndef WRAPPER
# define WRAPPER
#endif
WRAPPER void *get (size_t n)
{
  void *p = HOW;
  if (!p)
    abort ();
  return p;
}
END
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { struct entry *next; long *key; char *text; long value; };
WRAPPER void *get (size_t);
int main (int argc, char **argv)
{
  enum { N = 20000 };
  struct entry **all = malloc (N * sizeof *all);
  for (int i = 0; i < N; i++)
    {
      struct entry *e = get (sizeof *e);
      e->text = get (200);
      memset (e->text, i, 200);
      e->key = get (24);
      e->key[0] = e->key[1] = e->value = i;
      all[i] = e;
    }
  if (argc > 1)
    printf ("%ld\n", (char *) all[7]->key - (char *) all[7]);
  long sum = 0;
  for (unsigned i = 0, x = 1; i < 10 * N; i++, x = x * 1664525 + 1013904223)
    {
      struct entry *e = all[(x >> 8) % N];
      sum = sum * 3 + e->value + e->key[1];
    }
  for (int i = 0; i < N; i++)
    {
      sum += all[i]->text[i % 200];
      free (all[i]->text);
      free (all[i]->key);
      free (all[i]);
    }
  printf ("%ld\n", sum);
  return 0;
}
END
for how in 'malloc(n)' 'calloc(1,n)' 'realloc(NULL,n)'; do
  for wrapper in '__attribute__((malloc))' ''; do
    rm -f a.memprof.json
    flags="-DHOW=$how -DWRAPPER=$wrapper" named=
    [ "$wrapper" ] || named=-fprofile-mem-alloc-fn=get:1
    # shellcheck disable=SC2086
    compile_plain $flags a.c x.c -o plain
    # shellcheck disable=SC2086
    compile_gen $flags -fprofile-mem-modules=co_access $named a.c x.c -o a
    MPRT_OPTIONS=cache=L1=32K/8,L2=256K/8,LLC=4M/16 run ./a
    # shellcheck disable=SC2086
    compile_use $flags -fchecking a.c x.c -o use -fopt-info 2>info
    expect info '^a.c:12:.*optimized: memprof: get: arena shared with a.c:1'
    expect info '^a.c:15:.*optimized: memprof: get: arena shared with a.c:1'
    same_output ./plain ./use
    run ./use 1
    expect out '^32$' # a key lies directly after its entry
    # Only the caller, or only the wrapper, is rebuilt: as it was.
    # shellcheck disable=SC2086
    compile_use $flags -c a.c -o a.o
    # shellcheck disable=SC2086
    compile_plain $flags -c x.c -o x.o
    compile -specs="$specs" -fprofile-mem-use a.o x.o -o half
    same_output ./plain ./half
  done
done
