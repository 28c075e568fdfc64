/* overlaps.c - loops whose stores and loads meet in every way, for versioning.
   SPDX-License-Identifier: GPL-3.0-or-later

     overlaps train       each kernel on memory of its own
     overlaps all         each kernel with its operands at every relative place
			  in one arena; prints a checksum of the arena per kernel
     overlaps only NAME   one kernel

   A kernel is right when the checksums are those of a build without
   optimisation.  Everything in the arena is bytes, words of the kernels'
   types are read and written through may_alias types, so that overlap of all
   kinds is defined.  The arena is aligned to its size: pointers into it differ
   in their two low bytes, so that a pointer which is overwritten byte by byte
   points into the arena all the time.  */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KERNEL __attribute__ ((noinline, noclone))

typedef unsigned char byte;
typedef unsigned word __attribute__ ((may_alias));
typedef short half __attribute__ ((may_alias));
typedef double real __attribute__ ((may_alias));
typedef float weight __attribute__ ((may_alias));
struct triple { byte a, b, c; };

enum { SIZE = 4096, MIDDLE = 2048, REACH = 48, LOW = MIDDLE - 512, HIGH = MIDDLE + 512 };

struct job
{
  byte *to;
  const byte *from;
  int n;
  byte key[4];
  byte *last;
} __attribute__ ((may_alias));

// At the same address in each build: some kernels read bytes of pointers.
#define arena ((byte *) 0x10000000)
static byte spare[SIZE] __attribute__ ((aligned (SIZE)));
static byte fixed[64];

/* The operands of a kernel.  */
struct operands
{
  byte *a, *b, *c;
  struct job *job;
  int n, s, t;
};

KERNEL static int
mask (struct operands *o)
{
  struct job *j = o->job;
  int sum = 0;
  for (int i = 0; i < j->n; i++)
    {
      sum += j->key[1] * i + j->from[i];
      j->to[i] ^= j->from[i] & 3;
      sum += j->to[i];
    }
  return sum;
}

KERNEL static int
mask_down (struct operands *o)
{
  struct job *j = o->job;
  int sum = 0;
  for (int i = j->n - 1; i >= 0; i--)
    {
      j->to[i] ^= j->from[i] & 3;
      sum = sum + j->key[0] + j->to[i] * 3;
    }
  return sum;
}

/* The bound is loaded after the store.  */
KERNEL static int
mask_late (struct operands *o)
{
  struct job *j = o->job;
  int i = 0;
  do
    j->to[i] ^= j->from[i] & 3;
  while (++i < j->n);
  return i;
}

/* The key only: what is stored stays, so that vectors are possible.  */
KERNEL static int
tint (struct operands *o)
{
  struct job *j = o->job;
  byte *to = j->to, *from = o->b;
  int n = o->n;
  for (int i = 0; i < n; i++)
    to[i] = (from[i] & 3) ^ j->key[2];
  return 0;
}

/* A pointer that is never followed, as it points nowhere.  */
KERNEL static int
never (struct operands *o)
{
  struct job *j = o->job;
  byte *a = o->a, *b = o->b;
  int n = o->n;
  for (int i = 0; i < n; i++)
    {
      byte x = 2 * b[i];
      if (b[i] & 1)
	x += *j->last;
      a[i] = x;
    }
  return 0;
}

/* A pointer that the first iteration sets; it is none before.  */
KERNEL static int
set_first (struct operands *o)
{
  struct job *j = o->job, *same = (struct job *) o->c;
  byte *to = o->a;
  int sum = 0, n = o->n;
  for (int i = 0; i < n; i++)
    {
      same->last = to;
      sum += j->last[0] + j->last[1];
      to[i & 7] = sum;
    }
  return sum;
}

KERNEL static void
add_word (struct operands *o)
{
  word *a = (word *) o->a, *b = (word *) o->b, *k = (word *) o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    a[i] = b[i] + *k;
}

KERNEL static void
add_down (struct operands *o)
{
  half *a = (half *) o->a, *b = (half *) o->b, *k = (half *) o->c;
  int n = o->n;
  for (int i = n; i-- > 0;)
    a[i] = b[i] * 3 + *k;
}

KERNEL static void
bytes_down (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  int n = o->n;
  for (int i = n; i-- > 0;)
    a[i] = b[i] + *k;
}

