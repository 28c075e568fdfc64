# use/late-limits.sh - a program that limits its memory after the start gets as many objects as without arenas.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
struct node { struct node *next; long key[5]; };
enum { N = 400000 };
static struct node *t[N];
int main (int argc, char **argv)
{
  long mb = argc > 1 ? atol (argv[1]) : 0, n = 0, s = 0;
  unsigned x = 1;
  struct rlimit limit = { mb << 20, mb << 20 };
  if (mb) setrlimit (argc > 2 ? RLIMIT_DATA : RLIMIT_AS, &limit);
  for (int i = 0; i < N; i++)
    {
      struct node *p = malloc (sizeof *p);
      if (!p) break;
      p->key[0] = i;
      t[n++] = p;
    }
  for (int i = 0; i < 1000000 && n; i++) { x = x * 1664525u + 1013904223u; s += t[x % n]->key[0]; }
  printf ("%ld objects\n", n);
  return s == 1;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a
plugin=$(plugin_file)
for more in "" "-fplugin=$plugin -fplugin-arg-memprof-eager"; do
  rm -f remarks
  compile_use $more a.c -o use -fprofile-mem-remarks=remarks
  expect remarks '"kind":"huge-pages","taken":true'
  for limit in "12" "12 d" "20 d" "40" ""; do
    # shellcheck disable=SC2086
    expect_equal "objects with limit '$limit'" "$(./use $limit)" "$(./plain $limit)"
  done
done
