// mixed_slab.h - the beginning of a slab with objects of several allocation calls.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Objects that are used together are to lie together, whatever their sizes.  So a slab of a
// shared arena has objects of all sizes up to 512 bytes, in the order in which they were
// allocated, and says itself which size lies where: a byte for each 16.
//
//   slab  |dead lists|size classes, a byte for each 16 bytes|entry 32|key 32|entry 32|key 48| ...
//
// The place of a dead object goes to the next one of its size in the slab.
#ifndef MPRT_MIXED_SLAB_H
#define MPRT_MIXED_SLAB_H

#include "runtime/arena/arena.h"

namespace mprt_arena {

const size_t k_max_mixed = 512;
const unsigned k_mixed_classes = k_max_mixed / 16;

// At the begin of the slab; zero at first.
struct mixed_slab
{
  void *dead[k_mixed_classes];
  uint8_t class_of[k_slab_bytes / 16];

  unsigned
  class_at (const void *p) const
  {
    return seeded (fault::mixed_sizes)
	     ? k_mixed_classes - 1
	     : class_of[(static_cast<const char *> (p)
			 - reinterpret_cast<const char *> (this)) / 16];
  }
  // An object of class C: at P, or where one of its size has died.
  void
  born (void *p, unsigned c)
  {
    class_of[(static_cast<char *> (p) - reinterpret_cast<char *> (this)) / 16] = c;
  }
  void *
  reuse (unsigned c)
  {
    void *p = dead[c];
    if (p)
      dead[c] = *static_cast<void **> (p);
    return p;
  }
  void
  died (void *p, unsigned c)
  {
    *static_cast<void **> (p) = dead[c];
    dead[c] = p;
  }
  void
  forget_dead ()
  {
    for (void *&list : dead)
      list = nullptr;
  }
};

// Offset of the first object.
const size_t k_mixed_first = (sizeof (mixed_slab) + k_line_bytes - 1) & -k_line_bytes;

inline size_t
mixed_bytes (unsigned c)
{
  return (c + 1) * size_t (16);
}

} // namespace mprt_arena

#endif
