/* hand_arena.h - what a person would write to get huge pages, as a yardstick.
   SPDX-License-Identifier: GPL-3.0-or-later

   hand_node (pool, size): nodes of one kind one after the other, in blocks of
   32 MB with huge pages; never freed.  hand_array (size): one zeroed block.  */

#ifndef HAND_ARENA_H
#define HAND_ARENA_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct hand_pool
{
  char *at, *end;
};

static void *
hand_array (size_t size)
{
  size_t huge = (size_t) 2 << 20, all = (size + huge - 1) & -huge;
  char *p = (char *) mmap (NULL, all + huge, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED)
    exit (2);
  p += -(size_t) p & (huge - 1);
  madvise (p, all, MADV_HUGEPAGE);
  return p;
}

static inline void *
hand_node (struct hand_pool *pool, size_t size)
{
  if ((size_t) (pool->end - pool->at) < size)
    {
      size_t block = (size_t) 32 << 20;
      pool->at = (char *) hand_array (block);
      pool->end = pool->at + block;
    }
  char *p = pool->at;
  pool->at += (size + 15) & -(size_t) 16;
  return p;
}

#endif
