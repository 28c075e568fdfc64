# What GCC's own tests do, and no other program of these tests, compiles.
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
void clear (int *words, char *from, char *to, long n)
{
  for (; from + n > to; n--)
    words[n] = 0;
}
END
compiles trap.c -ftrapv

# Garbage is collected whenever GCC may.
cat >collect.cc <<'END'
struct part { part (); };
struct whole { part inner; };
whole all;
END
compiles collect.cc -std=gnu++20 -g0 --param ggc-min-heapsize=0 --param ggc-min-expand=0

# What is returned in memory is a reference, and volatile.
cat >volatile.cc <<'END'
struct object { object (); ~object (); int n; };
volatile object make () { object o; return o; }
END
compiles volatile.cc -fsanitize=undefined -w

# A bit-field after an array of variable length.
cat >variable.c <<'END'
__attribute__ ((noipa)) int add (int n, int m)
{
  struct row { char text[n]; int a : 3; int b : 17; } rows[m];
  int sum = 0;
  for (int i = 0; i < m; i++)
    rows[i].b = i;
  __asm__ volatile ("" : : "g" (rows) : "memory");
  for (int i = 0; i < m; i++)
    sum += rows[i].b;
  return sum;
}
int main (void) { return add (3, 10) - 45; }
END
compiles variable.c
compile_gen variable.c -o variable
run ./variable
expect_json variable.memprof.json 'equal(site(line=9, kind="load")["executions"], 10)'

# A function that leaves GCC no frame pointer, and whose frame is reported all the same.
cat >pointer.c <<'END'
#ifdef __aarch64__
#define FRAME_POINTER "x29"
#else
#define FRAME_POINTER "rbp"
#endif
int next (int);
int add (int *from, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += next (from[i]) + from[3 * i];
  __asm__ volatile ("" : : : FRAME_POINTER);
  return sum;
}
END
compiles pointer.c

# GCC asks for the frame's address itself, for functions in functions.
cat >nested.c <<'END'
int call (int (*) (int), int);
int each (int *from, int n)
{
  int sum = 0;
  int add (int more) { return sum += more; }
  for (int i = 0; i < n; i++)
    from[i] = call (add, from[i]);
  return sum;
}
END
compiles nested.c
compiles nested.c -flto

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
