# sample/places.sh - no place is lost where loops keep the countdown in a register or are
# counted at once, wherever bursts begin and end.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
backend=$(plugin_argument backend)

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next, *items; long value; };
/* Three loops that call nothing; the innermost has two exits.  */
static __attribute__ ((noinline)) long
search (struct node *list, long rounds)
{
  long found = 0;
  for (long r = 0; r < rounds; r++)
    for (struct node *p = list; p; p = p->next)
      {
	struct node *q = p->items;
	while (q && q->value != (r & 15))
	  q = q->next;
	if (q)
	  found += p->value++;
      }
  return found;
}
/* Loops that are counted in front of them: in another one, by themselves, downwards.  */
static __attribute__ ((noinline)) long
gather (const unsigned char *at, const long *from, const int *row, int rows, unsigned down)
{
  long sum = 0;
  for (int r = 0; r < rows; r++)
    for (int i = row[r]; i < row[r + 1]; i++)
      sum += from[at[i]];
  for (int i = row[rows]; i < row[0]; i++)
    sum -= from[at[i]] * 2;
  for (unsigned k = down; k-- > 0;)
    sum ^= from[at[k]];
  return sum;
}
static struct node *
push (struct node *next, struct node *items, long value)
{
  struct node *n = malloc (sizeof *n);
  *n = (struct node) { next, items, value };
  return n;
}
int
main (void)
{
  struct node *list = NULL;
  for (int i = 0; i < 50; i++)
    {
      struct node *items = NULL;
      for (int k = 0; k < i % 9; k++)
	items = push (items, NULL, (i * 7 + k * 5) % 20);
      list = push (list, items, i);
    }
  long sum = 0;
  for (int i = 0; i < 40; i++)
    sum += search (list, i % 5 * 10);
  unsigned char at[256];
  long from[256];
  int row[41];
  for (int i = 0; i < 256; i++)
    at[i] = i * 37, from[i] = i * i;
  for (int i = 0; i <= 40; i++)
    row[i] = i % 7 == 3 ? 250 : i * 6;
  for (int i = 0; i < 200; i++)
    sum += gather (at, from, row, i % 41, i % 5 * 50);
  printf ("%ld\n", sum);
  return 0;
}
END
compile_plain -O2 a.c -o plain
run ./plain
cp out wanted

# places OPTIONS: how many the markers of a run account for. The one at which a burst ends is in
# none, unless a window begins there, whose own end is in none.
places ()
{
  run -o "file=a.st:$1" ./a >&2
  cmp out wanted || fail "$1: the output differs"
  "$backend" --dump a.st | awk '$2 == "MARKER" { places += $4; ends += $3 == "0x2" || $3 == "0x6" || ($3 == "0x8" && $4 > 0) }
			       END { print places + (ends ? ends - 1 : 0) }'
}

# GCC knows plugin passes only in -fdump-tree-all.
mkdir dumps
compile_gen -fprofile-mem-mode=sample -O2 -fdump-tree-all -dumpdir dumps/ a.c -o a
expect_equal "quiet loops" "$(grep -h -c 'quiet version' dumps/*memprof_gen*)" 3

for o in -O1 -O2 -O3; do
  compile_gen -fchecking -fprofile-mem-mode=sample $o a.c -o a
  all=$(places bursts=0)
  [ "$all" -gt 150000 ] || fail "$o: only $all places"
  for bursts in period=10:burst=3 period=100:burst=100 period=1000:burst=7 \
    period=5000:burst=500 period=100000000; do
    expect_equal "places at $o, $bursts" "$(places $bursts)" "$all"
  done
done
