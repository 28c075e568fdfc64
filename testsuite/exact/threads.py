#!/usr/bin/env python3
# threads.py - random programs with threads, without races.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   threads.py SEED                     one program on stdout
#
# A kernel is a function (rng, name) -> (code, call), as in kernels.py, that starts
# threads and waits for them.  What a program prints does not depend on the order in
# which they run.  Two kinds of program:
#
#   relay      only one thread at a time does anything, and hands on to the next one
#              while it holds a lock: all accesses are ordered, so every number of
#              the profile is known (seeds that 4 divides)
#   parallel   threads side by side; what depends on which thread was first is not compared
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from generate import PROLOGUE  # noqa: E402

INCLUDES = "#include <pthread.h>\n#include <semaphore.h>\n#include <threads.h>\n"
RELAY, PARALLEL = {}, {}


def relay(f):
    RELAY[f.__name__] = f
    return f


def parallel(f):
    PARALLEL[f.__name__] = f
    return f


def fill(text, **words):
    for name, word in words.items():
        text = text.replace(f"@{name}", str(word))
    return text


def start(k, n, body="", c11=False, join=True):
    """Starts and joins n threads of @k_work, which get the numbers from 0 on."""
    create = f"thrd_create (&t[i], {k}_work, {k}_number + i)" if c11 else \
        f"pthread_create (&t[i], 0, {k}_work, {k}_number + i)"
    end = (f"  for (u32 i = 0; i < {n}; i++)\n"
           f"    {'thrd' if c11 else 'pthread'}_join (t[i], 0);\n") if join else ""
    return (f"  {'thrd_t' if c11 else 'pthread_t'} t[{n}];\n"
            f"  for (u32 i = 0; i < {n}; i++)\n    {{\n      {k}_number[i] = i;\n"
            f"      if ({create})\n        abort ();\n    }}\n{body}{end}")


# ---- one at a time ---------------------------------------------------------

@relay
def turns(rng, k):
    """A lock that is held except in pthread_cond_wait."""
    n, rounds = rng.choice([2, 3]), rng.choice([1, 4, 9])
    size = rng.choice([3, 16])
    t = rng.choice(["u8", "u32", "u64"])
    body = rng.choice([
        f"@k_data[(r + me) % {size}] += @k_data[r % {size}] + 1;",
        f"for (u32 i = 0; i < {size}; i++)\n        @k_data[i] = @k_data[(i + 1) % {size}] * 3 + me;",
        f"@k_data[me] += r; @k_data[{size} - 1] ^= @k_data[me];"])
    objects = rng.random() < 0.6
    return fill("""\
static pthread_mutex_t @k_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t @k_cond = PTHREAD_COND_INITIALIZER;
static u32 @k_turn, @k_number[@n];
static @t @k_data[@size];
static u64 *@k_object;
NOINLINE static void
@k_step (u32 r, u32 me)
{
  @body
}
static void *
@k_work (void *arg)
{
  pthread_mutex_lock (&@k_lock);
  u32 me = *(u32 *) arg;
  for (u32 r = 0; r < @rounds; r++)
    {
      while (@k_turn != me)
        pthread_cond_wait (&@k_cond, &@k_lock);
      @k_step (r, me);
@objects      @k_turn = me + 1;
      pthread_cond_broadcast (&@k_cond);
    }
  while (@k_turn != @n + 1)  // no thread ends while others go on
    pthread_cond_wait (&@k_cond, &@k_lock);
  pthread_mutex_unlock (&@k_lock);
  return 0;
}
NOINLINE static u64
@k (u32 x)
{
  u64 s = x;
  pthread_mutex_lock (&@k_lock);
  @k_turn = 0;
@start  for (u32 i = 0; i < @size; i++)
    s = s * 3 + @k_data[i];
  return s;
}
""", body=body, objects="""\
      if (@k_object)
        @k_data[0] += *@k_object;
      if (r % 2)
        free (@k_object);
      if (r % 2 || !@k_object)
        @k_object = malloc (24);
      *@k_object = r;
""" if objects else "", start=start(k, n, f"""\
  for (u32 r = 0; r < {rounds}; r++)
    {{
      while ({k}_turn != {n})
        pthread_cond_wait (&{k}_cond, &{k}_lock);
      {k}_data[r % {size}] += {k}_data[0];
      {k}_turn = r + 1 < {rounds} ? 0 : {n} + 1;
      pthread_cond_broadcast (&{k}_cond);
    }}
  pthread_t first = t[0], second = t[1], third = t[{n} - 1];
  pthread_mutex_unlock (&{k}_lock);
  pthread_join (first, 0);
  pthread_join (second, 0);
  if ({n} > 2)
    pthread_join (third, 0);
""", join=False), k=k, n=n, rounds=rounds, size=size, t=t), f"{k} (round)"


