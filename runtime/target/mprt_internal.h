/* mprt_internal.h - ground rules and state of the runtime.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   Ground rules.  This code runs inside other people's programs:

   * No libstdc++, exceptions, RTTI, static constructors, function-local
     statics; no malloc, stdio, locale, pthread mutexes; no `= {}' for what is large,
     of which compilers make a call of memset.  Memory comes from
     mmap.  System calls go through mprt_sys.h, so errno stays the program's;
     where a libc function is called, errno is saved around it.
   * What is reachable from __mprt_slow is async-signal-safe.  A thread has two
     rings: one for its ordinary code and one for its signal handlers; a handler
     never touches the ring that it interrupted (mprt_signals.cc).  Every change
     of a ring takes effect by one store, so that it can be found consistent at
     any instruction (position (), below).
   * Trouble is one line on stderr; then the runtime switches itself off.  The
     program's output, exit status, signals, children and descriptor numbers stay
     its own.

   Files, besides what their names say: mprt_ring.cc (chunks, publishing),
   mprt_slow.cc (where records go), mprt_shared.cc (start, off, again),
   mprt_spawn.cc and mprt_backend.cc (starting, watching, waiting),
   mprt_sync.cc and mprt_openmp.cc (tickets), mprt_hooks.h (interposing).  */

#ifndef MEMPROF_TARGET_MPRT_INTERNAL_H
#define MEMPROF_TARGET_MPRT_INTERNAL_H

#include "mprt_sys.h"
#include "runtime/wire/record.h"
#include "runtime/wire/ring.h"
#include "runtime/wire/site_table.h"

#define MPRT_EXPORT __attribute__ ((visibility ("default")))
#define MPRT_TLS __thread __attribute__ ((tls_model ("initial-exec")))

// Room that the limit keeps.
constexpr uint64_t k_room_bytes = (MPRT_ROOM_WORDS + 1) * 8;
constexpr uint64_t k_no_cursor = ~0ull;
constexpr uint32_t k_no_ring = 0xffffffff;
constexpr int64_t k_never = 1ll << 62; // for countdowns

extern "C" {
// Together, so that code that records needs one register to find them.
struct mprt_room
{
  volatile uint64_t cursor, limit;
};
extern MPRT_EXPORT MPRT_TLS mprt_room __mprt_room;
extern MPRT_EXPORT MPRT_TLS uint64_t __mprt_alloc_site;
extern MPRT_EXPORT MPRT_TLS volatile int64_t __mprt_countdown;
extern MPRT_EXPORT MPRT_TLS int64_t __mprt_lease;
extern MPRT_EXPORT MPRT_TLS int64_t __mprt_work;
extern MPRT_EXPORT MPRT_TLS uint64_t __mprt_last_ticket;
extern MPRT_EXPORT uint64_t __mprt_guard_ticket;
MPRT_EXPORT void *__mprt_slow (void *cursor);
MPRT_EXPORT uint64_t __mprt_burst (void);
MPRT_EXPORT void __mprt_start (void);
MPRT_EXPORT void __mprt_stop (void);
MPRT_EXPORT void __mprt_dump (void);
MPRT_EXPORT void __mprt_reset (void);
MPRT_EXPORT uint64_t __mprt_compared (const char *x, const char *y,
				      uint64_t limit, uint64_t any_case);
MPRT_EXPORT void __mprt_scattered (const void *list, uint64_t count, int64_t result,
				   uint64_t kind);
MPRT_EXPORT void __mprt_carved (void *p, uint64_t bytes);
MPRT_EXPORT void __mprt_order (void);
MPRT_EXPORT void __mprt_publish (void);
MPRT_EXPORT void __mprt_loop_sample (uint64_t header, uint64_t count, ...);
MPRT_EXPORT void __mprt_call_sample (uint64_t header, uint64_t bytes, ...);
MPRT_EXPORT void __mprt_unit (const struct mprt_unit *unit);
MPRT_EXPORT void __mprt_unit_unload (const struct mprt_unit *unit);
}

