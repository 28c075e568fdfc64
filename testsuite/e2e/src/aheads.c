/* aheads.c - loads by indices whose memory ends, or holds garbage, right after
   what the program loads: looking one load too far ahead is a fault.
   SPDX-License-Identifier: GPL-3.0-or-later

     aheads train          all kernels, with indices that are right everywhere
     aheads only KERNEL    one of them, with garbage where it does not load

   The index arrays end where the memory ends, but for `garbage' words.  One is a
   device's: each load from it counts (on x86-64, where the processor can be asked to
   stop after every instruction).  */

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

enum { COUNT = 6000, TABLE = 1 << 16, PAGE = 4096 };
#define NOINLINE __attribute__ ((noinline, noclone))

static int *a;			/* of TABLE words; b holds indices of it */
static unsigned *b, *c, *d;	/* d: c again */
static unsigned char *performed;
static struct bucket		/* COUNT, and the key of one more at the end of the memory */
{
  long key;
  struct bucket *next;
} *bucket, *others;
static int stop;

/* BYTES that end where the memory ends.  */

static void *
at_the_end (size_t bytes)
{
  size_t size = (bytes + PAGE - 1) & -PAGE;
  char *p = mmap (NULL, size + PAGE, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED || mprotect (p + size, PAGE, PROT_NONE)) exit (2);
  return p + size - bytes;
}

NOINLINE static void
finish (long sum)
{
  printf ("%ld\n", sum);
  fflush (stdout);
  _exit (0);
}

NOINLINE static void
leave_at (int i, long sum)
{
  if (i == stop) finish (sum);
}

static void
time_is_up (int signal)
{
  (void) signal;
  _exit (0);
}

/* The indices as those of a device: each load is a fault, which is counted and let
   through for one instruction.  */

static int device_loads;

static void
device (int access)
{
  size_t size = (COUNT * sizeof *b + PAGE - 1) & -PAGE;
  if (mprotect ((char *) (b + COUNT) - size, size, access)) _exit (2);
}

#ifdef __x86_64__
static void
device_load (int signal, siginfo_t *info, void *context)
{
  (void) info;
  ucontext_t *c = context;
  const long stop_behind = 0x100;
  device_loads += signal == SIGSEGV;
  device (signal == SIGSEGV ? PROT_READ : PROT_NONE);
  if (signal == SIGSEGV)
    c->uc_mcontext.gregs[REG_EFL] |= stop_behind;
  else
    c->uc_mcontext.gregs[REG_EFL] &= ~stop_behind;
}

static void
attach_device (void)
{
  struct sigaction action = { .sa_sigaction = device_load, .sa_flags = SA_SIGINFO };
  sigaction (SIGSEGV, &action, NULL);
  sigaction (SIGTRAP, &action, NULL);
  device (PROT_NONE);
}
#else
static void attach_device (void) {}
#endif

NOINLINE static long
from_device (int n)
{
  volatile unsigned *index = b;
  long sum = 0;
  for (int i = 0; i < n; i++)
    if (a[index[i]] & 1) sum += i;
  return sum;
}

/* One load by an index.  */

NOINLINE static long
one_load (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    if (a[b[i]] & 1) sum += i;
  return sum;
}

/* Two, one from the other.  */

NOINLINE static long
two_loads (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    if (a[b[c[i]]] & 1) sum += i;
  return sum;
}

NOINLINE static long
some_only (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    if (performed[i])
      if (a[b[c[i]]] & 1) sum += i;
  return sum;
}

NOINLINE static long
left_early (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    {
      if (a[b[c[i]]] & 1) sum += i;
      leave_at (i, sum);
    }
  return sum;
}

NOINLINE static long
stays_within (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    {
      if (a[b[c[i]]] & 1) sum += i;
      for (int k = i; k == stop; k ^= 0)
	;
    }
  return sum;
}

NOINLINE static long
written (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    {
      if (a[b[c[i]]] & 1) sum += i;
      d[i + 1] = i * 40503u % COUNT;
    }
  return sum;
}

NOINLINE static long
other_term (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    if (a[b[c[i] + i]] & 1) sum += i;
  return sum;
}

/* Lists whose first nodes are in an array.  */

NOINLINE static long
second_node (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    {
      struct bucket *p = &bucket[c[i]];
      do sum += p->key; while ((p = p->next));
    }
  return sum;
}

NOINLINE static long
left_nodes (int n)
{
  long sum = 0;
  for (int i = 0; i < n; i++)
    {
      struct bucket *p = &bucket[c[i]];
      do
	{
	  if (p->key < 0) break;
	  sum += p->key;
	}
      while ((p = p->next));
    }
  return sum;
}

static const struct kernel
{
  const char *name;
  long (*run) (int n);
  int right;			/* so many indices are right */
} kernels[] = {
  { "one_load", one_load, COUNT },
  { "two_loads", two_loads, 50 },
  { "some_only", some_only, 50 },
  { "left_early", left_early, 50 },
  { "stays_within", stays_within, 50 },
  { "written", written, 1 },
  { "other_term", other_term, COUNT },
  { "from_device", from_device, COUNT },
  { "second_node", second_node, 50 },
  { "left_nodes", left_nodes, COUNT },
};

int
main (int argc, char **argv)
{
  int train = argc == 2 && !strcmp (argv[1], "train");
  a = calloc (TABLE, sizeof *a);
  b = at_the_end (COUNT * sizeof *b);
  c = d = at_the_end ((COUNT + 1) * sizeof *c);
  performed = malloc (COUNT);
  for (int i = 0; i < TABLE; i++) a[i] = i * 7;
  for (int i = 0; i < COUNT; i++) b[i] = i * 40503u % TABLE;
  memset (performed, 1, COUNT);
  bucket = at_the_end ((COUNT + 1) * sizeof *bucket - sizeof bucket->next);
  others = calloc (COUNT, sizeof *others);
  for (int i = 0; i < COUNT; i++)
    bucket[i] = (struct bucket) { i, i % 3 ? &others[i] : NULL };
  bucket[COUNT].key = -1;
  signal (SIGVTALRM, time_is_up);
  stop = -1;
  for (const struct kernel *k = kernels; k != (&kernels)[1]; k++)
    if (train || (argc == 3 && !strcmp (k->name, argv[2])))
      {
	int sums = k->run == other_term, n = COUNT;
	for (int i = 0; i <= COUNT; i++)
	  c[i] = sums ? 0 : i * 7919u % COUNT;
	if (!train)
	  {
	    if (k->run == two_loads || k->run == second_node) n = k->right;
	    for (int i = 0; i < COUNT && k->run == left_nodes; i += 2) c[i] = COUNT;
	    for (int i = k->right; i <= COUNT && !sums; i++)
	      {
		c[i] = 0xf0000000u + i;
		performed[i % COUNT] = 0;
	      }
	    stop = k->right - 1;
	    // Of processor time: on a busy machine it is as much.
	    struct itimerval time = { { 0, 0 }, { 0, 300000 } };
	    if (k->run == stays_within) setitimer (ITIMER_VIRTUAL, &time, NULL);
	  }
	if (!train && k->run == from_device)
	  {
	    attach_device ();
	    n = 100;
	  }
	long sum = k->run (n);
	if (device_loads) device (PROT_READ);
	printf ("%s %ld %d\n", k->name, sum, device_loads);
	fflush (stdout);
      }
  return 0;
}
