# Modules come and go with dlopen and dlclose.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/rt.inc"
cat >lib.c <<'END'
#include "testsuite/e2e/rt/hand.h"
static long x;
void f (void) { STORE (&x); }
END
cat >a.c <<'END'
#include <dlfcn.h>
#include "testsuite/e2e/rt/hand.h"
int main (void)
{
  long x;
  for (int i = 0; i < 50; i++)
    {
      void *h = dlopen (i & 1 ? "./lib1.so" : "./lib2.so", RTLD_NOW);
      if (!h) return 1;
      void (*f) (void) = (void (*) (void)) dlsym (h, "f");
      f ();
      LOAD (&x);
      dlclose (h);
    }
  return 0;
}
END
hand -fPIC -shared lib.c -o lib1.so
hand -fPIC -shared lib.c -o lib2.so
hand a.c -o a
record ./a
counted units 51
counted unloads 51
counted stores 50
counted loads 50
# A plain program that opens an instrumented library.
grep -v hand.h a.c | sed 's/LOAD (&x);/x = 0; (void) x;/' >plain.c
compile_plain plain.c -o plain
record ./plain
counted stores 50
