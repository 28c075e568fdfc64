# events.sh - what no selected module needs is neither instrumented nor sent.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$MEMPROF_BUILDDIR/memprof-backend
[ -x "$backend" ] || skip "memprof-backend is not in the build folder"

cat >a.c <<'END'
#include <stdlib.h>
#include <unistd.h>
struct node { struct node *next; int v; };
__attribute__ ((noipa)) void touch (char *p) { *p = 1; }
int
main (int argc, char **argv)
{
  struct node *head = NULL;
  int sum = 0;
  char local[40];
  touch (local);
  if (readlink (argv[0], local, sizeof local) < 1)
    sum = local[0] & 0;
  for (int i = 0; i < 100; i++)
    {
      struct node *n = malloc (sizeof *n);
      n->next = head;
      n->v = i;
      head = n;
    }
  for (struct node *n = head; n; n = n->next)
    sum += n->v;
  return sum != 4950;
}
END
# events LIST: how many of what with these modules, in one line.
events ()
{
  compile_gen -fprofile-mem-modules="$1" a.c -o a
  run -o file=s ./a
  "$backend" --counts s | sed -n 2p >counts
  cat counts
}
events default
expect counts ' 199 loads, 201 stores, 204 of loops, 0 of functions, 0 pointers, 1 locals, 1 external, 100 of objects'
events dead_store
expect counts ' 199 loads, 201 stores, 0 of loops, 0 of functions, 0 pointers, 1 locals, '
events stride,points_to
expect counts ' 199 loads, 201 stores, 0 of loops, 0 of functions, 0 pointers, 0 locals, 0 external, '
# Nothing can be born in a loop without a call.
events lifetime
expect counts ' 0 loads, 0 stores, 10[1-4] of loops, 4 of functions, 0 pointers, 0 locals, 0 external, 100 of objects'

# A record does not go on in a loop that has nothing to add to it.
cat >b.c <<'END'
int p[4];
__attribute__ ((noipa)) int more (int n) { return n & 255; }
int
main (void)
{
  int n = 0;
  p[1] = 1;
  while (more (n + 1))
    n++;
  p[2] = n;
  return p[2] != 255;
}
END
compile_gen -fprofile-mem-modules=points_to b.c -o b
run ./b

# The rows are those of a program that reports everything.
events lifetime
run ./a
mv a.memprof.json lifetime.json
compile_gen -fprofile-mem-modules=default,lifetime a.c -o a
run ./a
"$PYTHON" - a.memprof.json lifetime.json <<'END' || fail "lifetimes differ"
import json, sys
a, b = ([{k: r.get(k) for k in ("objects", "alive", "always")} for r in json.load(open(f))["lifetimes"]]
        for f in sys.argv[1:])
sys.exit(a != b or not a)
END
passed

# A module that the program was not compiled for says what it misses.
events lifetime
run -o modules=stride ./a
expect err 'module stride needs events that the program does not report: compile it with -fprofile-mem-modules=stride'

# The loop that only loads carries no dependence: they are the same without it.
events dependence
expect counts ' 199 loads, 201 stores, 10[1-4] of loops, 0 of functions, 0 pointers, 1 locals, 1 external, 100 of objects'
run ./a
mv a.memprof.json dependence.json
compile_gen -fprofile-mem-modules=default a.c -o a
run ./a
"$PYTHON" - a.memprof.json dependence.json <<'END' || fail "dependences differ"
import json, sys
a, b = (json.load(open(f))["dependences"] for f in sys.argv[1:])
sys.exit(not a or a != b)
END
passed