KERNEL static void
spread (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    a[2 * i + 1] = b[3 * i] + *k;
}

KERNEL static void
variable_steps (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  int n = o->n, s = o->s, t = o->t;
  for (int i = 0; i < n; i++)
    a[i * s] = b[i * t] + *k;
}

KERNEL static void
sums (struct operands *o)
{
  word *a = (word *) o->a, *r = (word *) o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    {
      r[0] += a[i] & 255;
      r[1] ^= a[i];
    }
}

KERNEL static void
bound (struct operands *o)
{
  byte *a = o->a;
  byte *n = o->c;
  for (int i = 0; i < *n; i++)
    a[i] = 7 * i;
}

KERNEL static void
two_stores (struct operands *o)
{
  byte *a = o->a, *b = o->b, *c = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    {
      a[i] = c[i] + 1;
      b[i] = a[i] ^ c[0];
    }
}

KERNEL static void
leave_early (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  for (size_t i = 0; i < SIZE_MAX / 2; i++)
    {
      if (b[i] == 0 || (int) i >= o->n)
	break;
      a[i] = b[i] + *k;
    }
}

KERNEL static void
sometimes (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    if (b[i] & 1)
      a[i] += *k;
}

KERNEL static void
count_up (struct operands *o)
{
  byte *table = o->a, *b = o->b, *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    table[b[i] & 31] += *k;
}

KERNEL static void
count_fixed (struct operands *o)
{
  byte *b = o->b, *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    fixed[b[i] & 63] += *k + fixed[0];
}

KERNEL static void
walk (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  int n = o->n;
  while (n-- > 0)
    *a++ = *b++ ^ *k;
}

/* The counter wraps from 255 to 0.  */
KERNEL static void
wrap (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  byte end = o->n;
  for (byte i = 250; i != end; i++)
    a[(byte) (i + 6)] = b[(byte) (i + 6)] + *k;
}

KERNEL static void
unsigned_steps (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  unsigned n = o->n;
  for (unsigned i = 0; i < n; i += 4)
    a[i] = b[i] - *k;
}

/* The bound is jumped over when it is no multiple of 4.  */
KERNEL static void
jumped_over (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  size_t n = o->n;
  for (size_t i = 0; i != n; i += 4)
    {
      byte key = *k;
      // In a way that gives no other count.
      if (b[i] >= 200 || i * i >= 2500)
	break;
      a[i] = b[i] + key;
    }
}

/* Four times the bound is 0 in 64 bits, unless the bound is.  */
KERNEL static void
full_circle (struct operands *o)
{
  word *a = (word *) o->a, *b = (word *) o->b, *k = (word *) o->c;
  size_t n = (size_t) o->n << 62;
  // With -O3 -mavx2, GCC 15 and 16 by themselves make vectors of it that give another result.
#if __GNUC__ >= 15
#pragma GCC novector
#endif
  for (size_t i = 0; i < n; i++)
    {
      word key = *k;
      if ((b[i] & 255) >= 200 || i * i >= 2500)
	break;
      a[i] = b[i] + key;
    }
}

/* The key of the iteration before; none before the first.  */
KERNEL static void
next_key (struct operands *o)
{
  byte *a = o->a, *k = o->c;
  int n = o->n;
  byte key = 77;
  for (int i = 0; i < n; i++)
    {
      a[i] = i ^ key;
      key = *k;
    }
}

/* The same of numbers: 0 in the first iteration, then -0 until the loop stores there.  */
KERNEL static void
next_weight (struct operands *o)
{
  weight *a = (weight *) o->a, *k = (weight *) o->c, factor = 0;
  volatile weight zero = 0;
  int n = o->n;
  *k = -zero;
  for (int i = 0; i < n; i++)
    {
      a[i] = i * factor - (i & 8);
      factor = *k;
    }
}

/* What is loaded first is known in the first iteration, and loaded at the end of each other one,
   which is not certain to come.  */
KERNEL static void
known_first (struct operands *o)
{
  word *a = (word *) o->a, *b = (word *) o->b, *k = (word *) o->c;
  int n = o->n;
  *k = 3;
  for (int i = 0; i < n; i++)
    {
      a[i] = i * *k;
      b[i] += *k;
    }
}