@relay
def one_after_the_other(rng, k):
    """Each thread is joined before the next one starts."""
    n, size = rng.choice([2, 5]), rng.choice([4, 20])
    return fill("""\
struct @k_s { u32 number, sum; u8 data[@size]; };
static struct @k_s *@k_last;
static pthread_mutex_t @k_lock = PTHREAD_MUTEX_INITIALIZER;
static void *
@k_work (void *arg)
{
  pthread_mutex_lock (&@k_lock);
  struct @k_s *p = arg, *before = @k_last;
  for (u32 i = 0; i < @size; i++)
    {
      p->data[i] = i * p->number;
      p->sum += p->data[i / 2] + before->data[i];
    }
  @k_last = p;
  free (before);
  pthread_mutex_unlock (&@k_lock);
  return 0;
}
NOINLINE static u64
@k (u32 x)
{
  u64 s = 0;
  @k_last = calloc (1, sizeof *@k_last);
  for (u32 i = 0; i < @n; i++)
    {
      struct @k_s *p = malloc (sizeof *p);
      p->number = i + x;
      p->sum = 0;
      pthread_t t, started;
      pthread_mutex_lock (&@k_lock);
      if (pthread_create (&t, 0, @k_work, p))
        abort ();
      started = t;
      pthread_mutex_unlock (&@k_lock);
      pthread_join (started, 0);
      s = s * 5 + p->sum + @k_last->data[1];
    }
  free (@k_last);
  return s;
}
""", k=k, n=n, size=size), f"{k} (round)"


@relay
def semaphores(rng, k):
    """Two threads that wake each other; loops go on only after waiting."""
    rounds, size = rng.choice([2, 7, 20]), rng.choice([1, 5])
    return fill("""\
static sem_t @k_mine, @k_yours;
static u32 @k_box[@size], @k_number[1];
static void *
@k_work (void *arg)
{
  sem_wait (&@k_yours);
  u32 r = *(u32 *) arg;
  do
    {
      for (u32 i = 0; i < @size; i++)
        @k_box[i] = @k_box[i] * 5 + r;
      r++;
      sem_post (&@k_mine);
      sem_wait (&@k_yours);
    }
  while (r < @rounds);
  sem_post (&@k_mine);
  return 0;
}
NOINLINE static u64
@k (u32 x)
{
  u64 s = 0;
  u32 r = 0;
  sem_init (&@k_mine, 0, 0);
  sem_init (&@k_yours, 0, 0);
@start  return s + r;
}
""", k=k, rounds=rounds, size=size, start=start(k, 1, f"""\
  do
    {{
      {k}_box[r % {size}] += x + r;
      sem_post (&{k}_yours);
      sem_wait (&{k}_mine);
      s = s * 3 + {k}_box[{size} - 1];
      r++;
    }}
  while (r < {rounds});
  sem_post (&{k}_yours);
  sem_wait (&{k}_mine);
""")), f"{k} (round)"


# ---- side by side ----------------------------------------------------------

