# What no program of these tests does otherwise, and GCC's own tests do, compiles.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
compiles () # SOURCE OPTION...: in both modes
{
  for mode in full sample; do
    compile_gen -fchecking -fprofile-mem-mode=$mode -c "$@" -o a.o
    passed
  done
}

# A number of iterations whose calculation would trap.
cat >trap.c <<'END'
void fill (int *w, int x, int y, int z)
{
  for (; x < y + z; x++)
    w[x] = 0;
}
END
compiles trap.c -ftrapv
compiles trap.c -ftrapv -O1 -ftree-loop-distribute-patterns

# Garbage is collected whenever GCC may.
cat >collect.cc <<'END'
struct part { part (); int n; };
struct whole { part inner; } all;
int *numbers (int n) { int *p = new int[n]; for (int i = 0; i < n; i++) p[i] = all.inner.n; return p; }
END
compiles collect.cc --param ggc-min-heapsize=0 --param ggc-min-expand=0

# What is returned in memory is a reference, and volatile.
cat >volatile.cc <<'END'
struct object { object (); ~object (); int n; };
volatile object make () { object o; return o; }
END
compiles volatile.cc -fsanitize=undefined -w

# No warning that the plain build has not.
cat >name.c <<'END'
#include <string.h>
struct entry { char name[8]; };
void copy (struct entry *to, const struct entry *from)
{
  strncpy (to->name, from->name, sizeof to->name - 1);
  to->name[sizeof to->name - 1] = 0;
}
END
compiles name.c -Wall -Wextra -Werror
compiles name.c -Wall -Wextra -Werror -D_FORTIFY_SOURCE=2
