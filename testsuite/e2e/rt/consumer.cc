// consumer.cc - a backend for tests of the runtime: it counts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Started by the runtime as `consumer --attach 3'.  Reads the rings by the rules
// of runtime/wire/ring.h and appends to the file output= of MPRT_OPTIONS, when the
// program has ended (or was killed):
//
//   process end=exit status=3 loads=10 stores=10 births=3 deaths=2 reallocs=1
//     units=1 unloads=1 threads=2 signals=0 lost=0 tickets=12 live=1 complete=1
//   thread=1 loads=5 stores=0          (one line per thread that recorded)
//
// It checks what it reads (record lengths, ticket order, signal positions); a
// fault is a line `fault: ...'.  fault=late makes it begin after a second,
// fault=slow sleep at each chunk, fault=die end after the first one; fault=fail
// reports a failure.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <linux/futex.h>
#include <map>
#include <string>
#include <vector>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "runtime/wire/record.h"
#include "runtime/wire/ring.h"
#include "runtime/wire/site_table.h"

namespace {

char *base;
mprt_shared *shared;
std::string faults;

template <typename T>
T
acquire (const T *p)
{
  return __atomic_load_n (p, __ATOMIC_ACQUIRE);
}

template <typename T>
void
release (T *p, T value)
{
  __atomic_store_n (p, value, __ATOMIC_RELEASE);
}

std::string
option (const char *key)
{
  std::string text = std::string (":") + shared->options;
  for (char &c : text)
    if (c == ' ')
      c = ':';
  std::string start = std::string (":") + key + "=";
  size_t at = text.find (start);
  if (at == std::string::npos)
    return "";
  at += start.size ();
  return text.substr (at, text.find (':', at) - at);
}

void
fault (const std::string &what)
{
  faults += "fault: " + what + "\n";
}

struct Counts
{
  uint64_t loads = 0, stores = 0;
};

struct Totals
{
  uint64_t births = 0, deaths = 0, reallocs = 0, units = 0, unloads = 0;
  uint64_t threads = 0, signals = 0, lost = 0, tickets = 0;
  const char *end = "none";
  uint64_t status = 0;
  std::map<uint32_t, Counts> by_thread;
  std::map<uint64_t, bool> store_descriptor; // address: is it a store?
  std::map<uint64_t, std::pair<uint64_t, uint64_t>> tables;
};

Totals totals;

struct Reader
{
  mprt_ring *ring;
  uint32_t index;
  uint64_t position = 0;
  bool blocked = false; // at a ticket that is not the next one
  uint64_t interrupts = ~0ull; // of a signal ring inside a handler: P of its ENTER
};

char *
chunk (const mprt_ring *ring, uint64_t position)
{
  uint32_t index = ring->queue[position / MPRT_CHUNK_BYTES % MPRT_QUEUE];
  return base + MPRT_CHUNKS_OFFSET + uint64_t (index) * MPRT_CHUNK_BYTES;
}

// The last ticket that has been passed.
uint64_t passed;

uint64_t
ticket_of (unsigned kind, const uint64_t *record, unsigned words)
{
  switch (kind)
    {
    case MPRT_TICKET:
    case MPRT_BIRTH:
    case MPRT_DEATH:
    case MPRT_REALLOC_REQUEST:
    case MPRT_REALLOC_RESULT:
    case MPRT_THREAD_END:
      return record[words - 1];
    case MPRT_THREAD_START:
      return record[2];
    default:
      return 0;
    }
}

void
note_data (const uint64_t *record)
{
  // Descriptor tables of hand.h: 16 words, two descriptors.
  if (record[2] == 128)
    {
      uint64_t descriptor = record[1];
      for (unsigned i = 0; i < 2; i++)
	totals.store_descriptor[descriptor + i * 64]
	  = MPRT_ENTRY_OP (record[3 + i * 8 + 1]) == MPRT_OP_STORE;
    }
}

Reader readers[MPRT_RINGS];

std::map<uint64_t, mprt_live_object> live;

void
give_snapshot (uint32_t token)
{
  int fd = memfd_create ("snapshot", MFD_CLOEXEC);
  for (auto &[address, object] : live)
    if (write (fd, &object, sizeof object) != sizeof object)
      fault ("cannot write the snapshot");
  struct stat file = {};
  fstat (fd, &file);
  shared->snapshot_inode = file.st_ino;
  shared->snapshot_fd = uint32_t (fd);
  shared->snapshot_objects = live.size ();
  release (&shared->snapshot_token, token);
  syscall (SYS_futex, &shared->snapshot_token, FUTEX_WAKE, 1000, 0, 0, 0);
}

bool
take_control (Reader &reader, unsigned kind, const uint64_t *record, unsigned words)
{
  uint64_t ticket = ticket_of (kind, record, words);
  if (ticket)
    {
      if (ticket != passed + 1)
	{
	  if (ticket <= passed)
	    fault ("ticket " + std::to_string (ticket) + " twice");
	  reader.blocked = ticket > passed;
	  return false;
	}
      passed = ticket;
      totals.tickets++;
    }
  switch (kind)
    {
    case MPRT_UNIT_LOAD: totals.units++; break;
    case MPRT_UNIT_UNLOAD: totals.unloads++; break;
    case MPRT_BIRTH:
      if (record[5] == MPRT_UNMAP)
	{
	  // Only whole mappings end here.
	  totals.deaths += live.erase (record[1]);
	  break;
	}
      totals.births++;
      live[record[1]] = { record[1], record[2], record[3], record[4], record[5] };
      break;
    case MPRT_DEATH: totals.deaths++; live.erase (record[1]); break;
    case MPRT_REALLOC_RESULT:
      totals.reallocs++;
      if (record[2])
	{
	  live.erase (record[1]);
	  live[record[2]] = { record[2], record[3], record[4], record[5], record[6] };
	}
      break;
    case MPRT_THREAD_START: totals.threads++; break;
    case MPRT_LOST: totals.lost += record[1]; break;
    case MPRT_DATA: note_data (record); break;
    case MPRT_PROGRAM_END:
      totals.end = record[1] == MPRT_END_EXIT ? "exit" : "exec";
      totals.status = record[2];
      break;
    case MPRT_SNAPSHOT: give_snapshot (uint32_t (record[1])); break;
    case MPRT_SIGNAL_ENTER:
      totals.signals++;
      if (record[1] >= MPRT_RINGS)
	fault ("signal interrupts no ring");
      else if (readers[record[1]].position > record[2])
	fault ("a handler's records come too late");
      reader.interrupts = record[2];
      break;
    case MPRT_SIGNAL_EXIT: reader.interrupts = ~0ull; break;
    case MPRT_CHUNK_END: case MPRT_TICKET: case MPRT_UNIT_READY:
    case MPRT_THREAD_END: case MPRT_REALLOC_REQUEST:
      break;
    default:
      fault ("unknown record " + std::to_string (kind));
    }
  return true;
}

void
pass_chunk (Reader &reader, char *start)
{
  memset (start, 0, MPRT_CHUNK_BYTES);
  std::string how = option ("fault");
  if (how == "slow")
    usleep (20000);
  if (how == "die")
    _exit (1);
  (void) reader;
}

void
tell_producer (Reader &reader)
{
  mprt_ring *ring = reader.ring;
  __atomic_store_n (&ring->consumed, reader.position, __ATOMIC_SEQ_CST);
  __atomic_add_fetch (&ring->consumed_futex, 1, __ATOMIC_SEQ_CST);
  if (__atomic_exchange_n (&ring->producer_waiting, 0, __ATOMIC_SEQ_CST))
    syscall (SYS_futex, &ring->consumed_futex, FUTEX_WAKE, 1000, 0, 0, 0);
}

std::vector<uint32_t> signal_rings; // in use

void
find_signal_rings ()
{
  signal_rings.clear ();
  for (Reader &reader : readers)
    if (acquire (&reader.ring->state) != MPRT_RING_FREE && reader.ring->signal_of)
      signal_rings.push_back (reader.index);
}

// The least position at which a handler's records must be read first.
uint64_t
barrier_of (Reader &reader)
{
  for (uint32_t index : signal_rings)
    if (Reader &other = readers[index];
	other.ring->signal_of == reader.index + 1)
      {
	// A handler whose end is not read yet: the next one may come after it.
	if (other.interrupts != ~0ull)
	  return other.interrupts;
	uint64_t published = acquire (&other.ring->published);
	if (other.position < published)
	  {
	    const uint64_t *record = reinterpret_cast<uint64_t *> (
	      chunk (other.ring, other.position)
	      + other.position % MPRT_CHUNK_BYTES);
	    if (record[0] == MPRT_CONTROL_HEADER (MPRT_SIGNAL_ENTER, 3))
	      return record[2];
	    if (record[0] == MPRT_CONTROL_HEADER (MPRT_CHUNK_END, 1))
	      return reader.position;
	  }
      }
  return ~0ull;
}

// Reads up to END (or, after a crash, to the first zero header).
bool
read_ring (Reader &reader, uint64_t end, bool crashed)
{
  bool moved = false;
  mprt_ring *ring = reader.ring;
  Counts &counts = totals.by_thread[ring->thread];
  reader.blocked = false;
  while (reader.position < end || crashed)
    {
      char *start = chunk (ring, reader.position);
      uint64_t *record = reinterpret_cast<uint64_t *> (
	start + reader.position % MPRT_CHUNK_BYTES);
      uint64_t header = record[0];
      unsigned words = header & MPRT_LENGTH_MASK;
      if (!header && crashed)
	break;
      if (!words)
	{
	  fault ("a record without length");
	  reader.position = end;
	  break;
	}
      if (header >= MPRT_CONTROL_LIMIT)
	{
	  auto found = totals.store_descriptor.find (header & ~63ull);
	  if (found == totals.store_descriptor.end ())
	    fault ("unknown descriptor");
	  else
	    (found->second ? counts.stores : counts.loads)++;
	  reader.position += words * 8;
	}
      else
	{
	  unsigned kind = MPRT_CONTROL_KIND (header);
	  if (!take_control (reader, kind, record, words))
	    break;
	  if (kind == MPRT_CHUNK_END)
	    {
	      reader.position
		= (reader.position / MPRT_CHUNK_BYTES + 1) * MPRT_CHUNK_BYTES;
	      pass_chunk (reader, start);
	      tell_producer (reader);
	    }
	  else
	    {
	      reader.position += words * 8;
	      if (kind == MPRT_DATA)
		reader.position += (record[2] + 7) & ~7ull;
	    }
	}
      moved = true;
    }
  if (moved)
    tell_producer (reader);
  return moved;
}

void
free_ring (Reader &reader)
{
  mprt_ring *ring = reader.ring;
  uint64_t last = reader.position / MPRT_CHUNK_BYTES;
  bool given[MPRT_CHUNKS] = {};
  while (__atomic_exchange_n (&shared->pool_lock, 2, __ATOMIC_ACQUIRE))
    syscall (SYS_futex, &shared->pool_lock, FUTEX_WAIT, 2, 0, 0, 0);
  for (uint64_t s = last < MPRT_QUEUE ? 0 : last - MPRT_QUEUE + 1; s <= last; s++)
    {
      uint32_t index = ring->queue[s % MPRT_QUEUE];
      if (given[index])
	continue;
      given[index] = true;
      memset (base + MPRT_CHUNKS_OFFSET + uint64_t (index) * MPRT_CHUNK_BYTES, 0,
	      MPRT_CHUNK_BYTES);
      shared->pool_free[shared->pool_free_count++] = index;
    }
  release (&shared->pool_lock, 0u);
  syscall (SYS_futex, &shared->pool_lock, FUTEX_WAKE, 1, 0, 0, 0);
  ring->published = ring->consumed = 0;
  ring->signal_of = 0;
  reader.position = 0;
  reader.interrupts = ~0ull;
  release (&ring->state, uint32_t (MPRT_RING_FREE));
  __atomic_add_fetch (&shared->freed, 1, __ATOMIC_SEQ_CST);
  if (acquire (&shared->freed_waiting))
    syscall (SYS_futex, &shared->freed, FUTEX_WAKE, 1, 0, 0, 0);
}

bool
pass_over_rings (bool crashed)
{
  struct Seen
  {
    Reader *reader;
    uint32_t state;
    uint64_t end;
  };
  static std::vector<Seen> seen;
  seen.clear ();
  for (Reader &reader : readers)
    if (uint32_t state = acquire (&reader.ring->state); state != MPRT_RING_FREE)
      if (uint64_t end = acquire (&reader.ring->published))
	seen.push_back ({ &reader, state, end });
  // Only now: what interrupts a ring before its `end' can be seen.
  find_signal_rings ();
  bool moved = false;
  for (auto &[reader, state, end] : seen)
    {
      uint64_t barrier = barrier_of (*reader);
      bool whole = barrier >= end;
      moved |= read_ring (*reader, whole ? end : barrier, crashed && whole);
      if (state == MPRT_RING_ENDED && reader->position >= end)
	{
	  free_ring (*reader);
	  moved = true;
	}
    }
  return moved;
}

// At the end a thread may have taken a ticket without having written it.
bool
skip_ticket ()
{
  bool blocked = false;
  for (Reader &reader : readers)
    blocked |= reader.blocked;
  passed += blocked;
  return blocked;
}

void
report (bool complete)
{
  FILE *out = fopen (option ("output").c_str (), "a");
  if (!out)
    return;
  Counts all;
  std::string threads;
  for (auto &[number, counts] : totals.by_thread)
    {
      all.loads += counts.loads;
      all.stores += counts.stores;
      threads += "thread=" + std::to_string (number)
		 + " loads=" + std::to_string (counts.loads)
		 + " stores=" + std::to_string (counts.stores) + "\n";
    }
  fprintf (out,
	   "process end=%s status=%lu loads=%lu stores=%lu births=%lu deaths=%lu "
	   "reallocs=%lu units=%lu unloads=%lu threads=%lu signals=%lu lost=%lu "
	   "tickets=%lu live=%lu complete=%d\n%s%s",
	   totals.end, totals.status, all.loads, all.stores, totals.births,
	   totals.deaths, totals.reallocs, totals.units, totals.unloads,
	   totals.threads, totals.signals, totals.lost + shared->events_lost,
	   totals.tickets, live.size (), complete, threads.c_str (), faults.c_str ());
  fclose (out);
}

} // namespace