/* Memory takes the type of what is stored last; nothing is loaded.  */
KERNEL static void
retyped (struct operands *o)
{
  int *a = (int *) o->a;
  float *b = (float *) o->b;
  byte *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    {
      a[i] = i + k[i];
      b[i] = 1.5f;
    }
}

KERNEL static void
triples (struct operands *o)
{
  struct triple *a = (struct triple *) o->a, *b = (struct triple *) o->b;
  byte *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    {
      struct triple t = b[i];
      t.a += *k;
      a[i] = t;
    }
}

KERNEL static void
rows (struct operands *o)
{
  byte *a = o->a, *b = o->b, *c = o->c;
  int n = o->n / 4, s = o->s + 6;
  for (int y = 0; y < n; y++)
    for (int x = 0; x < 5; x++)
      a[y * s + x] += b[x] * c[y];
}

KERNEL static void
reals (struct operands *o)
{
  real *a = (real *) o->a, *b = (real *) o->b, *k = (real *) o->c;
  int n = o->n / 4;
  for (int i = 0; i < n; i++)
    a[i] = (int) b[i] % 9 + (int) *k % 5;
}

/* Rows of different entries overlap, those of one do not.  */
KERNEL static void
sliding (struct operands *o)
{
  int n = o->n / 4 + 4;
  for (int y = 0; y < 8; y++)
    {
      byte *a = o->a + y * n, *b = a + n;
      for (int x = 0; x < n; x++)
	b[x] = a[x] + 1;
    }
}

/* The same, and each row is the one before turned round: no two rows can be done at
   once, although they share the table.  Training has one row, which is not worth a
   check in front of all.  */
KERNEL static void
turned_rows (struct operands *o)
{
  byte *base = o->a, table[256];
  int n = o->n, rows = o->t < 0 ? 8 : o->t;
  if (n <= 0)
    return;
  for (int x = 0; x < n; x++)
    table[x] = x * 5 + n;
  for (int y = 0; y < rows; y++)
    {
      byte *a = base + y * n, *b = a + n;
      for (int x = 0; x < n; x++)
	b[n - 1 - x] = a[x] + table[x];
    }
}

/* Two k can be done at once.  */
KERNEL static void
product (struct operands *o)
{
  byte *a = o->a, *b = o->b, *c = o->c;
  int n = o->n / 8;
  for (int y = 0; y < n; y++)
    for (int k = 0; k < n; k++)
      for (int x = 0; x < n; x++)
	a[y * n + x] += b[y * n + k] * c[k * n + x];
}

/* What calls, atomic operations and asm write is not known.  */
KERNEL static void
turn (byte *k)
{
  *k += 3;
}

KERNEL static void
called (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    {
      a[i] = b[i] + *k;
      turn (k);
    }
}

KERNEL static void
atomic (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    {
      a[i] = b[i] + *k;
      __atomic_fetch_add (k, 1, __ATOMIC_RELAXED);
    }
}

KERNEL static void
in_asm (struct operands *o)
{
  byte *a = o->a, *b = o->b, *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    {
      a[i] = b[i] + *k;
#ifdef __aarch64__
      __asm__ ("ldrb w9, %0\n\tadd w9, w9, 1\n\tstrb w9, %0" : "+m" (*k) : : "w9");
#else
      __asm__ ("incb %0" : "+m" (*k));
#endif
    }
}

/* Changes from outside.  */
KERNEL static void
device (struct operands *o)
{
  byte *a = o->a, *b = o->b;
  volatile byte *k = o->c;
  int n = o->n;
  for (int i = 0; i < n; i++)
    a[i] = b[i] + *k;
}

static unsigned
checksum (const byte *p, int n, unsigned sum)
{
  for (int i = 0; i < n; i++)
    sum = (sum ^ p[i]) * 16777619u;
  return sum;
}

static void
fill (unsigned seed, int width)
{
  for (int i = LOW; i < HIGH; i += width)
    if (width == 8)
      {
	double d = (seed = seed * 1664525 + 1013904223) >> 24;
	memcpy (arena + i, &d, 8);
      }
    else
      arena[i] = (seed = seed * 1664525 + 1013904223) >> 24;
  memset (fixed, 1, sizeof fixed);
}

/* K with its three operands at all distances that are a multiple of WIDTH.  */

