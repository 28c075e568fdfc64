// arena_slabs.cc - memory of each site by itself, in slabs of one huge page.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Slabs of one size, and mixed ones (mixed_slab.h) for arenas that several calls share.
//
// A slab belongs to the bin that took it until its last object dies, wherever
// that happens; a free from another thread takes the lock of the bin's stripe.
//
//   bin.current   objects come from here: first its free list, then its rest
//   bin.partial   other slabs with dead objects, newest first
//   (full slabs are in no list; they come back with their first death)
//
// As long as the program has one thread, locks are left out.

#include "runtime/arena/arena.h"
#include "runtime/arena/arena_lock.h"
#include "runtime/arena/mixed_slab.h"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace mprt_arena {

namespace {

const uint32_t k_no_slab = ~0u;

struct slab
{
  void *dead;		// free list
  char *rest;		// where no object has been yet
  uint32_t live, objects; // of all places, those with live objects
  uint32_t object_bytes;  // 0: mixed
  uint32_t next, previous; // in bin.partial, or the list of unused slabs
  uint16_t site, first; // as in mprt_site_cell
  uint8_t size_class, stripe;
  bool listed;
};

struct bin
{
  uint32_t current, partial; // slab number + 1, 0: none
  uint32_t filled;	     // slabs that were full once
};

// Slabs of a shared arena, and the bytes of their places, with live objects and in all.
struct mixed_bin
{
  bin slabs;
  uint64_t live, all;
};

// All that one stripe owns; touched only where it is used.
struct stripe
{
  lock_word lock;
  bin bins[k_sites][k_classes];
  mixed_bin mixed[k_sites];
};

stripe *stripes;
slab *slabs;
lock_word region_lock;
uint32_t slab_limit, slabs_used, unused_slabs = k_no_slab;
uint32_t slabs_now, slabs_peak, sites;
pid_t locked_in; // for fault::fork_locks only
__thread uint8_t my_stripe; // + 1

stripe &
stripe_of_thread ()
{
  static uint32_t given;
  if (ARENA_UNLIKELY (!my_stripe))
    my_stripe
      = 1 + __atomic_fetch_add (&given, 1, __ATOMIC_RELAXED) % k_stripes;
  return stripes[my_stripe - 1];
}

char *
begin_of (uint32_t number)
{
  return reinterpret_cast<char *> (region.begin) + number * k_slab_bytes;
}

uint32_t
number_of (const void *p)
{
  return (reinterpret_cast<uintptr_t> (p) - region.begin) / k_slab_bytes;
}

// Where its first object is.
char *
first_object (uint32_t number)
{
  const slab &s = slabs[number];
  const size_t half = s.first == MPRT_SHARED_HALF ? k_line_bytes / 2 : 0;
  return begin_of (number) + (!s.object_bytes		       ? k_mixed_first + half
			      : s.object_bytes == k_line_bytes ? s.first
							       : 0);
}

mixed_slab &
mixed_of (uint32_t number)
{
  return *reinterpret_cast<mixed_slab *> (begin_of (number));
}

bool
room_p (uint32_t number)
{
  const slab &s = slabs[number];
  return s.dead || s.rest + s.object_bytes <= begin_of (number) + k_slab_bytes;
}

// What a slab takes over from the call that its objects are for.
struct owner
{
  uint16_t site, first;
};

// A slab for objects of CLASS, which has 0 bytes for a mixed one; HUGE: of one page.
// k_no_slab: no more.
uint32_t
take_slab (owner o, size_class c, uint8_t stripe_number, bool huge)
{
  locked hold (region_lock);
  uint32_t number = unused_slabs;
  if (number != k_no_slab)
    unused_slabs = slabs[number].next;
  else if (slabs_used < slab_limit)
    number = slabs_used++;
  else
    return k_no_slab;
  char *begin = begin_of (number);
  int before = errno;
  if (mprotect (begin, k_slab_bytes, PROT_READ | PROT_WRITE))
    {
      errno = before; // malloc will do
      slabs[number].next = unused_slabs;
      unused_slabs = number;
      return k_no_slab;
    }
  madvise (begin, k_slab_bytes, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  errno = before;
  slabs[number]
    = { nullptr, begin, 0, 0, uint32_t (c.bytes), 0, 0, o.site, o.first,
	uint8_t (c.number), stripe_number, false };
  slabs[number].rest = first_object (number);
  slabs_now++;
  if (slabs_now > slabs_peak)
    slabs_peak = slabs_now;
  return number;
}

void
give_slab_back (uint32_t number)
{
  locked hold (region_lock);
  int before = errno;
  // The pages go, the reservation stays.
  mmap (begin_of (number), k_slab_bytes, PROT_NONE,
	MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  errno = before;
  slabs[number].next = unused_slabs;
  unused_slabs = number;
  slabs_now--;
}

void
list (bin &b, uint32_t number)
{
  slab &s = slabs[number];
  s.listed = true;
  s.previous = 0;
  s.next = b.partial;
  if (b.partial)
    slabs[b.partial - 1].previous = number + 1;
  b.partial = number + 1;
}

void
unlist (bin &b, uint32_t number)
{
  slab &s = slabs[number];
  s.listed = false;
  (s.previous ? slabs[s.previous - 1].next : b.partial) = s.next;
  if (s.next)
    slabs[s.next - 1].previous = s.previous;
}

// The current slab of the bin is full.
void
count_filled (bin &b)
{
  if (!b.current || b.filled++)
    return;
  // The first slab: huge from now on, if the system can.
  int before = errno;
  madvise (begin_of (b.current - 1), k_slab_bytes, MADV_HUGEPAGE);
  collapse_page (begin_of (b.current - 1));
  errno = before;
}

// Gives the bin, whose current slab is full, another.
bool
renew (bin &b, owner o, size_class c, uint8_t stripe_number)
{
  count_filled (b);
  if (b.partial)
    {
      uint32_t number = b.partial - 1;
      unlist (b, number);
      b.current = number + 1;
      return true;
    }
  uint32_t number = take_slab (o, c, stripe_number, b.filled > 0);
  b.current = number == k_no_slab ? 0 : number + 1;
  return b.current != 0;
}

void *
allocate_in (owner o, size_t bytes)
{
  size_class c = class_of (bytes);
  stripe &mine = stripe_of_thread ();
  bin &b = mine.bins[o.site][c.number];
  locked hold (mine.lock);
  if (!b.current || !room_p (b.current - 1))
    if (!renew (b, o, c, &mine - stripes))
      return nullptr;
  slab &s = slabs[b.current - 1];
  void *p = s.dead;
  if (seeded (fault::no_locks))
    sched_yield (); // others come in for certain
  if (p)
    s.dead = *static_cast<void **> (p);
  else
    {
      p = s.rest;
      s.rest += s.object_bytes;
    }
  s.live++;
  return p;
}

bool
mixed_room_p (uint32_t number, unsigned c)
{
  return mixed_of (number).dead[c]
	 || slabs[number].rest + mixed_bytes (c) <= begin_of (number) + k_slab_bytes;
}

// The slab of M that an object of class C comes from; k_no_slab: none.
uint32_t
mixed_slab_for (mixed_bin &m, owner o, unsigned c, uint8_t stripe_number)
{
  bin &b = m.slabs;
  if (b.current && mixed_room_p (b.current - 1, c))
    return b.current - 1;
  unsigned looks = 8;
  for (uint32_t n = b.partial; n && looks--; n = slabs[n - 1].next)
    if (mixed_of (n - 1).dead[c])
      return n - 1;
  // Most places are dead ones of other sizes.
  if (b.filled && m.live < m.all / 2 && !seeded (fault::mixed_growth))
    return k_no_slab;
  uint32_t number
    = take_slab (o, { 0, 0 }, stripe_number, b.current || b.filled);
  if (number == k_no_slab)
    return number;
  count_filled (b);
  if (b.current && slabs[b.current - 1].live < slabs[b.current - 1].objects)
    list (b, b.current - 1);
  b.current = number + 1;
  return number;
}

// Null: elsewhere.
void *
allocate_mixed (owner o, size_t bytes)
{
  const unsigned c = class_of (bytes).number;
  stripe &mine = stripe_of_thread ();
  mixed_bin &m = mine.mixed[o.site];
  locked hold (mine.lock);
  const uint32_t number = mixed_slab_for (m, o, c, &mine - stripes);
  if (number == k_no_slab)
    return nullptr;
  slab &s = slabs[number];
  void *p = mixed_of (number).reuse (c);
  if (!p)
    {
      p = s.rest;
      s.rest += mixed_bytes (c);
      s.objects++;
      m.all += mixed_bytes (c);
    }
  mixed_of (number).born (p, c);
  s.live++;
  m.live += mixed_bytes (c);
  if (s.listed && s.live == s.objects)
    unlist (m.slabs, number);
  return p;
}

// P, in the mixed slab NUMBER, dies; its stripe is locked.
void
release_mixed (void *p, uint32_t number)
{
  slab &s = slabs[number];
  mixed_slab &own = mixed_of (number);
  mixed_bin &m = stripes[s.stripe].mixed[s.site];
  const unsigned c = own.class_at (p);
  own.died (p, c);
  s.live--;
  m.live -= mixed_bytes (c);
  const bool current = m.slabs.current == number + 1;
  if (s.live && !current && !s.listed)
    list (m.slabs, number);
  if (s.live && !seeded (fault::live_slabs))
    return;
  // Empty: in the order of addresses again, or gone.
  m.all -= s.rest - first_object (number);
  if (current)
    {
      own.forget_dead ();
      s.rest = first_object (number);
      s.objects = 0;
      return;
    }
  if (s.listed)
    unlist (m.slabs, number);
  give_slab_back (number);
}

// The number of CELL's site, given at its first call; 0: there are too many.
uint16_t
site_of (mprt_site_cell *cell)
{
  uint16_t site = __atomic_load_n (&cell->site, __ATOMIC_RELAXED);
  if (site)
    return site < k_sites ? site : 0;
  uint32_t next = __atomic_add_fetch (&sites, 1, __ATOMIC_RELAXED);
  uint16_t wanted = next < k_sites ? next : k_sites;
  if (__atomic_compare_exchange_n (&cell->site, &site, wanted, false,
				   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    site = wanted;
  return site < k_sites ? site : 0;
}

// Larger objects of a shared arena, and those that it has no place for, have slabs of one
// size.
void *
allocate_for (owner o, size_t bytes)
{
  if (o.first < MPRT_SHARED_HALF)
    return allocate_in (o, bytes);
  void *p = bytes <= k_max_mixed ? allocate_mixed (o, bytes) : nullptr;
  return p ? p : allocate_in ({ o.site, 0 }, bytes);
}

void *
reserve (size_t bytes)
{
  void *p = mmap (nullptr, bytes, PROT_NONE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

} // anonymous namespace

void *
allocate (size_t bytes, mprt_site_cell *cell)
{
  if (!active () || !current.small)
    return nullptr;
  uint16_t site = site_of (cell);
  return site ? allocate_for ({ site, cell->first }, bytes) : nullptr;
}

void *
allocate_like (const void *neighbour, size_t bytes)
{
  const slab &s = slabs[number_of (neighbour)];
  return bytes <= k_max_small ? allocate_for ({ s.site, s.first }, bytes) : nullptr;
}

void
release (void *p)
{
  uint32_t number = number_of (p);
  slab &s = slabs[number];
  stripe &owner = stripes[s.stripe];
  locked hold (owner.lock);
  if (!s.object_bytes)
    return release_mixed (p, number);
  bin &b = owner.bins[s.site][s.size_class];
  *static_cast<void **> (p) = s.dead;
  s.dead = p;
  s.live--;
  if (b.current == number + 1)
    {
      // Empty: in the order of addresses again.
      if (!s.live)
	{
	  s.dead = nullptr;
	  s.rest = first_object (number);
	}
      return;
    }
  if (!s.listed)
    list (b, number);
  if ((s.live && !seeded (fault::live_slabs)) || seeded (fault::kept_slabs))
    return;
  unlist (b, number);
  give_slab_back (number);
}

size_t
usable_size (const void *p)
{
  const uint32_t number = number_of (p);
  return slabs[number].object_bytes
	   ? slabs[number].object_bytes
	   : mixed_bytes (mixed_of (number).class_at (p));
}

bool
open_region (size_t limit)
{
  size_t bytes = (limit + k_slab_bytes - 1) & -k_slab_bytes;
  char *p = static_cast<char *> (reserve (bytes + k_slab_bytes));
  if (!p || !bytes)
    return false;
  uintptr_t begin
    = (reinterpret_cast<uintptr_t> (p) + k_slab_bytes - 1) & -k_slab_bytes;
  // Zero pages until they are written to.
  slab_limit = bytes / k_slab_bytes;
  size_t tables = sizeof (stripe) * k_stripes + sizeof (slab) * slab_limit;
  void *t = mmap (nullptr, tables, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (t == MAP_FAILED)
    {
      munmap (p, bytes + k_slab_bytes);
      return false;
    }
  stripes = static_cast<stripe *> (t);
  slabs = reinterpret_cast<slab *> (stripes + k_stripes);
  region.begin = begin;
  __atomic_store_n (&region.bytes, bytes, __ATOMIC_RELEASE);
  return true;
}

usage
current_usage ()
{
  return { slabs_now, slabs_peak, sites };
}

void
lock_all ()
{
  for (unsigned i = 0; stripes && i < k_stripes; i++)
    locked::take (stripes[i].lock);
  locked::take (region_lock);
  forking = self ();
  if (seeded (fault::fork_locks))
    locked_in = getpid ();
}

void
unlock_all ()
{
  forking = nullptr;
  if (seeded (fault::fork_locks) && getpid () != locked_in)
    return;
  locked::give (region_lock);
  for (unsigned i = 0; stripes && i < k_stripes; i++)
    locked::give (stripes[i].lock);
}

} // namespace mprt_arena
