/* ring.h - the shared memory between the instrumented program and
   memprof-backend, and the same stream in a file.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   One memfd, mapped by both sides:

     struct mprt_shared                       at 0
     struct mprt_ring[MPRT_RINGS]             at MPRT_RINGS_OFFSET
     chunks[MPRT_CHUNKS], 64 KB each          at MPRT_CHUNKS_OFFSET
                                              (sparse until used)
   MPRT_SHARED_BYTES in all; the producer makes the memfd that long at once and
   never shortens it (it seals F_SEAL_SHRINK).

   Ring: single producer (a thread, or its signal handlers on a ring of their
   own), single consumer (the backend).  The producer fills chunks in sequence
   0, 1, 2, ...; `queue[s % MPRT_QUEUE]' is the pool index of the chunk with
   sequence number s.  Positions are byte counts that only grow:
   position = sequence * MPRT_CHUNK_BYTES + offset.

       consumed <= published <= cursor (private to the producer's thread)

   The consumer may read [consumed, published); the producer may reuse the
   chunk of sequence s once consumed >= (s + 1) * MPRT_CHUNK_BYTES.  A ring
   owns at most MPRT_RING_CHUNKS chunks, in sample mode MPRT_SAMPLE_CHUNKS; it starts
   with 2 and takes more from the pool only when the consumer is late, and only while
   the pool keeps MPRT_CHUNKS_KEPT: two for each ring there can be, so that no ring ever
   waits for its first two until another thread ends.  The producer publishes when it
   leaves a chunk (after writing MPRT_CHUNK_END; published is then the start of
   the next chunk, whose queue entry is written first), takes a ticket, blocks,
   leaves a signal handler, or ends.  The consumer zeroes a chunk before it lets go of it, so that after a
   crash it can read on after `published' up to the first zero header word.

   Ring life: FREE -> LIVE (a thread's first record) -> ENDED (thread ended;
   published is final) -> FREE (the backend has consumed all and resets it; its
   chunks go back to the pool).  A thread that finds no free ring, but ended
   ones, sleeps on `freed', which changes when a ring becomes free.

   The pool's lock is 0 when free, 1 when held, 2 when held and someone may
   sleep on it: the thread that unlocks it then wakes one.

   Signal ring: SIGNAL_ENTER holds the published position P of the interrupted
   ring.  The consumer reads that ring up to P, then the signal ring up to its
   SIGNAL_EXIT, then goes on.  The handler's thread publishes the interrupted
   ring before SIGNAL_ENTER, and the signal ring after SIGNAL_EXIT.

   Order between threads.  A shared counter hands out tickets 1, 2, 3, ....
   One is taken before each release, after each acquire, at each birth and
   death; it is written into the thread's stream (MPRT_TICKET or a ticket
   field) and the stream is published up to it at once.  The consumer may go on
   in any stream up to the next ticket; it passes ticket n only when it has
   passed 1 .. n-1.  So when access a happens before access b in another
   thread, a's release ticket is smaller than b's acquire ticket and a is
   consumed first.  While the process has one thread, tickets are 0 and nothing
   waits.

   Sleeping.  A side that sleeps stores 1 in its *_waiting word and futex-waits
   on the word that the other side changes (at most a second: then it checks
   that the other side is alive).  A thread that waits for room is woken when a quarter of
   MPRT_RING_CHUNKS, or fewer, are left to read.  In sample mode what is published
   wakes no thread until it is some chunks, or a thread waits.

   Memory order.  Processors may show the stores of a thread to others in another order.  So each hand-over
   has one word, which its giver stores with release, after all that belongs to it, and its taker loads with
   acquire, before it looks at anything else:

     word             from       to         what belongs to it
     published        producer   consumer   records, entries of `queue', thread, signal_of
     state ENDED      producer   consumer   the last `published'
     consumed         consumer   producer   chunks that are zero again
     state FREE       consumer   producer   a ring that is reset
     pool_lock        each       the next   the list of free chunks
     phase            backend    program    message
     snapshot_token   backend    program    snapshot_fd, snapshot_objects
     ending           program    backend    all that the program has published

   So record words and the cursor are ordinary stores, in compiled code, too: no other thread reads them
   before `published'.  Signal handlers run in the same thread, which sees its own stores in order.  The
   kernel orders all stores of a process before its end.  What is left are threads that still run when their
   program ends: their records after `published' are looked at twice, with a barrier for all
   processors between (runtime/backend/stream/shm_source.cc).

   The sleeper and its waker store their own word and then load the other's, both sequentially consistent:
   *_waiting and work, consumed_futex or freed.  So at least one of them sees the other.

   Unit load.  MPRT_UNIT_LOAD, then DATA records, then MPRT_UNIT_READY,
   with no other record of that stream between them.  The `address' of DATA
   says what it carries: first struct mprt_unit itself (address = the unit),
   which names the rest: the blob, the struct mprt_desc_table array, each
   descriptor table, the array of global addresses; last, at address 0, the
   path of the file that contains the unit.  Long data is cut into several
   DATA records at increasing addresses (at increasing offsets for the path).

   Fork.  The child starts a stream of its own and must know the objects that
   were born before.  The parent writes MPRT_SNAPSHOT and waits; the backend,
   when it has read up to there, puts an array of struct mprt_live_object, in the
   order of addresses, into a memfd of its own, sets snapshot_fd and
   snapshot_objects, then snapshot_token (futex).  The program maps
   /proc/BACKEND/fd/FD; the backend keeps the memfd until the next snapshot.

   Stream file: struct mprt_stream_header, then frames: struct mprt_frame and
   `bytes' bytes of stream (whole records, of one ring, in order).  Positions in
   a file are those that the ring would have: CHUNK_END rounds up to the next
   multiple of MPRT_CHUNK_BYTES, and a ring starts again at 0 when its thread
   number changes.  */

