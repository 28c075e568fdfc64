#!/bin/sh
# control.sh - start, stop, dump and reset, by the program itself.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <memprof.h>
#include <stdlib.h>
#include <unistd.h>
static long a[100], *kept;
__attribute__ ((noinline)) static long
work (int n)
{
  long s = 0;
  for (int i = 0; i < n; i++)
    s += a[i];
  kept[n & 7]++;
  return s;
}
int
main (int argc, char **argv)
{
  kept = calloc (8, 8);
  work (5);
  memprof_reset ();
  memprof_stop ();
  for (int i = 0; i < 100; i++)
    a[i] = i;
  volatile long *born = malloc (80);
  work (100);
  memprof_start ();
  born[2] = work (30);
  memprof_dump ();
  int there = access ("a.memprof.json", F_OK) == 0;
  work (7);
  memprof_stop ();
  work (99);
  free ((void *) born);
  return argc > 1 && !there;
}
END
include=$MEMPROF_SRCDIR/runtime/target
[ -z "${MEMPROF_PREFIX:-}" ] || include=$MEMPROF_PREFIX/include
$CC -O1 -Wall -Wextra -Werror -I "$include" -Wno-unused-parameter a.c -o plain
run ./plain
compile_gen -O1 -I "$include" a.c -o a
run ./a dumped
expect_json a.memprof.json <<'END'
equal(p["run"]["runs"], 2)
equal(p["run"]["complete"], True)
equal(site(line=10)["executions"], 37)
equal(deps(sink=site(line=10)), [])
equal(sites(line=22), [])
# Objects from before the reset and from the pause are known.
for line, g in (11, group(line=17)), (26, group(line=23)):
    equal([row["id"] for row, _ in points_to(site(line=line, kind="store"))], [g["id"]])
END

# Threads that start later are stopped as well; bursts too.
cat >b.c <<'END'
#include <memprof.h>
#include <pthread.h>
static int a[100000];
static void *
work (void *p)
{
  for (int i = 0; i < 100000; i++)
    a[i] += i;
  return p;
}
int
main (void)
{
  memprof_stop ();
  pthread_t t;
  if (pthread_create (&t, 0, work, 0))
    return 1;
  pthread_join (t, 0);
  work (0);
  memprof_start ();
  return a[5] - 10;
}
END
for mode in full sample; do
  compile_gen -O1 -fprofile-mem-mode=$mode -I "$include" b.c -o b -pthread
  run ./b
  expect_json b.memprof.json 'equal([s for s in sites(line=8)], [])'
  rm b.memprof.json
done
