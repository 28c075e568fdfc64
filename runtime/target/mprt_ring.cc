// mprt_ring.cc - the producer's side of a ring: chunks, publishing, waiting.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// The protocol is in runtime/wire/ring.h.  A record is written at the cursor;
// when the cursor reaches the limit, __mprt_slow (mprt_slow.cc) makes room:
//
//   1. the first record of a thread opens a ring (one chunk);
//   2. otherwise the ring goes on to its next chunk.  Its owned chunks are used
//      in turn; the oldest one is used again as soon as the consumer has read
//      it.  Only when the consumer is late, the ring takes one more chunk
//      from the pool (2 always, up to most_chunks ()), and then it waits.
//
// Going on to the next chunk, in this order, so that both the consumer after a
// crash and a signal handler at any instruction find a consistent ring:
//
//      queue entry of s + 1   CHUNK_END at the cursor   published = (s + 1) * 64 K
//      ring.sequence = s + 1   cursor = start of the chunk   limit
//
// Until the cursor has moved, it lies outside of the chunk of ring.sequence;
// position () then answers "start of that chunk".  A handler may leave by
// siglongjmp, and none of the steps that are left is made; the next record begins
// with the first one again, or with the cursor if the sequence is new already.  So
// a chunk from the pool is noted as spare at once and counts as owned last: with
// one too many, a chunk would be used again that the consumer has not read.
//
// The pool's lock is shared with the backend.  It is held for a few
// instructions, with signals blocked, so a handler never finds it held by the
// thread that it interrupted.
//
// Nothing here polls: a waiting thread sleeps on a futex, and wakes by itself once a
// second to check whether the backend is alive.

#include "mprt_internal.h"

#include <sys/mman.h>

