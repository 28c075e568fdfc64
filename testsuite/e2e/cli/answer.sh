# answer.sh - memprof PROFILE: what waits for memory, why, and what helps; before and after the rebuild.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
struct node { struct node *next; long value[15]; };
struct node *take (long count);
int main (void)
{
  long n = 1 << 16, sum = 0, at = 1;
  struct node *nodes = take (n);
  long *table = calloc (1 << 21, sizeof *table);
  for (long i = 0; i < n; i++)
    nodes[i * 40503 % n].next = &nodes[(i + 1) * 40503 % n];
  for (struct node *p = nodes, *end = p; (p = p->next) != end;)
    sum += p->value[0];
  for (long i = 0; i < 400000; i++)
    sum += table[(at = (at * 1103515245 + 12345) & ((1 << 21) - 1))];
  return sum != 0;
}
END
cat >take.c <<'END'
#include <stdlib.h>
void *take (long count) { return count < 0 ? 0 : calloc (count ? count : 8, 128); }
END
compile_gen -O2 -fprofile-mem-mode=full a.c take.c -o a
run ./a
run "$memprof"
expect out '^a waits for memory for [0-9.]+ % of its time \([0-9.]+ % to '
expect out ' a\.c:14  main: '
expect out '^ +random accesses to 16 MiB of calloc at a\.c:8 '
expect out '^ +follows pointers through 8 MiB of calloc at take\.c:2'
expect out 'the rebuild decides with the code: prefetch'
expect out '^note: .* objects that take returns: profile with -fprofile-mem-alloc-fn=take:1'
compile_use -O2 a.c take.c -o a
run "$memprof" ./a.memprof.json
expect out 'the rebuild does it: huge-pages'
expect_not out 'decides with the code'
run "$memprof" advise a.memprof.json
expect out '^what the build did:$'
run "$memprof" answer --json a.memprof.json
expect out '"known": true'
run -s 2 "$memprof" answr a.memprof.json
expect err "did you mean 'answer'"
run -s 2 "$memprof" show --tpo=3 a.memprof.json
expect err "did you mean 'top'"
rm a.memprof.json
run -s 2 "$memprof" answer
expect err 'there is no \*\.memprof\.json in this folder'