static void
everywhere (const char *name, void (*k) (struct operands *), int width)
{
  static const int counts[] = { 0, 1, 2, 5, 17, 40 };
  unsigned sum = 2166136261u;
  for (int n = 0; n < 6; n++)
    for (int b = -REACH; b <= REACH; b += width)
      for (int c = -REACH; c <= REACH; c += b % (3 * width) ? 7 * width : width)
	for (int way = -2; way <= 2; way += way == -1 ? 2 : 1)
	  {
	    struct operands o = { arena + MIDDLE, arena + MIDDLE + b,
				  arena + MIDDLE + c, NULL, counts[n], way,
				  way * 2 - 1 };
	    fill (b * 1000 + c + n, width);
	    k (&o);
	    sum = checksum (arena + LOW, HIGH - LOW, sum);
	    sum = checksum (fixed, sizeof fixed, sum);
	    if (k != variable_steps && k != rows)
	      break;
	  }
  printf ("%s %08x\n", name, sum);
}

/* K on a job in the middle of the arena; what it stores begins at any distance
   from it.  One byte of what it stores differs from what is there: it changes a
   pointer, the count or the key of the job at any time of the loop, or nothing
   of it.  */

static void
over_the_job (const char *name, int (*k) (struct operands *))
{
  unsigned sum = 2166136261u;
  // Changed, it moves away from the byte that changed it.
  byte *from = arena + 512 + (k == mask_down ? 3 : 0);
  for (int to = -REACH; to <= REACH; to++)
    for (int at = 0; at < 40; at++)
      {
	int hit = to + at;
	// Upper bytes of pointers that are followed, and of the count.
	if ((hit > 0 && hit < 8) || (hit > 8 && hit < 16)
	    || (hit > 16 && hit < 20))
	  continue;
	struct job *job = (struct job *) (arena + MIDDLE);
	struct operands o = { .job = job, .b = from, .n = 40 };
	fill (to, 1);
	for (int i = 0; i < 64; i++)
	  from[i] = 4 * i + (i == at ? 3 : 0);
	job->to = arena + MIDDLE + to;
	job->from = from;
	job->n = 40;
	memset (job->key, 4, sizeof job->key);
	job->last = NULL;
	int result = k (&o);
	sum = checksum ((byte *) &result, sizeof result, sum);
	// Addresses differ from run to run.
	result = (int) (job->to - arena) + 5 * (int) (job->from - arena);
	sum = checksum ((byte *) &result, sizeof result, sum);
	memset (arena + MIDDLE, 0, 16);
	sum = checksum (arena + LOW, HIGH - LOW, sum);
      }
  printf ("%s %08x\n", name, sum);
}

/* The same for a store of other values, beside the pointers.  */

static void
over_the_key (void)
{
  unsigned sum = 2166136261u;
  for (int to = 16; to <= REACH; to++)
    for (int n = 0; n < 40; n++)
      {
	struct job *job = (struct job *) (arena + MIDDLE);
	fill (to, 1);
	struct operands o = { .job = job, .b = arena + MIDDLE + 17 + n % 29, .n = n };
	job->to = arena + MIDDLE + to - (n < 24 ? 0 : 24) + (to < 40 ? 24 : 0);
	if (job->to < arena + MIDDLE + 16)
	  job->to += 24;
	tint (&o);
	memset (arena + MIDDLE, 0, 16);
	sum = checksum (arena + LOW, HIGH - LOW, sum);
      }
  printf ("tint %08x\n", sum);
}

/* Pointers that point nowhere, until somewhere is stored or for good.  */

static void
no_pointers (void)
{
  unsigned sum = 0;
  struct job *job = (struct job *) (arena + MIDDLE);
  for (int a = -REACH; a <= REACH; a++)
    {
      // Not where a store would make nonsense of the pointer.
      if (a > -10 && a < (int) sizeof *job)
	continue;
      fill (a, 1);
      job->last = NULL;
      struct operands o
	= { .a = arena + MIDDLE + a, .c = (byte *) job, .job = job, .n = 20 };
      sum = sum * 31 + set_first (&o);
      job->last = NULL;
      memset (spare, 2, 64);
      o.a = arena + MIDDLE + 100 + a;
      o.b = spare;
      never (&o);
      sum = checksum (arena + LOW, HIGH - LOW, sum);
    }
  printf ("pointers %08x\n", sum);
}

/* What is stored at one address is loaded from another.  */