namespace mprt {

static char *
pool_chunk (uint32_t index)
{
  return reinterpret_cast<char *> (process.shared) + MPRT_CHUNKS_OFFSET
	 + static_cast<uint64_t> (index) * MPRT_CHUNK_BYTES;
}

char *
chunk_address (const mprt_ring *ring, uint64_t sequence)
{
  return pool_chunk (ring->queue[sequence % MPRT_QUEUE]);
}

uint64_t
position (const Ring &ring, uint64_t cursor)
{
  uint64_t begin
    = reinterpret_cast<uint64_t> (chunk_address (ring.shared, ring.sequence));
  uint64_t offset = cursor - begin;
  if (offset > MPRT_CHUNK_BYTES)
    offset = 0;
  uint64_t here = ring.sequence * MPRT_CHUNK_BYTES + offset;
  return here > ring.shared->published ? here : ring.shared->published;
}

void
wake_backend ()
{
  mprt_shared *shared = process.shared;
  __atomic_add_fetch (&shared->work, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n (&shared->backend_waiting, __ATOMIC_SEQ_CST)
      && __atomic_exchange_n (&shared->backend_waiting, 0, __ATOMIC_SEQ_CST))
    futex_wake (&shared->work);
}

// Threads that wait for room; one too many does no harm. What holds up the backend may
// be in the ring of another.
static uint32_t waiting;

// To wake a processor that sleeps takes some 30 us in a guest, about what a burst takes.
// So in sample mode the backend is woken when it has something to do, or when a thread
// waits for it; and it checks at intervals by itself. At first a little is enough: what the
// program consists of takes it some time, for which the program should not wait at its end.
static bool
worth_waking (const Ring &ring, uint64_t to)
{
  constexpr uint64_t k_enough = 4 * MPRT_CHUNK_BYTES;
  uint64_t enough = ring.woken < k_enough ? ring.woken : k_enough;
  return !process.sampling || process.options.converge || to - ring.woken >= enough
	 || __atomic_load_n (&waiting, __ATOMIC_SEQ_CST);
}

void
publish (Ring &ring, uint64_t to)
{
  if (to <= ring.shared->published)
    return;
  if (process.mode == k_file)
    write_frame (ring, to);
  else
    {
      store (&ring.shared->published, to);
      if (process.mode == k_live && worth_waking (ring, to))
	{
	  ring.woken = to;
	  wake_backend ();
	}
    }
}

void
publish_own (uint64_t least)
{
  Thread &thread = self;
  if (thread.level > 1 || !recording () || thread.epoch != process.epoch)
    return;
  Ring &ring = thread.rings[thread.level];
  if (!ring.shared)
    return;
  uint64_t to = position (ring, __mprt_room.cursor);
  if (to - ring.shared->published >= least)
    publish (ring, to);
}

// Signals are blocked.  False if the runtime went off instead.
static bool
lock_pool ()
{
  while (recording ())
    {
      if (lock_word_within (&process.shared->pool_lock, 1000))
	return true;
      // A backend that was killed may have held it.
      check_backend ();
    }
  return false;
}

// Takes a chunk from the pool, unless it has no more than KEPT; k_no_ring then.
static uint32_t
take_chunk (uint32_t kept)
{
  mprt_shared *shared = process.shared;
  uint64_t mask;
  block_signals (&mask);
  uint32_t chunk = k_no_ring;
  if (lock_pool ())
    {
      uint32_t used = shared->pool_free_count;
      uint32_t fresh = MPRT_CHUNKS - shared->pool_fresh;
      if (used + fresh <= kept)
	;
      else if (used)
	chunk = shared->pool_free[--shared->pool_free_count];
      else
	chunk = shared->pool_fresh++;
      unlock_word (&shared->pool_lock);
    }
  restore_signals (&mask);
  return chunk;
}

// Waits until the consumer of RING has passed NEEDED; false if it never will.
static bool
wait_for_consumer (Ring &ring, uint64_t needed)
{
  while (recording ())
    {
      uint32_t seen = load (&ring.shared->consumed_futex);
      if (load (&ring.shared->consumed) >= needed)
	return true;
      __atomic_store_n (&ring.shared->producer_waiting, 1, __ATOMIC_SEQ_CST);
      if (__atomic_load_n (&ring.shared->consumed, __ATOMIC_SEQ_CST) >= needed)
	return true;
      if (futex_wait (&ring.shared->consumed_futex, seen, 1000))
	check_backend ();
    }
  return false;
}

// The same; whatever holds up the backend is published with a wake-up meanwhile.
static bool
wait_for_room (Ring &ring, uint64_t needed)
{
  __atomic_add_fetch (&waiting, 1, __ATOMIC_SEQ_CST);
  wake_backend ();
  bool passed = wait_for_consumer (ring, needed);
  __atomic_sub_fetch (&waiting, 1, __ATOMIC_SEQ_CST);
  return passed;
}

// That a ring may own.
static uint32_t
most_chunks ()
{
  return process.sampling ? MPRT_SAMPLE_CHUNKS : MPRT_RING_CHUNKS;
}

// The pool index of a chunk for sequence number NEXT, or k_no_ring.
static uint32_t
find_chunk (Ring &ring, uint64_t next)
{
  bool may_grow = ring.owned < most_chunks ();
  uint64_t needed
    = next >= ring.owned ? (next - ring.owned + 1) * MPRT_CHUNK_BYTES : 0;
  bool reusable
    = ring.owned >= 2 && load (&ring.shared->consumed) >= needed;
  if (!reusable && may_grow && !ring.spare)
    {
      uint64_t mask;
      block_signals (&mask);
      ring.spare = take_chunk (ring.owned < 2 ? 0 : MPRT_CHUNKS_KEPT) + 1;
      // A thread that is ahead of the backend fills it soon: all page faults at once.
      if (ring.spare && ring.owned >= 2)
	sys (SYS_madvise, as_long (pool_chunk (ring.spare - 1)), MPRT_CHUNK_BYTES,
	     MADV_POPULATE_WRITE);
      restore_signals (&mask);
    }
  if (!reusable && ring.spare)
    return ring.spare - 1;
  if (!reusable)
    {
      // What is parked before any unit registers may as well be forgotten.
      if (process.mode == k_parked)
	return k_no_ring;
      publish (ring, position (ring, __mprt_room.cursor));
      if (ring.owned < 2 || !wait_for_room (ring, needed))
	return k_no_ring;
    }
  uint32_t oldest = ring.shared->queue[(next - ring.owned) % MPRT_QUEUE];
  if (process.mode == k_file)
    clear_bytes (pool_chunk (oldest), MPRT_CHUNK_BYTES);
  return oldest;
}

// While records are parked the limit stays 0, so that the program's first record
// is noticed: it starts the backend.  The limit of another chunk would let a handler
// that leaves in between write on beyond the end of this one.
void
set_cursor (uint64_t cursor, uint64_t end)
{
  compiler_barrier ();
  __mprt_room.limit = 0;
  __mprt_room.cursor = cursor;
  __mprt_room.limit = process.mode == k_parked ? 0 : end - k_room_bytes;
}

static bool
next_chunk (Ring &ring)
{
  uint64_t next = ring.sequence + 1;
  uint32_t chunk = find_chunk (ring, next);
  if (chunk == k_no_ring)
    return false;
  ring.shared->queue[next % MPRT_QUEUE] = chunk;
  *at<uint64_t> (__mprt_room.cursor) = MPRT_CONTROL_HEADER (MPRT_CHUNK_END, 1);
  if (process.mode == k_file && ring.shared->published < next * MPRT_CHUNK_BYTES)
    {
      write_frame (ring, position (ring, __mprt_room.cursor) + 8);
      store (&ring.shared->consumed, next * MPRT_CHUNK_BYTES);
      store (&ring.shared->published, next * MPRT_CHUNK_BYTES);
    }
  else
    publish (ring, next * MPRT_CHUNK_BYTES);
  bool fresh = chunk + 1 == ring.spare;
  compiler_barrier ();
  if (fresh)
    ring.spare = 0;
  compiler_barrier ();
  ring.sequence = next;
  compiler_barrier ();
  ring.owned += fresh;
  uint64_t begin = reinterpret_cast<uint64_t> (pool_chunk (chunk));
  set_cursor (begin, begin + MPRT_CHUNK_BYTES);
  return true;
}

static mprt_ring *
all_rings ()
{
  return reinterpret_cast<mprt_ring *> (reinterpret_cast<char *> (process.shared)
					+ MPRT_RINGS_OFFSET);
}

// Makes a free ring this thread's; null if all are in use.  *PENDING: some are
// ended and will be free when the backend has read them.
static mprt_ring *
claim_slot (bool *pending)
{
  uint32_t hint = load (&process.shared->next_free_ring_hint);
  *pending = false;
  for (uint32_t i = 0; i < MPRT_RINGS; i++)
    {
      mprt_ring *slot = all_rings () + (hint + i) % MPRT_RINGS;
      uint32_t expected = load (&slot->state);
      if (expected == MPRT_RING_FREE
	  && __atomic_compare_exchange_n (&slot->state, &expected, MPRT_RING_LIVE,
					  false, __ATOMIC_ACQ_REL,
					  __ATOMIC_RELAXED))
	return slot;
      *pending |= expected == MPRT_RING_ENDED;
    }
  return nullptr;
}

// The same; waits for a ring that is ended.  Null if there is none.
//
// A ring that becomes free wakes one thread.  The thread that continues wakes the next, for it
// may have taken the last ring for which another one sleeps: that one must see
// that there is nothing to wait for.
static mprt_ring *
wait_for_slot ()
{
  mprt_shared *shared = process.shared;
  while (recording ())
    {
      uint32_t seen = load (&shared->freed);
      bool pending;
      mprt_ring *slot = claim_slot (&pending);
      // While records are parked, no process reads the ended rings.
      if (slot || !pending || process.mode == k_parked)
	{
	  if (__atomic_load_n (&shared->freed_waiting, __ATOMIC_SEQ_CST))
	    futex_wake (&shared->freed, 1);
	  return slot;
	}
      __atomic_add_fetch (&shared->freed_waiting, 1, __ATOMIC_SEQ_CST);
      if (futex_wait (&shared->freed, seen, 1000))
	check_backend ();
      __atomic_sub_fetch (&shared->freed_waiting, 1, __ATOMIC_SEQ_CST);
    }
  return nullptr;
}

// A ring of its own for the calling thread; signals are blocked.  A program with
// more than 1024 live threads loses the records of the rest.
static bool
claim_ring (Ring &ring)
{
  mprt_ring *slot = wait_for_slot ();
  if (!slot)
    return false;
  uint32_t chunk = take_chunk (0);
  if (chunk == k_no_ring)
    {
      store (&slot->state, MPRT_RING_FREE);
      return false;
    }
  uint32_t index = static_cast<uint32_t> (slot - all_rings ());
  store (&process.shared->next_free_ring_hint, index + 1);
  slot->queue[0] = chunk;
  ring = { slot, 0, 0, 0, index, 1, 0 };
  ring.cursor = reinterpret_cast<uint64_t> (pool_chunk (chunk));
  return true;
}

// Room in the ring that the thread writes to now.
bool
make_room (Ring &ring)
{
  uint64_t begin
    = reinterpret_cast<uint64_t> (chunk_address (ring.shared, ring.sequence));
  uint64_t cursor = __mprt_room.cursor;
  if (cursor - begin > MPRT_CHUNK_BYTES)
    cursor = begin;
  if (cursor - begin >= MPRT_CHUNK_BYTES - k_room_bytes)
    return next_chunk (ring);
  set_cursor (cursor, begin + MPRT_CHUNK_BYTES);
  return true;
}

// Opens the ring of LEVEL.  It becomes the active one unless a handler runs.
bool
open_ring (Thread &thread, uint32_t level)
{
  uint64_t mask;
  block_signals (&mask);
  Ring &ring = thread.rings[level];
  bool done = claim_ring (ring);
  if (done)
    {
      begin_thread ();
      ring.shared->thread = thread.number;
      ring.shared->signal_of = level ? thread.rings[0].index + 1 : 0;
      // THREAD_START goes to the new ring, whichever is active.
      uint64_t *record = at<uint64_t> (ring.cursor);
      if (level == 0)
	{
	  record[1] = thread.number;
	  record[2] = next_ticket ();
	  record[3] = thread.stack_low;
	  record[4] = thread.stack_end;
	  record[0] = MPRT_CONTROL_HEADER (MPRT_THREAD_START, 5);
	  ring.cursor += 5 * 8;
	  publish (ring, position (ring, ring.cursor));
	}
      // The limit follows in refill ().
      if (thread.level == level)
	__mprt_room.cursor = ring.cursor;
      else
	thread.interrupted[level] = { ring.cursor, 0 };
    }
  restore_signals (&mask);
  return done;
}

// In a file this side is its own consumer: the chunks go back to the pool.
static void
free_ring (Ring &ring)
{
  mprt_ring *shared = ring.shared;
  for (uint32_t i = 0; i < ring.owned; i++)
    clear_bytes (chunk_address (shared, ring.sequence - i), MPRT_CHUNK_BYTES);
  uint64_t mask;
  block_signals (&mask);
  if (lock_pool ())
    {
      mprt_shared *pool = process.shared;
      for (uint32_t i = 0; i < ring.owned; i++)
	pool->pool_free[pool->pool_free_count++]
	  = shared->queue[(ring.sequence - i) % MPRT_QUEUE];
      unlock_word (&pool->pool_lock);
      shared->published = shared->consumed = 0;
      store (&shared->state, MPRT_RING_FREE);
      __atomic_add_fetch (&pool->freed, 1, __ATOMIC_SEQ_CST);
      if (__atomic_load_n (&pool->freed_waiting, __ATOMIC_SEQ_CST))
	futex_wake (&pool->freed, 1);
    }
  restore_signals (&mask);
}

void
end_ring (Ring &ring)
{
  if (!ring.shared || !recording ())
    return;
  store (&ring.shared->state, MPRT_RING_ENDED);
  if (process.mode == k_live)
    wake_backend ();
  else if (process.mode == k_file)
    free_ring (ring);
  ring = {};
}

} // namespace mprt

// Instrumented code calls it after a record that is long work for the backend,
// before the loops that the record describes: they may fill no chunk until their end.
void
__mprt_publish ()
{
  if (mprt::process.mode == mprt::k_live)
    mprt::publish_own ();
}