@parallel
def locked_sums(rng, k):
    n, rounds = rng.choice([2, 3, 4]), rng.choice([5, 20])
    cells, c11 = rng.choice([1, 2, 7]), rng.random() < 0.3
    lock = "mtx_lock" if c11 else "pthread_mutex_lock"
    return fill("""\
static @mutex @k_lock@initial;
static u32 @k_number[@n];
static u64 @k_cell[@cells];
static @result
@k_work (void *arg)
{
  u32 me = *(u32 *) arg;
  for (u32 r = 0; r < @rounds; r++)
    {
      u32 *own = malloc (@size * sizeof *own);
      for (u32 i = 0; i < @size; i++)
        own[i] = r * i + me;
      @take (&@k_lock);
      for (u32 i = 0; i < @size; i++)
        @k_cell[(r + i) % @cells] += own[i];
      @give (&@k_lock);
      free (own);
    }
  return 0;
}
NOINLINE static u64
@k (u32 x)
{
  u64 s = 0;
@setup@start  for (u32 i = 0; i < @cells; i++)
    s = s * 3 + @k_cell[i] + x;
  return s;
}
""", mutex="mtx_t" if c11 else "pthread_mutex_t", result="int" if c11 else "void *",
        initial="" if c11 else " = PTHREAD_MUTEX_INITIALIZER",
        setup="  mtx_init (&@k_lock, mtx_plain);\n" if c11 else "",
        take=lock, give=lock.replace("lock", "unlock"), start=start(k, n, "", c11),
        k=k, n=n, rounds=rounds, cells=cells, size=rng.choice([2, 9])), f"{k} (round)"


@parallel
def queue(rng, k):
    """Objects go through a queue; the thread that takes one frees it."""
    n, items, room = rng.choice([1, 2, 3]), rng.choice([6, 30]), rng.choice([1, 2, 8])
    return fill("""\
struct @k_item { u64 value; u32 more[@more]; };
static pthread_mutex_t @k_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t @k_full = PTHREAD_COND_INITIALIZER, @k_empty = PTHREAD_COND_INITIALIZER;
static struct @k_item *@k_ring[@room];
static u32 @k_in, @k_out, @k_number[@n];
static u64 @k_sum;
NOINLINE static void
@k_put (struct @k_item *p)
{
  pthread_mutex_lock (&@k_lock);
  while (@k_in - @k_out == @room)
    pthread_cond_wait (&@k_full, &@k_lock);
  @k_ring[@k_in++ % @room] = p;
  pthread_cond_broadcast (&@k_empty);
  pthread_mutex_unlock (&@k_lock);
}
NOINLINE static struct @k_item *
@k_get (void)
{
  pthread_mutex_lock (&@k_lock);
  while (@k_in == @k_out)
    pthread_cond_wait (&@k_empty, &@k_lock);
  struct @k_item *p = @k_ring[@k_out++ % @room];
  pthread_cond_broadcast (&@k_full);
  pthread_mutex_unlock (&@k_lock);
  return p;
}
static void *
@k_work (void *arg)
{
  u64 sum = *(u32 *) arg;
  for (struct @k_item *p; (p = @k_get ());)
    {
      sum += p->value;
      for (u32 i = 0; i < @more; i++)
        sum += p->more[i];
      free (p);
    }
  pthread_mutex_lock (&@k_lock);
  @k_sum += sum;
  pthread_mutex_unlock (&@k_lock);
  return 0;
}
NOINLINE static u64
@k (u32 x)
{
  @k_sum = 0;
@start  return @k_sum;
}
""", start=start(k, n, f"""\
  for (u32 r = 0; r < {items}; r++)
    {{
      struct {k}_item *p = malloc (sizeof *p);
      p->value = r * x;
      for (u32 i = 0; i < @more; i++)
        p->more[i] = i + r;
      {k}_put (p);
    }}
  for (u32 i = 0; i < {n}; i++)
    {k}_put (0);
"""), more=rng.choice([1, 6]), k=k, n=n, room=room), f"{k} (round)"


