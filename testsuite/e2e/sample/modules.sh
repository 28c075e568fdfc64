# sample/modules.sh - each module that works with samples has several bursts when it runs alone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
struct node { struct node *next; long value; };
int
main (void)
{
  struct node *list = NULL;
  for (int i = 0; i < 2000; i++)
    {
      struct node *n = malloc (sizeof *n);
      *n = (struct node) { list, i * 7 % 1000 };
      list = n;
    }
  long sum = 0;
  for (int i = 0; i < 200; i++)
    for (struct node *p = list; p; p = p->next)
      sum += p->value++;
  return sum == 0;
}
END
modules=$(sed -n 's/^MODULE ("\([a-z_]*\)",.*MPRT_SAMPLES.*/\1/p' \
  "$MEMPROF_SRCDIR/runtime/wire/modules.def" | sort -u)
[ "$(echo $modules | wc -w)" -ge 7 ] || fail "modules.def has other lines now: $modules"
for module in $modules; do
  rm -f a.memprof.json
  compile_gen -fprofile-mem-mode=sample -fprofile-mem-modules="$module" a.c -o a
  run -o period=20000 ./a
  expect_json a.memprof.json <<'END'
equal(p["run"]["bursts"] >= 4, True)
equal(p["run"]["share"] < 0.5, True)
END
done
