// mprt_witness.cc - sample mode: stores of whole loops outside of bursts.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// An array is often initialised by one loop that is executed once, and one range
// record describes it.  That a burst begins there is unlikely, and then nobody
// would know who wrote what the rest of the run reads.  So plain bodies tell of
// such loops, if they store 4 KB at least (plugin/record_emit.cc): of the first
// times, and then seldom, for a loop that is executed often has its bursts.

#include "mprt_internal.h"

namespace mprt {

// So many executions of a loop are told of, then one in so many.
constexpr uint32_t k_first = 16, k_seldom = 256;

// How many there were, of the loops whose headers meet here.  Threads may lose
// counts to each other.
static uint32_t executions[1024];

static uint32_t &
executions_of (uint64_t header)
{
  return executions[(header / MPRT_DESC_ALIGN ^ header >> 16) % 1024];
}

} // namespace mprt

using namespace mprt;

void
__mprt_witness (uint64_t header, ...)
{
  Thread &thread = self;
  uint32_t n = executions_of (header)++;
  if (MPRT_LIKELY (n >= k_first && n % k_seldom != 0))
    return;
  if (thread.in_burst || thread.level || !recording () || process.ended
      || !process.sampling || load (&stopped))
    return;
  OnRing on_ring;
  uint64_t *record = reserve ();
  unsigned words = header & MPRT_LENGTH_MASK;
  record[1] = n < k_first ? 1 : k_seldom;
  record[2] = header;
  __builtin_va_list list;
  __builtin_va_start (list, header);
  for (unsigned i = 1; i < words; i++)
    record[i + 2] = __builtin_va_arg (list, uint64_t);
  __builtin_va_end (list);
  compiler_barrier ();
  record[0] = MPRT_CONTROL_HEADER (MPRT_WITNESS, words + 2);
  commit (record, words + 2);
}