@parallel
def published(rng, k):
    """A flag says that data are there; blocks are dealt out by a counter."""
    n, size = rng.choice([1, 2, 3]), rng.choice([8, 60])
    blocks = rng.choice([3, 10])
    return fill("""\
static u32 @k_data[@size], @k_flag, @k_next, @k_number[@n];
static u64 @k_part[@blocks], @k_total;
static void *
@k_work (void *arg)
{
  while (!__atomic_load_n (&@k_flag, __ATOMIC_ACQUIRE))
    thrd_yield ();
  u32 b;
  while ((b = __atomic_fetch_add (&@k_next, 1, __ATOMIC_SEQ_CST)) < @blocks)
    {
      u64 s = 0;
      for (u32 i = b; i < @size; i += @blocks)
        s = s * 3 + @k_data[i];
      @k_part[b] = s;
      __atomic_fetch_add (&@k_total, s, __ATOMIC_ACQ_REL);
    }
  return arg;
}
NOINLINE static u64
@k (u32 x)
{
  u64 s = 0;
  @k_flag = @k_next = @k_total = 0;
@start  for (u32 i = 0; i < @blocks; i++)
    s = s * 5 + @k_part[i];
  return s + @k_total;
}
""", start=start(k, n, f"""\
  for (u32 i = 0; i < {size}; i++)
    {k}_data[i] = i * x + 1;
  __atomic_store_n (&{k}_flag, 1, __ATOMIC_RELEASE);
"""), k=k, n=n, size=size, blocks=blocks), f"{k} (round)"


@parallel
def barriers(rng, k):
    """Phases between barriers; each thread reads what its neighbour wrote."""
    n, phases, size = rng.choice([2, 3]), rng.choice([2, 6]), rng.choice([2, 9])
    return fill("""\
static pthread_barrier_t @k_barrier;
static u32 @k_a[2][@n][@size], @k_number[@n];
static void *
@k_work (void *arg)
{
  u32 me = *(u32 *) arg;
  for (u32 i = 0; i < @size; i++)
    @k_a[0][me][i] = me + i;
  for (u32 p = 0; p < @phases; p++)
    {
      pthread_barrier_wait (&@k_barrier);
      for (u32 i = 0; i < @size; i++)
        @k_a[(p + 1) & 1][me][i] = @k_a[p & 1][(me + 1) % @n][i] * 3 + @k_a[p & 1][me][0];
    }
  return 0;
}
NOINLINE static u64
@k (u32 x)
{
  u64 s = x;
  pthread_barrier_init (&@k_barrier, 0, @n);
@start  pthread_barrier_destroy (&@k_barrier);
  for (u32 j = 0; j < @n; j++)
    for (u32 i = 0; i < @size; i++)
      s = s * 3 + @k_a[@phases & 1][j][i];
  return s;
}
""", start=start(k, n), k=k, n=n, phases=phases, size=size), f"{k} (round)"


@parallel
def readers_and_writer(rng, k):
    n, rounds, size = rng.choice([2, 3]), rng.choice([4, 12]), rng.choice([1, 6])
    return fill("""\
static pthread_rwlock_t @k_lock = PTHREAD_RWLOCK_INITIALIZER;
static u32 @k_table[@size], @k_number[@n];
static u64 @k_out[@n];
static void *
@k_work (void *arg)
{
  u32 me = *(u32 *) arg, bad = 0;
  for (u32 r = 0; r < @rounds; r++)
    {
      pthread_rwlock_rdlock (&@k_lock);
      u32 first = @k_table[0];
      for (u32 i = 0; i < @size; i++)
        bad += @k_table[i] != first + i;
      pthread_rwlock_unlock (&@k_lock);
    }
  @k_out[me] = bad;
  return 0;
}
NOINLINE static void
@k_write (u32 v)
{
  for (u32 i = 0; i < @size; i++)
    @k_table[i] = v + i;
}
NOINLINE static u64
@k (u32 x)
{
  u64 s = x;
  @k_write (x);
@start  for (u32 i = 0; i < @n; i++)
    s += @k_out[i];
  return s;
}
""", start=start(k, n, f"""\
  for (u32 r = 0; r < {rounds}; r++)
    {{
      pthread_rwlock_wrlock (&{k}_lock);
      {k}_write (r * 7);
      pthread_rwlock_unlock (&{k}_lock);
    }}
"""), k=k, n=n, rounds=rounds, size=size), f"{k} (round)"