int
main (int argc, char **argv)
{
  if (argc != 3 || strcmp (argv[1], "--attach"))
    return 2;
  int fd = atoi (argv[2]);
  base = static_cast<char *> (mmap (nullptr, MPRT_SHARED_BYTES,
				    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  if (base == MAP_FAILED)
    return 2;
  shared = reinterpret_cast<mprt_shared *> (base);
  mprt_ring *rings = reinterpret_cast<mprt_ring *> (base + MPRT_RINGS_OFFSET);
  for (uint32_t i = 0; i < MPRT_RINGS; i++)
    readers[i].ring = rings + i, readers[i].index = i;
  release (&shared->phase, uint32_t (MPRT_RUNNING));
  int program = static_cast<int> (syscall (SYS_pidfd_open, shared->program_pid, 0));
  bool ending = false, dead = program < 0;
  if (option ("fault") == "late")
    sleep (1);
  for (;;)
    {
      uint32_t work = acquire (&shared->work);
      __atomic_store_n (&shared->backend_waiting, 1u, __ATOMIC_SEQ_CST);
      ending = acquire (&shared->ending);
      if (pass_over_rings (dead))
	continue;
      if ((ending || dead) && !skip_ticket ())
	break;
      timespec limit = { 0, 200 * 1000 * 1000 };
      syscall (SYS_futex, &shared->work, FUTEX_WAIT, work, &limit, 0, 0);
      pollfd query = { program, POLLIN, 0 };
      dead = poll (&query, 1, 0) == 1;
    }
  if (option ("fault") == "fail")
    {
      strcpy (shared->message, "the profile cannot be written: asked to fail");
      release (&shared->phase, uint32_t (MPRT_FAILED));
    }
  else
    {
      report (!dead);
      release (&shared->phase, uint32_t (MPRT_FINISHED));
    }
  syscall (SYS_futex, &shared->phase, FUTEX_WAKE, 1000, 0, 0, 0);
  return 0;
}
