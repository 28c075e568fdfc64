# gen/threaded-loop.sh - a state machine in which GCC's jump threading copies what ends the loop: iterations,
# and objects that live in one, are as many as the program counts.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
enum state { SPACE, WORD, NUMBER, END };
static long words, numbers, steps, ends;
__attribute__ ((noipa)) static int used (int *p, int c) { *p = c; free (p); return c; }
__attribute__ ((noipa)) static void
scan (const char *text, enum state s)
{
  while (s != END)
    {
      int *early = malloc (sizeof *early);
      int *late = malloc (sizeof *late);
      int c = used (early, *text++);
      steps++;
      switch (s)
	{
	case SPACE:
	  if (c == 0) s = END;
	  else if (c >= '0' && c <= '9') { s = NUMBER; numbers++; }
	  else if (c != ' ') { s = WORD; words++; }
	  break;
	case WORD:
	  s = c == 0 ? END : c == ' ' ? SPACE : WORD;
	  break;
	default:
	  s = c == 0 ? END : c == ' ' ? SPACE : NUMBER;
	}
      used (late, c);
    }
  ends++;
}
int
main (void)
{
  for (int i = 0; i < 10; i++)
    scan ("a bc  12 x 345 y", i & 1 ? WORD : SPACE);
  printf ("%ld %ld %ld %ld\n", words, numbers, steps, ends);
  return 0;
}
END
cat >expected.py <<'END'
steps, ends = map(int, open("out").read().split()[2:])
machine = loop(function="scan")
equal((machine["invocations"], machine["iterations"]), (ends, steps))
def died(line):
    of = group(function="scan", line=line)["id"]
    rows = {r["loop"]: r["objects"] for r in p["lifetimes"] if r["group"] == of}
    equal(sum(rows.values()), steps)
    return rows[machine["id"]]
equal(died(11), steps)
check(died(12) == steps or flag == "-fthread-jumps" and died(12) == steps - ends, flag)
END
# Threading may take what is left of the iterations that end the loop out of it (doc/limits.md).
for flag in -fthread-jumps -fno-thread-jumps; do
  rm -f a.memprof.json
  compile_gen -fchecking -fprofile-mem-modules=default,lifetime $flag a.c -o a
  run ./a
  expect_json a.memprof.json "flag = '$flag'
$(cat expected.py)"
done
