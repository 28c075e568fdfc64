# dlerror.sh - a rebuilt program learns why dlopen failed: arenas look for the next realloc before.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long key, rest[6]; };
int main (void)
{
  void *library = dlopen ("./none.so", RTLD_NOW);
  struct node *list = 0;
  unsigned long sum = 0, x = 1;
  for (int i = 0; i < 200000; i++)
    {
      struct node *n = malloc (sizeof *n);
      n->key = x = x * 6364136223846793005 + 1442695040888963407;
      n->next = list;
      list = n;
    }
  const char *why = library ? "opened" : dlerror ();
  for (int i = 0; i < 10; i++)
    for (struct node *n = list; n; n = n->next)
      sum += n->key;
  printf ("%s %lu\n", why ? why : "nothing", sum);
  for (int i = 0; i < 100; i++)
    free (malloc (i));
  return 0;
}
END
compile_plain a.c -o plain
run ./plain
mv out expected
expect expected 'none.so: cannot open shared object file'
compile_gen -fprofile-mem-mode=sample a.c -o a
run ./a
cmp out expected || fail "profiled: other output"
compile_use -fprofile-mem-remarks=remarks a.c -o a
expect remarks '"kind":"huge-pages","taken":true'
run ./a
cmp out expected || fail "rebuilt: other output"
