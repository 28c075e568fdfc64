# expand.sh - whole streams give back every access, as the recording of the same run has them.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)
cat >list.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; long value; };
static long table[300];
static void *
work (void *arg)
{
  long id = (long) arg, sum = 0;
  for (int round = 0; round < 50; round++)
    {
      struct node *list = NULL;
      for (int i = 0; i < 40; i++)
	{
	  struct node *n = malloc (sizeof *n);
	  n->next = list;
	  n->value = i * id;
	  list = n;
	}
      for (int i = 0; i < 300; i++)
	sum += table[i] * id;
      while (list)
	{
	  struct node *n = list;
	  sum += n->value;
	  list = n->next;
	  free (n);
	}
    }
  return (void *) sum;
}
int
main (void)
{
  pthread_t t[3];
  for (long i = 0; i < 3; i++)
    pthread_create (&t[i], NULL, work, (void *) i);
  for (long i = 0; i < 3; i++)
    pthread_join (t[i], NULL);
  char *s = malloc (1 << 20);
  memset (s, 1, 1 << 20);
  return s[77] != 1;
}
END
cat >matrix.f90 <<'END'
program matrix
  real :: a(30, 30), b(30, 30), c(30, 30)
  integer :: i, j
  do i = 1, 30
    do j = 1, 30
      a(j, i) = i + j
      b(j, i) = i - j
    end do
  end do
  c = matmul(a, b) + transpose(a)
  print *, sum(c)
end program
END
# PROGRAM [OPTIONS]: records a run, makes a profile from that and compares the accesses.
same_accesses ()
{
  rm -f record p.memprof.*
  run -o "file=record:modules=whole_stream${2:+:streams=$2}" ./"$1"
  run "$backend" --from record --output p.memprof.json
  run "$memprof" validate p.memprof.json
  run "$backend" --accesses record
  mv out recorded
  run "$memprof" streams --expand p.memprof.json
  cmp out recorded || fail "$1: other accesses than were recorded"
  expect_json p.memprof.json <<'END'
equal(p["whole_stream"][0]["accesses"], p["run"]["accesses"])
END
}
compile_gen -fprofile-mem-modules=whole_stream list.c -o list -pthread
same_accesses list
grep -q '^3 load list.c:' recorded || fail "no accesses of the third thread"
same_accesses list limit=20K,rasg,delta,stack
expect_json p.memprof.json <<'END'
row = p["whole_stream"][0]
equal(row["segments"] > 1, True)
equal(row["rasg_ia_bytes"] > row["rasg_a_bytes"] > 0, True)
END
if command -v "$FC" >/dev/null 2>&1; then
  compile_gen -fprofile-mem-modules=whole_stream matrix.f90 -o matrix
  same_accesses matrix
fi
