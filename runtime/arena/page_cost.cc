// page_cost.cc - what a huge page costs where the program runs.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Problem: the kernel clears a huge page in 0.1 ms, a seventh of what 512 small pages take.  In a
// virtual machine that gives unused memory back to its host (free page reporting), the host has to
// find the memory first, and then it takes 5 ms.  Small pages come from what was used a moment
// ago, which the host has not taken back.  A program of some seconds gets slower with huge pages
// there, whatever they spare it later.
//
// Idea: ask, touch some pages of what was asked for, and take the time.  If one is slow, the rest gets
// small pages, and so does everything else that is asked for in the next hundred times that time.
//
//   64 MB block   |2 MB touched: 4.9 ms|62 MB with small pages|     no huge pages for 490 ms
//
// Where the host is known to take memory back (the balloon's features), some pages are quick and the next
// one is not: then all pages of the first half are touched, one after the other, up to a slow one.
// Elsewhere one page of 64 MB is enough, and the others are placed by the thread that uses them.
//
// A touch changes nothing: it adds 0 to a byte, atomically.  The pages touched are some that the program was
// expected to touch, since huge pages are only asked for what is dense.
#include "runtime/arena/arena.h"
#include "runtime/arena/surroundings.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace mprt_arena {
namespace {

// Longer than small pages would take: 512 times 1.4 us.
const uint64_t k_slow = 1000000;
// No touch after a slow one for this many times its duration: slow ones take at most 1 % of the time.
const uint64_t k_rest = 100;
// Where the host is not known to be slow: bytes between two touched pages of a block, and the most that are touched.
const size_t k_apart = 64 << 20, k_most_touched = 8;

uint64_t slow_until; // nanoseconds; 0: no touch was slow

// Reads the first BYTES of the file NAME of virtio device NUMBER in FOLDER.
bool
read_device (const char *folder, unsigned number, const char *name, char *text, size_t bytes)
{
  char path[100];
  snprintf (path, sizeof path, "%s/virtio%u/%s", folder, number, name);
  const int file = open (path, O_RDONLY | O_CLOEXEC);
  const bool read_p = file >= 0 && read (file, text, bytes) == ssize_t (bytes);
  if (file >= 0)
    close (file);
  return read_p;
}

// Whether a balloon among the devices in FOLDER (device 5) tells the host which memory is free (feature 5).
bool
balloon_reports_p (const char *folder)
{
  char kind[6], features[6];
  for (unsigned number = 0; read_device (folder, number, "device", kind, sizeof kind); number++)
    if (memcmp (kind, "0x0005", sizeof kind) == 0
	&& read_device (folder, number, "features", features, sizeof features) && features[5] == '1')
      return true;
  return false;
}

enum { UNASKED, NO, YES };
int host_takes_memory;

bool
host_takes_memory_p ()
{
  int known = __atomic_load_n (&host_takes_memory, __ATOMIC_RELAXED);
  if (known == UNASKED)
    {
      known = balloon_reports_p ("/sys/bus/virtio/devices") ? YES : NO;
      __atomic_store_n (&host_takes_memory, known, __ATOMIC_RELAXED);
    }
  return known == YES;
}

} // anonymous namespace

bool
slow_pages_p ()
{
  const uint64_t until = __atomic_load_n (&slow_until, __ATOMIC_RELAXED);
  return ARENA_UNLIKELY (until) && nanoseconds () < until;
}

bool
slow_pages_met_p ()
{
  return __atomic_load_n (&slow_until, __ATOMIC_RELAXED);
}

bool
touch_page (void *page)
{
  const uint64_t start = nanoseconds ();
  __atomic_fetch_add (static_cast<char *> (page), 0, __ATOMIC_RELAXED);
  const uint64_t end = nanoseconds (), took = end - start;
  if (took < k_slow || read_options ().any_cost)
    return true;
  __atomic_store_n (&slow_until, end + k_rest * took, __ATOMIC_RELAXED);
  return false;
}

bool
touch_pages (char *begin, size_t bytes, soon_used used)
{
  char *page = reinterpret_cast<char *> ((reinterpret_cast<uintptr_t> (begin) + k_slab_bytes - 1) & -k_slab_bytes);
  const size_t before = page - begin;
  if (used == soon_used::nothing || bytes < before + k_slab_bytes)
    return true;
  if (used == soon_used::beginning)
    return touch_page (page);
  bytes -= before;
  size_t pages = 1 + bytes / k_apart, step = bytes / pages & -k_slab_bytes;
  if (pages > k_most_touched)
    pages = k_most_touched;
  if (host_takes_memory_p ())
    {
      pages = (bytes / 2 + k_slab_bytes - 1) / k_slab_bytes;
      step = k_slab_bytes;
    }
  for (size_t i = 0; i < pages; i++)
    if (!touch_page (page + i * step))
      return false;
  return true;
}

} // namespace mprt_arena
