// arena.h - site arenas with huge pages, for programs built with -fprofile-mem-use.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Problem: nodes that malloc has spread among all other objects of a program
// miss the TLB on each visit, and each brings a line with unrelated objects into the cache.
//
// Idea: allocation calls that the profile picks call __mprt_hot_malloc (size,
// cell) instead of malloc (size).  Each such site has memory of its own:
//
//   region  one range of addresses, reserved at the first call, so that `is it
//           ours?' is one subtraction and one compare in free
//   slab    2 MB of it = one huge page; objects of one site and one size class
//   bin     (stripe, site, size class): the slabs with room for it
//   stripe  1/16 of the threads; one lock
//
//        region  |slab 0: site 1, 48 bytes|slab 1: site 2, 208 bytes|slab 2 ...
//
// Shared arenas.  Calls whose objects are used together have one cell, and so one arena, in
// whose slabs objects of all sizes up to 512 bytes lie in the order in which they were
// allocated (mixed_slab.h).  A bin of those takes another slab only when half of the bytes
// in its slabs are alive; other objects then come from slabs of one size.
//
// Larger than k_max_small: malloc does it.  From k_large bytes on, the whole
// pages of such a block are given huge pages (madvise); free needs no change.
// Where the profile knew which blocks of a site are worth it, the objects of the
// site are counted, and the others keep their small pages.
//
// Growth.  The first slab of a bin has pages of 4 KB, so a site with few objects
// takes no more than it touches; when it is full it becomes one huge page, and
// later slabs are huge from the start.  So a bin holds at most one slab more than
// twice over what it has filled; size classes round up by 25 % at most (16
// bytes below 1 KB).  A slab without live objects goes back to the system, the
// one that the next object comes from excepted.  Blocks of k_large bytes may become resident as a whole when
// touched sparsely.  Nothing more is given out by the region than half of
// the machine's memory, or MPRT_ARENA=limit=BYTES.
//
// Objects of one line.  Objects of 64 bytes could fill one line each.  That is best
// where they are visited at random.  Where neighbours are visited soon after each other,
// it is better that each object has half of two lines: then a visit fetches half of each
// neighbour, too.  malloc's objects are nearly always so.  The profile decides, and
// `first' of a site is the offset of its first such object in a slab, 0 or 32.  A tour
// through a million points of 56 bytes, 8 KB at a time, takes 1.7 times as long with 0
// (testsuite/bench/programs/tour.c).
//
// Right in all cases or switched off: no arena when THP is off, when another
// free or realloc than ours is the one that libraries call, and none for
// operator new when operator delete is not known to end in free.
//
// Calls whose objects need no memory of their own may still ask for huge pages for
// malloc's heap: arena_heap.cc.  Large variables get them before main: arena_variables.cc.
//
// Environment: MPRT_ARENA=off, limit=BYTES, report (a line on stderr at exit); separated by
// colons.
//
// For tests: -DMPRT_ARENA_FAULT=N leaves out one of the rules, see enum fault.
#ifndef MPRT_ARENA_H
#define MPRT_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/wire/arena_cell.h"

#pragma GCC visibility push(hidden)