namespace mprt {

// What the process does with its records.
enum Mode : uint32_t
{
  k_asleep,    // before the first constructor
  k_off,       // nothing is recorded
  k_unstarted, // before the first record
  k_parked,    // shared memory stands, no unit has been registered yet
  k_live,      // memprof-backend reads
  k_file       // the stream goes to a file
};

// The producer's side of one ring.
struct Ring
{
  mprt_ring *shared; // null: not made yet
  uint64_t sequence; // of the chunk under the cursor
  uint64_t cursor;   // while the scratch area or another ring is in its place
  uint64_t woken;    // position for which the backend was woken last
  uint32_t index;
  uint32_t owned; // chunks
  uint32_t spare; // one more than a chunk from the pool that is not used yet; or 0
};

enum ThreadLife : uint32_t { k_thread_new, k_thread_running, k_thread_ended };

// What kind of an early burst it is, or whether it is a window.
enum Early : uint32_t { k_not_early, k_early, k_first_entry, k_window };

// Cursor and limit of code that a signal handler interrupted.
struct Interrupted
{
  uint64_t cursor, limit;
};

struct Thread
{
  Ring rings[2];	  // ordinary code, signal handlers
  Interrupted interrupted[2];
  uint32_t level;	  // 0: ordinary; 1: in a handler; 2, ...: nested handlers
  uint32_t epoch;	  // of the shared memory that the rings belong to
  uint32_t number;	  // 0 = main; k_no_ring: not known yet
  uint32_t life;	  // enum ThreadLife
  uint32_t enter_pending; // this handler has not recorded anything yet
  uint32_t end_calls;	  // rounds of the thread-end hook so far
  uint32_t resolving;	  // inside dlsym
  uint64_t stack_low, stack_end;
  uint64_t scratch;	  // where records go that cannot be kept
  uint64_t paused_limit;  // of its ring, which has room below; or 0
  uint32_t paused;	  // ... and those between bursts
  uint32_t in_burst;
  uint32_t goes_on;	  // the child of a fork, in the code of its parent's burst
  int64_t gap;		  // length of the one between the bursts
  int64_t until_burst;	  // as of the end of the last burst, of whatever kind
  int64_t until_early;	  // ... until an early one
  uint32_t early;	  // enum Early: of the burst, or of the next one
  int64_t burst_length;
  int64_t burst_left;
  int64_t passed; // bursts and gaps so far
  uint64_t bursts;
  uint64_t random;
  int64_t worked; // iterations of loops that one record describes, up to the next point
  uint64_t work_random;
  // Windows (mprt_window.cc), in cycles.
  uint64_t sampling_began, window_began;
  uint64_t window_planned; // for the next one, or the one at hand; 0: nothing yet
  uint64_t windows_took;   // all so far
  uint64_t window_random;
  uint64_t window_looked; // at the clock
  int64_t window_lease;
};

struct Options
{
  char text[512];     // MPRT_OPTIONS, cut into NUL-terminated words
  char as_given[512]; // for the backend
#define MPRT_OPTION(key, argument, help) const char *key;
#include "runtime/wire/options.def"
};

struct Process
{
  mprt_shared *shared;
  uint32_t mode; // enum Mode
  uint32_t epoch;
  uint32_t pid; // that made `shared'
  uint32_t initialised;
  uint32_t threaded; // a second thread has been created: tickets are needed
  uint32_t ended;
  uint32_t no_clock;		// reading it is fatal: mprt_prctl.cc
  uint32_t late_threads;
  uint32_t announce; // a new stream, which does not know the units yet
  uint32_t object_bytes; // objects mode: smaller ones are left out; else 0
  uint32_t sampling; // a unit of sample mode is there
  uint32_t making; // lock: someone is in make_shared or start_recording
  int memfd;	// until the backend has it
  int file;	// descriptor in k_file
  uint32_t file_lock;
  const char *backend; // path that a unit gave
  uint64_t main_stack_bytes;
  Options options;
};

extern Process process;
extern MPRT_TLS Thread self;

// mprt_options.cc
void read_options ();
const char *environment (const char *name);
void read_rank (char *to, uint64_t bytes);
bool option_on (const char *value, bool otherwise);

// mprt_shared.cc
void initialise ();			// once, at the first event of any kind
bool make_shared ();			// k_unstarted -> k_parked, or k_off
void switch_off (const char *why);	// says why, unless null
void forget_rings (bool in_child);	// after a fork, an exec that failed

// mprt_ring.cc
bool open_ring (Thread &thread, uint32_t level);
bool make_room (Ring &ring);
void set_cursor (uint64_t cursor, uint64_t end);
void publish (Ring &ring, uint64_t position);
// Publishes the active ring up to the cursor, if that is at least LEAST bytes.
void publish_own (uint64_t least = 0);
// Wakes the thread that waits for it: publishing does not always.
void wake_backend ();
void end_ring (Ring &ring);
uint64_t position (const Ring &ring, uint64_t cursor);
char *chunk_address (const mprt_ring *ring, uint64_t sequence);

// mprt_slow.cc
void *make_room_for_control ();		// __mprt_slow for the runtime's own records
bool in_scratch (const Thread &thread);
void count_scratch (Thread &thread);

// mprt_burst.cc
int64_t sampling_period ();
int64_t number (const char *text, int64_t otherwise); // an option's
int64_t places_passed (const Thread &thread); // since the last burst
void record_places (Thread &thread, int64_t places); // of a burst that begins
uint64_t next_random (uint64_t &state);
void to_ring (); // for control records of a thread that is paused
void to_scratch ();
void start_sampling ();
void end_sampling (); // of this thread
void end_lease (Thread &thread);
uint64_t begin_burst (Thread &thread); // 0: there shall be none
void end_burst (Thread &thread);

// mprt_window.cc
bool begin_window_after_burst (Thread &thread); // if it is time for one
void ask_for_window (Thread &thread); // between bursts: at the next place, if it is time
// That takes so much from the countdown, like a first entry; it may be lost in a register.
constexpr int64_t k_window_wanted = MPRT_FIRST_ENTRY * 64;
static inline bool
window_wanted ()
{
  return __mprt_countdown < -k_window_wanted / 2;
}
void begin_window (Thread &thread);
bool window_over (const Thread &thread);
int64_t window_lease (Thread &thread); // places until the window looks at the clock again
void end_window (Thread &thread);

// mprt_control.cc
extern uint32_t stopped; // by the program
void stop_here ();			// this thread, if the program is
void apply_pending_control ();		// what another thread said with memprof.h

// While it lives a paused thread writes to its ring.
struct OnRing
{
  uint32_t paused = self.paused;
  OnRing ()
  {
    if (MPRT_UNLIKELY (paused))
      to_ring ();
  }
  ~OnRing ()
  {
    if (MPRT_UNLIKELY (paused))
      to_scratch ();
  }
};

// mprt_alloc.cc
void leave_out_objects (uint32_t below); // what is smaller; 0: none

// mprt_spawn.cc
long start_backend (const char *path);	// 0, or -errno

// mprt_backend.cc
bool start_recording ();		// k_parked -> k_live or k_file
bool backend_alive ();
void check_backend ();			// switches off if it has died
void finish_backend (bool flush);	// waits for the profile

// mprt_file.cc
bool open_file (const char *pattern);
bool open_stream (const char *path, bool replace);
void write_frame (Ring &ring, uint64_t to);
void finish_file ();

// mprt_units.cc
bool any_unit ();
void unlock_units ();			// in the child of a fork
void send_all_entries ();		// of functions, at the end of a stream
void register_again ();			// every unit, into a new stream

// mprt_thread.cc
void begin_thread ();			// called where a ring is opened
void end_thread ();
bool resume_thread (Thread &thread);	// a thread that has ended records again
void resume_for_exit ();		// whatever the thread, libc calls exit in it
void watch_thread_end ();
void initialise_threads ();

// mprt_signals.cc
void open_signal_level (Thread &thread);
void leave_signal_levels ();

// mprt_exit.cc
void end_program (uint32_t how, uint64_t status, bool flush);
void initialise_exit ();

// mprt_start.cc
bool starts_itself ();			// and runs no constructors
void look_at_allocator ();
bool in_allocator (const void *caller); // in the library of a malloc that is not libc's

// mprt_fork.cc
void initialise_fork ();
void snapshot_live_objects ();		// for the stream of a child
void start_again ();			// a new stream for this process
void announce ();			// units and inherited objects, into it
void drop_inherited_object (uint64_t address);

// Acquire: a thread that this library did not see begin may find the mode changed, and needs what
// process.shared points to.
static MPRT_ALWAYS_INLINE bool
recording ()
{
  return load (&process.mode) >= k_unstarted;
}

static MPRT_ALWAYS_INLINE void
compiler_barrier ()
{
  __atomic_signal_fence (__ATOMIC_SEQ_CST);
}

// Room for one record at the cursor.  About 4 instructions when there is room.
static MPRT_ALWAYS_INLINE uint64_t *
reserve ()
{
  uint64_t cursor = __mprt_room.cursor;
  if (MPRT_UNLIKELY (cursor >= __mprt_room.limit))
    cursor = reinterpret_cast<uint64_t> (make_room_for_control ());
  return at<uint64_t> (cursor);
}

static MPRT_ALWAYS_INLINE void
commit (uint64_t *record, unsigned words)
{
  compiler_barrier ();
  __mprt_room.cursor = reinterpret_cast<uint64_t> (record + words);
}

// Writes a control record; WORDS follow its header.
template <typename... Words>
static MPRT_ALWAYS_INLINE void
emit (uint32_t kind, Words... words)
{
  uint64_t *record = reserve ();
  constexpr unsigned n = sizeof...(words);
  const uint64_t values[] = { static_cast<uint64_t> (words)..., 0 };
  for (unsigned i = 0; i < n; i++)
    record[i + 1] = values[i];
  // The header last: after a crash the backend reads up to a zero header.
  compiler_barrier ();
  record[0] = MPRT_CONTROL_HEADER (kind, n + 1);
  commit (record, n + 1);
}

// The next ticket, or 0 while the process has one thread.  The room for the
// record that will hold it has been reserved: nothing may wait between here
// and publish_own (), or the consumer would wait for this ticket.
static MPRT_ALWAYS_INLINE uint64_t
next_ticket ()
{
  if (MPRT_LIKELY (!process.threaded))
    return 0;
  // A ticket that the consumer cannot read would stop it.
  if (!recording () || in_scratch (self) || self.epoch != process.epoch)
    return 0;
  return __mprt_last_ticket
	 = __atomic_add_fetch (&process.shared->next_ticket, 1, __ATOMIC_SEQ_CST);
}

// The same for a thread that is paused and need not order what it records: its
// cursor stays where it is.  False if there is no room.
template <typename... Words>
static MPRT_ALWAYS_INLINE bool
emit_paused (uint32_t kind, Words... words)
{
  Thread &thread = self;
  uint64_t cursor = thread.rings[0].cursor;
  if (process.threaded || thread.level || cursor >= thread.paused_limit)
    return false;
  uint64_t *record = at<uint64_t> (cursor);
  constexpr unsigned n = sizeof...(words);
  const uint64_t values[] = { static_cast<uint64_t> (words)..., 0 };
  for (unsigned i = 0; i <= n; i++)
    record[i + 1] = values[i];
  compiler_barrier ();
  record[0] = MPRT_CONTROL_HEADER (kind, n + 2);
  compiler_barrier ();
  thread.rings[0].cursor = cursor + (n + 2) * 8;
  return true;
}

// A control record whose last word is a ticket.
template <typename... Words>
static MPRT_ALWAYS_INLINE void
emit_ticketed (uint32_t kind, Words... words)
{
  if (MPRT_UNLIKELY (self.paused) && emit_paused (kind, words...))
    return;
  OnRing on_ring;
  reserve ();
  uint64_t ticket = next_ticket ();
  emit (kind, words..., ticket);
  if (MPRT_UNLIKELY (ticket))
    publish_own ();
}

// Before a release and after an acquire.  Births and deaths are in order without
// it.
static MPRT_ALWAYS_INLINE void
order_here ()
{
  if (MPRT_LIKELY (!process.threaded) || !recording () || process.object_bytes)
    return;
  if (MPRT_UNLIKELY (self.epoch != process.epoch
		     || (self.paused != load (&stopped) && !process.sampling)))
    apply_pending_control ();
  if (!self.paused)
    emit_ticketed (MPRT_TICKET);
}

} // namespace mprt

#endif
