# dead-stores.sh - the module dead_store: a value that is overwritten unread.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
struct s { int state, size; };
__attribute__ ((noipa)) void
init (struct s *s)
{
  s->state = 1;
  s->size = 2;
}
__attribute__ ((noipa)) void
set (struct s *s, int v)
{
  s->state = v + s->size;
}
int
main (void)
{
  int sum = 0;
  for (int i = 0; i < 10; i++)
    {
      struct s *s = malloc (sizeof *s);
      init (s);
      set (s, i);
      sum += s->state;
      free (s);
    }
  return sum == 0;
}
END
compile_gen -fprofile-mem-modules=default,dead_store a.c -o a
run ./a
run "$memprof" validate a.memprof.json
expect_json a.memprof.json <<'END'
# Only the first value of state is never read.
equal(p["dead_stores"], [{"site": site(line=6)["id"], "dead": 10}])
END
run "$memprof" show --dead-stores a.memprof.json
expect out '^ +10 +10 +100(\.0)? % +a\.c:6:[0-9]+ +s->state +malloc at a\.c:20'
