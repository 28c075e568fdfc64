# use/same-addresses.sh - the library of arenas allocates nothing in the program's heap: the first 1,000 objects
# lie where they lie without it, whatever the program is called.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
on_hardware "the heap cannot grow far"

cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long key; double rest[5]; };
int main (void)
{
  struct node *head = 0;
  double sum = 0;
  char *base = malloc (8);
  for (long i = 0; i < 300000; i++)
    {
      struct node *n = malloc (sizeof *n);
      n->key = i, n->next = head, head = n;
      if (i < 1000) printf ("%ld\n", (long) ((char *) n - base));
    }
  for (int k = 0; k < 5; k++)
    for (struct node *n = head; n; n = n->next) sum += n->key;
  fprintf (stderr, "%g\n", sum);
  return 0;
}
END
sed -e 's/malloc (8)/(char *) operator new (8)/' -e 's/struct node \*n = malloc (sizeof \*n)/struct node *n = new node/' a.c >b.cc
cat >c.f90 <<'END'
program places
  type node
    type (node), pointer :: next
    integer (8) :: key
    real (8) :: rest(5)
  end type
  type (node), pointer :: head, n
  integer (8) :: i, base
  real (8) :: total = 0
  nullify (head)
  base = 0
  do i = 1, 300000
    allocate (n)
    if (base == 0) base = loc (n)
    n%key = i
    n%next => head
    head => n
    if (i < 1000) print '(i0)', loc (n) - base
  end do
  do i = 1, 5
    n => head
    do while (associated (n))
      total = total + n%key
      n => n%next
    end do
  end do
  write (0, *) total
end program
END
for source in a.c b.cc c.f90; do
  compile_plain $source -o plain
  compile_gen $source -o gen
  run -o output=gen.json:cache=TLB=4096/8 ./gen # on any machine
  rm -f remarks
  compile -specs="$specs" -O2 -g -fprofile-mem-use=gen.json -fprofile-mem-remarks=remarks $source -o use
  expect remarks "huge pages for malloc's heap"
  run ./plain
  mv out plain.places
  for name in use use-of-a-longer-name; do
    cp use "$name-1"
    run "./$name-1"
    cmp out plain.places || fail "$source: objects of $name-1 lie elsewhere"
    passed
  done
  rm gen.json
done