#ifndef MEMPROF_WIRE_RING_H
#define MEMPROF_WIRE_RING_H

#include <stdint.h>
#include "record.h"

#define MPRT_SHARED_MAGIC 0x524852535452504dull /* "MPRTSHHR" */
#define MPRT_STREAM_MAGIC 0x4d525453545250ffull

enum
{
  MPRT_CHUNK_BYTES = 65536,
  MPRT_CHUNKS = 4096,		/* 256 MB for all rings together */
  MPRT_RINGS = 1024,
  MPRT_CHUNKS_KEPT = 2 * MPRT_RINGS,
  MPRT_RING_CHUNKS = 16,	/* 1 MB per ring at most: it stays in the caches */
  /* 8 MB: bursts are densest at the start, while the backend reads the unit.  */
  MPRT_SAMPLE_CHUNKS = 128,
  MPRT_QUEUE = 128,
  MPRT_RINGS_OFFSET = 65536,
  MPRT_CHUNKS_OFFSET = MPRT_RINGS_OFFSET + MPRT_RINGS * 640
};
#define MPRT_SHARED_BYTES                                                      \
  (MPRT_CHUNKS_OFFSET + (uint64_t) MPRT_CHUNKS * MPRT_CHUNK_BYTES)

enum mprt_ring_state { MPRT_RING_FREE, MPRT_RING_LIVE, MPRT_RING_ENDED };

struct mprt_ring
{
  /* Written by the producer.  */
  uint64_t published;
  uint32_t state;		/* enum mprt_ring_state */
  uint32_t thread;		/* thread number, 0 = main */
  uint32_t signal_of;		/* ring number + 1 if this is a signal ring */
  uint32_t producer_waiting;
  uint64_t pad0[5];
  /* Written by the consumer; a line of its own.  */
  uint64_t consumed;
  uint32_t consumed_futex;	/* changes whenever consumed does */
  uint32_t pad1;
  uint64_t pad2[6];
  uint32_t queue[MPRT_QUEUE];
};

/* enum mprt_phase: which process waits for what.  */
enum mprt_phase
{
  MPRT_STARTING,	/* backend not attached yet */
  MPRT_RUNNING,		/* backend reads */
  MPRT_FINISHED,	/* the profile is in its place */
  MPRT_FAILED,		/* the backend gave up: see message */
  MPRT_WRITING		/* the profile may be in its place, or not */
};

struct mprt_shared
{
  uint64_t magic;
  uint32_t abi, bytes;		/* of this struct */
  uint32_t program_pid, backend_pid;
  uint32_t phase;		/* enum mprt_phase; written by the backend, futex */
  uint32_t ending;		/* the program has asked for the end (1) */
  uint32_t work;		/* futex: changes when something was published */
  uint32_t backend_waiting;
  uint32_t next_free_ring_hint, threads_started;
  uint64_t next_ticket;		/* last ticket handed out */
  uint64_t events_lost;
  uint64_t start_ns;		/* CLOCK_MONOTONIC at start */
  uint32_t pool_lock;		/* of the chunk pool; futex */
  uint32_t pool_fresh;		/* chunks [pool_fresh, MPRT_CHUNKS) never used */
  uint32_t pool_free_count;
  uint32_t snapshot_token;	/* the last one answered */
  uint64_t snapshot_objects;
  uint64_t snapshot_inode;	/* of the file of snapshot_fd */
  uint32_t snapshot_fd;		/* a descriptor of the backend */
  uint32_t freed;		/* futex: changes when a ring becomes free */
  uint32_t freed_waiting;	/* how many threads sleep there */
  uint32_t enough;		/* the backend has seen enough bursts (1) */
  char program[4096];		/* path of the executable */
  char directory[4096];		/* working directory at start; empty: none */
  char options[512];		/* MPRT_OPTIONS */
  char message[256];		/* why FAILED */
  char rank[16];		/* of an MPI process, as text; empty: it is none */
  uint32_t pool_free[MPRT_CHUNKS];
  char command[4096];		/* arguments, NUL-separated */
};

/* The words of the BIRTH with which the object can be made again.  */
struct mprt_live_object
{
  uint64_t address, bytes, site, caller, allocator;
};

struct mprt_stream_header
{
  uint64_t magic;
  uint32_t abi, shared_bytes;	/* a struct mprt_shared follows */
};

struct mprt_frame
{
  uint32_t ring, thread, signal_of, bytes;
};

#ifdef __cplusplus
static_assert (sizeof (mprt_ring) == 640, "ring layout");
static_assert (sizeof (mprt_frame) == 16, "frame layout");
static_assert (sizeof (mprt_shared) <= MPRT_RINGS_OFFSET, "shared layout");
#endif

#endif
