# use/malloc-checker.sh - glibc's malloc checker, preloaded: the rebuilt program frees each block where it came
# from, and the profiled one says that it knows no object of the heap.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

checker=libc_malloc_debug.so.0
[ "$(LD_PRELOAD=$checker sh -c 'echo yes' 2>&1)" = yes ] || skip "no $checker"
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; long key, rest[5]; };
int main (void)
{
  struct node *head = 0;
  char *line = 0;
  size_t size = 0;
  long sum = 0;
  for (long i = 0; i < 200000; i++)
    {
      struct node *n = malloc (sizeof *n);
      n->key = i;
      n->next = head;
      head = n;
    }
  for (int k = 0; k < 5; k++)
    for (struct node *n = head; n; n = n->next) sum += n->key;
  FILE *in = fopen ("/etc/passwd", "r");
  while (in && getline (&line, &size, in) > 0) sum += strlen (line) > 0;
  if (in) fclose (in);
  line = realloc (line, 5000);
  free (line);
  while (head) { struct node *n = head->next; free (head); head = n; }
  printf ("%d\n", sum > 0);
  return 0;
}
END
compile_plain a.c -o plain
compile_gen a.c -o a
run ./a
plugin=$(plugin_file)
for more in "" "-fplugin=$plugin -fplugin-arg-memprof-eager"; do
  compile_use $more a.c -o use
  run env LD_PRELOAD=$checker MALLOC_CHECK_=3 ./use
  expect out '^1$'
  expect_equal "messages" "$(cat err)" ""
done
run env LD_PRELOAD=$checker ./a
expect out '^1$'
expect err "memprof: malloc is that of .*$checker, before memprof's: no object of the heap will be known"
