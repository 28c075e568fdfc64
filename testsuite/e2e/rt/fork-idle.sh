# fork-idle.sh - children of fork that record next to nothing: each is a run of the same mode.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main (void)
{
  int *a = malloc (4000);
  for (int i = 0; i < 10; i++)
    {
      if (!fork ())
	{
	  for (int k = 0; k < 1000; k++)
	    a[k] = k + i;
	  exit (a[5] == -1);
	}
      wait (0);
    }
  return 0;
}
END
for mode in sample full; do
  compile_gen -fprofile-mem-mode=$mode a.c -o a
  run ./a
  expect_equal "messages" "$(cat err)" ""
  expect_json a.memprof.json "equal(p['run']['mode'], '$mode')" "check(p['run']['runs'] >= 10, p['run'])" \
    'check(not [g for g in p["groups"] if g["kind"] == "heap" and not g.get("line")], p["groups"])'
  rm a.memprof.json
done