namespace mprt_arena {

// Deliberate errors of faults.def; use/arena-faults.sh compiles the library with each.
enum class fault
{
  none,
#define FAULT(name, what, test) name,
#include "runtime/arena/faults.def"
};

#ifndef MPRT_ARENA_FAULT
#define MPRT_ARENA_FAULT none
#endif

constexpr bool
seeded (fault which)
{
  return which == fault::MPRT_ARENA_FAULT;
}

#define ARENA_UNLIKELY(x) __builtin_expect (!!(x), 0)

const size_t k_slab_bytes = size_t (2) << 20; // a huge page where small ones have 4 KB
const size_t k_max_small = 32 << 10;
const size_t k_line_bytes = 64;
const size_t k_mapped_alone = 32 << 20; // malloc's largest threshold
const size_t k_large = 4 << 20; // two huge pages at least have both ends in it
const unsigned k_sites = 256;   // site 0 represents none
const unsigned k_stripes = 16;

// Size classes: multiples of 16 up to 1 KB, then four per doubling.
const unsigned k_fine_classes = 64;
const unsigned k_classes = k_fine_classes + 4 * 5;

struct size_class
{
  unsigned number;
  size_t bytes;
};

// 1 KB and more: a line is added, for rows of a matrix would otherwise all start
// in the same set of the cache (malloc's header has that effect).
inline size_class
class_of (size_t bytes)
{
  if (bytes <= 16 * k_fine_classes)
    {
      unsigned number = bytes ? (bytes - 1) / 16 : 0;
      return { number, (number + 1) * size_t (16) };
    }
  unsigned top = 63 - __builtin_clzll (bytes - 1);
  unsigned quarter = ((bytes - 1) >> (top - 2)) & 3;
  return { k_fine_classes + (top - 10) * 4 + quarter,
	   (size_t (1) << top) + (quarter + 1) * (size_t (1) << (top - 2)) + 64 };
}

struct region_range
{
  uintptr_t begin;
  size_t bytes; // 0: there is none
};
extern region_range region;

// Also in a thread that has not seen the region open: a thread that sees its bytes sees where it begins.
inline bool
ours_p (const void *p)
{
  const size_t bytes = __atomic_load_n (&region.bytes, __ATOMIC_ACQUIRE);
  return reinterpret_cast<uintptr_t> (p) - region.begin < bytes;
}

#define ARENA_OPTIONAL __attribute__ ((weak)) // null in programs that do not want it

// arena_slabs.cc.  Null: use malloc.
ARENA_OPTIONAL void *allocate (size_t bytes, mprt_site_cell *cell);
void *allocate_like (const void *neighbour, size_t bytes);
void release (void *p);
size_t usable_size (const void *p);
// Takes the region; false when there is no memory for its tables.
bool open_region (size_t limit);
struct usage
{
  size_t slabs, slabs_peak, sites;
};
ARENA_OPTIONAL usage current_usage ();
void lock_all ();
void unlock_all ();

// arena_options.cc
struct user_options
{
  bool off, report;
  size_t limit; // 0: not said
};
user_options read_options (); // MPRT_ARENA
// Of this kernel.
size_t page_bytes ();

// Huge pages for all pages of a block; returns how many bytes got them.
size_t advise_pages (void *p, size_t bytes);

// arena_setup.cc
enum state
{
  UNKNOWN,
  ON,
  OFF
};
struct settings
{
  int state;
  bool small;		// objects may come from the region
  bool operator_new;	// ... also those of operator new
  size_t limit;
};
extern settings current;
// Decides at the first call of a site whether there is an arena.
void set_up ();
// Makes a huge page of one that has small pages already; does nothing before Linux 6.1.
void collapse_page (void *page);
void count_advised (size_t bytes);
void count_heap (size_t bytes);

inline bool
active ()
{
  // Acquire: a thread that sees ON sees the other settings, the region and its tables.
  int state = __atomic_load_n (&current.state, __ATOMIC_ACQUIRE);
  if (ARENA_UNLIKELY (state == UNKNOWN))
    {
      set_up ();
      state = __atomic_load_n (&current.state, __ATOMIC_ACQUIRE);
    }
  return state == ON;
}

// arena_heap.cc: gives the heap huge pages where it has grown; P, which malloc returned.
ARENA_OPTIONAL void *look_at_heap (void *p);

// arena_family.cc.  The region, of at most LIMIT bytes; false: there is none, since free is another's.
ARENA_OPTIONAL bool open_slabs (size_t limit);
// P is ours: as realloc, in CELL's arena; null: in the arena of P's site.
ARENA_OPTIONAL void *move (void *p, size_t bytes, mprt_site_cell *cell);
ARENA_OPTIONAL const void *own_free ();

// arena_new.cc: whether what operator new has returned gets to free in the end.
ARENA_OPTIONAL bool delete_ends_in_free_p ();

} // namespace mprt_arena

#pragma GCC visibility pop

#endif