static void
two_views (void)
{
  int file = memfd_create ("overlaps", 0);
  byte *view[2];
  if (file < 0 || ftruncate (file, SIZE))
    return;
  for (int i = 0; i < 2; i++)
    view[i] = mmap (NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close (file);
  if (view[0] == MAP_FAILED || view[1] == MAP_FAILED)
    return;
  fill (1, 1);
  struct operands o = { .a = view[0], .b = arena + MIDDLE, .c = view[1] + 5, .n = 40 };
  device (&o);
  printf ("device %08x\n", checksum (view[0], 64, 1));
}

struct row
{
  const char *name;
  void (*kernel) (struct operands *);
  int width;
};

static const struct row table[]
  = { { "add_word", add_word, 4 },   { "add_down", add_down, 2 },
      { "bytes_down", bytes_down, 1 }, { "spread", spread, 1 },
      { "variable_steps", variable_steps, 1 },
      { "sums", sums, 4 },	     { "bound", bound, 1 },
      { "two_stores", two_stores, 1 }, { "leave_early", leave_early, 1 },
      { "sometimes", sometimes, 1 }, { "count_up", count_up, 1 },
      { "count_fixed", count_fixed, 1 }, { "walk", walk, 1 },
      { "wrap", wrap, 1 },	     { "unsigned_steps", unsigned_steps, 1 },
      { "jumped_over", jumped_over, 1 }, { "full_circle", full_circle, 4 },
      { "next_key", next_key, 1 },   { "next_weight", next_weight, 4 },
      { "known_first", known_first, 4 }, { "retyped", retyped, 4 },
      { "triples", triples, 1 },     { "rows", rows, 1 },
      { "reals", reals, 8 },	     { "sliding", sliding, 1 },
      { "turned_rows", turned_rows, 1 }, { "product", product, 1 },
      { "called", called, 1 },     { "atomic", atomic, 1 },
      { "in_asm", in_asm, 1 } };
enum { ROWS = sizeof table / sizeof table[0] };

static const struct
{
  const char *name;
  int (*kernel) (struct operands *);
} jobs[] = { { "mask", mask }, { "mask_down", mask_down }, { "mask_late", mask_late } };
enum { JOBS = sizeof jobs / sizeof jobs[0] };

/* Nothing overlaps, all loops run.  */

static void
train (void)
{
  for (int round = 0; round < 20; round++)
    {
      struct operands o = { arena + 256, arena + 1024, spare + 64,
			    (struct job *) (spare + 2048), 200, 1, 1 };
      fill (1, 1);
      spare[64] = 100;
      struct job job = { arena + 256, arena + 1024, 200, { 1, 2, 3, 4 }, NULL };
      memcpy (o.job, &job, sizeof job);
      mask (&o);
      mask_down (&o);
      mask_late (&o);
      tint (&o);
      job.last = spare;
      memcpy (o.job, &job, sizeof job);
      never (&o);
      o.a = spare + 3072;
      o.c = spare + 2048;
      set_first (&o);
      o.a = arena + 256;
      o.c = spare + 64;
      // Such a bound runs into another exit.
      o.n = round ? 200 : 201;
      for (int i = 0; i < ROWS; i++)
	table[i].kernel (&o);
      device (&o);
    }
}

int
main (int argc, char **argv)
{
  if (mmap (arena, SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
    return 2;
  if (argc > 1 && strcmp (argv[1], "train") == 0)
    {
      train ();
      return 0;
    }
  const char *only = argc > 2 ? argv[2] : NULL;
  for (int i = 0; i < ROWS; i++)
    if (!only || strcmp (only, table[i].name) == 0)
      everywhere (table[i].name, table[i].kernel, table[i].width);
  for (int i = 0; i < JOBS; i++)
    if (!only || strcmp (only, jobs[i].name) == 0)
      over_the_job (jobs[i].name, jobs[i].kernel);
  if (!only || strcmp (only, "tint") == 0)
    over_the_key ();
  if (!only || strcmp (only, "pointers") == 0)
    no_pointers ();
  if (!only || strcmp (only, "device") == 0)
    two_views ();
  // No iteration, no memory.
  struct operands none = { NULL, NULL, NULL, NULL, 0, 1, 1 };
  add_word (&none);
  add_down (&none);
  sums (&none);
  walk (&none);
  printf ("done\n");
  return 0;
}
