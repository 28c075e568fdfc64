# use/heap-pages.sh - a heap of small objects that need no arena gets huge pages once it is
# large, and after it has shrunk; a small heap gets none; nothing is held that is free.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
on_hardware "the heap cannot grow far"
export MPRT_OPTIONS=cache=TLB=1536/12 # decisions do not depend on this machine

grep -q '\[madvise\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages by madvise"
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; long value[25]; };
static void tell (const char *what)
{
  char line[256];
  long huge = 0, resident = 0, kb;
  FILE *f = fopen ("/proc/self/smaps", "r");
  while (fgets (line, sizeof line, f))
    {
      huge += sscanf (line, "AnonHugePages: %ld kB", &kb) == 1 ? kb : 0;
      resident += sscanf (line, "Rss: %ld kB", &kb) == 1 ? kb : 0;
    }
  fclose (f);
  fprintf (stderr, "%s: huge %ld, resident %ld, small %ld\n", what, huge / 1024, resident / 1024,
           (resident - huge) / 1024);
}
int main (int argc, char **argv)
{
  long n = atol (argv[1]), sum = 0;
  if (argc > 2) tell ("start");
  for (int round = n < 10000; round < 2; round++)
    {
      struct node *list = NULL, **end = &list;
      for (long i = 0; i < n; i++)
        {
          struct node *new = malloc (sizeof *new);
          char *text = strdup ("text");
          new->value[0] = i + *text, *end = new, end = &new->next;
          free (text);
        }
      *end = NULL;
      if (argc > 2) tell ("full");
      for (struct node *p = list, *next; p; p = next)
        {
          next = p->next, sum += p->value[0];
          free (p);
        }
      if (argc > 2) tell ("empty");
    }
  printf ("%ld\n", sum);
  return 0;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a 8000
for level in -O2 '-O2 -flto' '-O1 -static'; do
  rm -f a.memprof.json info
  # shellcheck disable=SC2086
  compile_gen $level a.c -o a
  run ./a 8000
  # shellcheck disable=SC2086
  compile_use $level -fchecking a.c -o use -fopt-info-all=info
  expect info "a.c:28:.* optimized: memprof: malloc: huge pages for malloc's heap: 8000 objects of 208 bytes in 1.[6-9] MB, .*page faults"
  same_output ./plain ./use 700000
  # 151 MB; at most 64 MB of them are kept when they are free.
  MPRT_ARENA=report run ./use 700000 tell
  expect_equal "full" "$(grep -c 'full: huge 1[34][0-9]' err)" 2
  expect_equal "empty" "$(grep -c 'empty: huge [0-9][0-9]*, resident [0-6][0-9]*,' err)" 2
  # No seams of small pages between the steps of the heap.
  expect_equal "no seams" "$(grep -c 'full: .*, small [0-7]$' err)" 2
  expect err '^memprof arena: 0 sites, .*, [23][0-9][0-9] MB of the heap advised$'
  run ./use 5000 tell
  expect err '^full: huge 0, '
  for off in MPRT_ARENA=off MALLOC_TOP_PAD_=131072 GLIBC_TUNABLES=glibc.malloc.arena_max=1; do
    run env "$off" ./use 40000 tell
    expect err '^full: huge 0, '
  done
done
# A heap that may not grow by much.
(ulimit -v 40000 && ./use 40000 >limited)
./plain 40000 >whole
expect_equal "limited" "$(cat limited)" "$(cat whole)"
echo a.c:28 >veto
rm -f info
compile_use a.c -o use -fprofile-mem-veto=veto -fopt-info-all=info
expect info 'a.c:28:.* missed: memprof: malloc: no huge pages: vetoed by veto:1'
expect_equal "no library" "$(nm use | grep -c mprt)" 0