@parallel
def parallel_loops(rng, k):
    """OpenMP: shared, private and reduced."""
    n, size = rng.choice([2, 3]), rng.choice([10, 64])
    schedule = rng.choice(["static", "static, 3", "dynamic, 2", "guided"])
    return fill("""\
static u32 @k_a[@size], @k_b[@size];
static u64 @k_seen;
NOINLINE static u64
@k (u32 x)
{
  u64 s = 0;
  for (u32 i = 0; i < @size; i++)
    @k_a[i] = i + x;
#pragma omp parallel for num_threads (@n) schedule (@schedule) reduction (+ : s)
  for (u32 i = 0; i < @size; i++)
    {
      @k_b[i] = @k_a[@size - 1 - i] * 3;
      s += @k_b[i];
    }
#pragma omp parallel num_threads (@n)
  {
    u32 own[4] = { 0 };
#pragma omp for schedule (static)
    for (u32 i = 0; i < @size; i++)
      {
        own[i & 3] += @k_b[i];
        if (i % 4 == 1)
          {
#pragma omp critical
            @k_seen += own[i & 3] & 1;
          }
      }
#pragma omp for schedule (@schedule)
    for (u32 i = 1; i < @size; i++)
      @k_a[i] = @k_b[i - 1];
  }
  for (u32 i = 0; i < @size; i++)
    s = s * 3 + @k_a[i];
  return s;
}
""", k=k, n=n, size=size, schedule=schedule), f"{k} (round)"


@parallel
def passed_on(rng, k):
    """Short threads; each object is allocated by one and freed by another."""
    n, rounds = rng.choice([2, 3]), rng.choice([2, 6])
    return fill("""\
static u32 @k_number[@n];
static u64 *@k_object[@n];
static void *
@k_work (void *arg)
{
  u32 me = *(u32 *) arg;
  u64 *old = @k_object[me];
  @k_object[me] = malloc ((me + 2) * sizeof (u64));
  for (u32 i = 0; i < me + 2; i++)
    @k_object[me][i] = old[0] + i;
  free (old);
  return 0;
}
NOINLINE static u64
@k (u32 x)
{
  u64 s = x;
  for (u32 i = 0; i < @n; i++)
    {
      @k_object[i] = malloc (sizeof (u64));
      *@k_object[i] = x + i;
    }
  for (u32 r = 0; r < @rounds; r++)
    {
@start      u64 *first = @k_object[0];
      for (u32 i = 1; i < @n; i++)
        @k_object[i - 1] = @k_object[i];
      @k_object[@n - 1] = first;
    }
  for (u32 i = 0; i < @n; i++)
    {
      s = s * 3 + @k_object[i][1];
      free (@k_object[i]);
    }
  return s;
}
""", start=start(k, n), k=k, n=n, rounds=rounds), f"{k} (round)"


def ordered(seed):
    return seed % 4 == 0


def program(seed):
    """(text, features)"""
    rng = random.Random(f"threads {seed}")
    kernels = RELAY if ordered(seed) else PARALLEL
    deck = sorted(kernels)
    names = [deck[(seed + i) % len(deck)] for i in range(3)]
    if not ordered(seed):
        names[2] = rng.choice(sorted(RELAY))
    text = [INCLUDES + PROLOGUE]
    calls = []
    for i, name in enumerate(names):
        code, call = (RELAY | PARALLEL)[name](rng, f"k{i}")
        text.append(f"/* {name} */\n{code}")
        calls.append(call)
    text.append(f"int\nmain (void)\n{{\n  u64 sum = 1;\n"
                f"  for (u32 round = 0; round < {rng.choice([1, 2])}; round++)\n    {{")
    text += [f"      sum = sum * 31 + {c};" for c in calls]
    text.append("    }\n  finish (sum);\n}\n")
    return "\n".join(text), set(names)


if __name__ == "__main__":
    print(program(int(sys.argv[1]))[0], end="")
