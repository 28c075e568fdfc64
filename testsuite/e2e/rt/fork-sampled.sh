# rt/fork-sampled.sh - sample mode: what children of a fork execute counts once, in the activation that forked
# and in functions that they call, and what their parent executed before does not count again.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__ ((noipa)) static void touch (volatile int *a, int k) { a[k & 1023]++; }
int main (void)
{
  int *a = calloc (1024, sizeof *a);
  for (int k = 0; k < 300000; k++)
    touch (a, k);
  for (int i = 0; i < 20; i++)
    {
      if (!fork ())
	{
	  for (int k = 0; k < 20000; k++)
	    touch (a, k);
	  exit (0);
	}
      wait (0);
    }
  return 0;
}
END
compile_gen -fprofile-mem-mode=sample a.c -o a
run ./a
expect_json a.memprof.json <<'END'
equal(p['run']['runs'], 21)
check(0.98 * 700000 <= site(line=4, kind="load")["executions"] <= 1.02 * 700000, p["sites"])
END
# In the middle of main, of which no child enters anything anew.
cat >b.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main (void)
{
  int *a = malloc (4000);
  if (!fork ())
    {
      for (int k = 0; k < 1000; k++)
	a[k] = k;
      exit (a[5] == -1);
    }
  wait (0);
  return 0;
}
END
compile_gen -fprofile-mem-mode=sample b.c -o b
run ./b
expect_json b.memprof.json <<'END'
equal(p['run']['runs'], 2)
equal(site(line=10)["executions"], 1000)
END
