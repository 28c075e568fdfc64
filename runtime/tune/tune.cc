// tune.cc - trials of prefetches in the running program; tune.h has the idea.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

#include "runtime/tune/tune.h"
#include "runtime/arena/surroundings.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The common symbol that makes the linker take this file in.
__attribute__ ((visibility ("hidden"))) int __mprt_tune_wanted;

namespace mprt_tune {
namespace {

constexpr uint64_t k_slice_ns = 60000; // up to twice that
constexpr unsigned k_first_bits = 8, k_most_bits = 24; // iterations of a slice
// The least gain with which prefetches stay on.
constexpr double k_worth = 1.03;
// Time between two trials, in times of a trial.
constexpr uint64_t k_rest = 50, k_longest_rest = 1000;
// Iterations between two looks at the clock in a nest that is not tried.
constexpr unsigned k_rest_bits = 6;
// Entries between two looks at the clock.
constexpr uint32_t k_entries = 1024;

mprt_tune_cell *cells; // that were entered
enum { unread, on, off } option;
// Where the report goes.
enum { nowhere, to_stderr, to_file } report_goes;
char report_file[4096];

uint64_t
load (const uint64_t &word)
{
  return __atomic_load_n (&word, __ATOMIC_RELAXED);
}

uint32_t
load (const uint32_t &word)
{
  return __atomic_load_n (&word, __ATOMIC_RELAXED);
}

template <typename Word>
void
store (Word &word, Word value)
{
  __atomic_store_n (&word, value, __ATOMIC_RELAXED);
}

template <typename Word>
Word
add (Word &word, Word value)
{
  return __atomic_add_fetch (&word, value, __ATOMIC_RELAXED);
}

uint32_t
level_of (uint32_t setting)
{
  return setting & ((1 << MPRT_TUNE_LEVEL_BITS) - 1);
}

unsigned
bits_of (uint32_t setting)
{
  return setting >> MPRT_TUNE_LEVEL_BITS;
}

uint32_t
setting_of (uint32_t level, unsigned bits)
{
  return level | bits << MPRT_TUNE_LEVEL_BITS;
}

uint64_t
answer (uint32_t setting, uint64_t iterations)
{
  return setting | iterations << MPRT_TUNE_SETTING_BITS;
}

// What a thread does next.
uint64_t
present (mprt_tune_cell *cell)
{
  const uint32_t setting = load (cell->setting), state = load (cell->state);
  const uint64_t slice = uint64_t (1) << bits_of (setting);
  if (state == MPRT_TUNE_TRYING)
    return answer (setting, slice);
  return answer (setting_of (state - 1, bits_of (setting)), slice << k_rest_bits);
}

// The level of slice NUMBER of a trial of LEVELS: each round has all, in another order.
uint32_t
level_in_order (uint32_t number, uint32_t levels)
{
  static const uint8_t orders[][MPRT_TUNE_LEVELS]
    = { { 0, 1, 3, 2 }, { 2, 0, 1, 3 }, { 3, 2, 0, 1 }, { 1, 3, 2, 0 }, { 0, 2, 3, 1 },
	{ 3, 1, 0, 2 }, { 1, 0, 2, 3 }, { 2, 3, 1, 0 }, { 0, 3, 1, 2 } };
  const uint32_t round = number / levels % MPRT_TUNE_ROUNDS, place = number % levels;
  if (levels == MPRT_TUNE_LEVELS)
    return orders[round][place];
  return place ^ (round & 1) ? 2 : 0;
}

uint32_t
median (const uint32_t (&values)[MPRT_TUNE_ROUNDS])
{
  uint32_t sorted[MPRT_TUNE_ROUNDS];
  for (unsigned n = 0; n < MPRT_TUNE_ROUNDS; n++)
    {
      unsigned at = n;
      for (; at && sorted[at - 1] > values[n]; at--)
	sorted[at] = sorted[at - 1];
      sorted[at] = values[n];
    }
  return sorted[MPRT_TUNE_ROUNDS / 2];
}

// All slices of the trial have ended.
void
conclude (mprt_tune_cell *cell)
{
  const uint64_t now = __mprt_tune_clock ();
  uint32_t best = 0, least = 0;
  for (uint32_t level = 1; level < MPRT_TUNE_LEVELS; level++)
    {
      const uint32_t time = median (cell->picoseconds[level]);
      if (time && (!least || time < least))
	{
	  least = time;
	  best = level;
	}
    }
  const uint32_t plain = median (cell->picoseconds[0]);
  const double gain = least ? double (plain) / least : 0;
  cell->measured = uint32_t (gain * 1000);
  const uint64_t rest = k_rest * ++cell->trials;
  cell->next = now + (now - cell->began) * (rest < k_longest_rest ? rest : k_longest_rest);
  store (cell->state, gain >= k_worth ? 1 + best : uint32_t (MPRT_TUNE_PLAIN));
}

// The slice of SETTING took PICOSECONDS an iteration.  The first ones of a trial find out how
// many iterations a slice has, and are not counted.
void
end_slice (mprt_tune_cell *cell, uint32_t setting, uint64_t nanoseconds, uint64_t iterations)
{
  unsigned bits = bits_of (setting);
  if (!load (cell->slices) && nanoseconds < k_slice_ns && bits < k_most_bits)
    {
      store (cell->setting, setting_of (level_of (setting), bits + 1));
      return;
    }
  const uint32_t slice = __atomic_fetch_add (&cell->slices, 1, __ATOMIC_RELAXED);
  const uint32_t last = cell->levels * MPRT_TUNE_ROUNDS;
  // Another thread concludes just now.
  if (slice > last)
    return;
  if (slice)
    cell->picoseconds[level_of (setting)][(slice - 1) / cell->levels]
      = uint32_t (double (nanoseconds) * 1000 / double (iterations)) + 1;
  if (slice == last)
    conclude (cell);
  else
    store (cell->setting, setting_of (level_in_order (slice, cell->levels), bits));
}

// Adds to the present slice what one thread did of it.
void
account (mprt_tune_cell *cell, uint32_t setting, uint64_t start, uint64_t done)
{
  if (!start || load (cell->state) != MPRT_TUNE_TRYING || setting != load (cell->setting))
    return;
  const uint64_t nanoseconds = add (cell->nanoseconds, __mprt_tune_clock () - start);
  const uint64_t iterations = add (cell->iterations, done);
  // One thread ends it.
  if (iterations >> bits_of (setting)
      && __atomic_exchange_n (&cell->iterations, 0, __ATOMIC_RELAXED) >> bits_of (setting))
    {
      store (cell->nanoseconds, uint64_t (0));
      end_slice (cell, setting, nanoseconds, iterations);
    }
}

void
begin_trial (mprt_tune_cell *cell, uint64_t now)
{
  store (cell->slices, 0u);
  cell->began = now;
  store (cell->nanoseconds, uint64_t (0));
  store (cell->iterations, uint64_t (0));
  store (cell->setting, setting_of (cell->fallback, cell->setting ? bits_of (cell->setting) : k_first_bits));
  store (cell->state, uint32_t (MPRT_TUNE_TRYING));
}

// Begins another trial if there is none and it is time for one.
void
look_again (mprt_tune_cell *cell)
{
  if (option != on || load (cell->state) == MPRT_TUNE_TRYING)
    return;
  const uint64_t now = __mprt_tune_clock ();
  uint64_t due = load (cell->next);
  if (now >= due
      && __atomic_compare_exchange_n (&cell->next, &due, UINT64_MAX, false, __ATOMIC_RELAXED,
				      __ATOMIC_RELAXED))
    begin_trial (cell, now);
}

void
read_option ()
{
  static const char to_file_word[] = "report=";
  const size_t word = sizeof to_file_word - 1;
  const char *text = mprt_arena::user_says ("MPRT_TUNE");
  if (text && strcmp (text, "report") == 0)
    report_goes = to_stderr;
  // A copy: the environment may have gone at exit.
  else if (text && strncmp (text, to_file_word, word) == 0 && text[word]
	   && strlen (text + word) < sizeof report_file)
    {
      strcpy (report_file, text + word);
      report_goes = to_file;
    }
  __atomic_store_n (&option, text && strcmp (text, "off") == 0 ? off : on, __ATOMIC_RELAXED);
}

// The first entry of all threads.
void
begin (mprt_tune_cell *cell)
{
  uint32_t none = 0;
  if (!__atomic_compare_exchange_n (&cell->setting, &none, setting_of (cell->fallback, k_first_bits), false,
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return;
  if (option == unread)
    read_option ();
  cell->other = __atomic_load_n (&cells, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n (&cells, &cell->other, cell, true, __ATOMIC_RELEASE,
				       __ATOMIC_RELAXED))
    ;
  if (option == off)
    store (cell->state, 1 + cell->fallback);
  else
    begin_trial (cell, __mprt_tune_clock ());
}

// The line about CELL.
void
write_cell (int to, const mprt_tune_cell *cell)
{
  dprintf (to, "memprof: %s: ", cell->places);
  if (!cell->trials)
    dprintf (to, "%u slices, no whole trial", cell->slices);
  else
    dprintf (to, "level %d after %u trials, measured %.3f, predicted %.3f",
	     cell->state ? int (cell->state) - 1 : int (level_of (cell->setting)), cell->trials,
	     cell->measured / 1000.0, cell->predicted / 1000.0);
  for (unsigned level = 0; level < MPRT_TUNE_LEVELS && cell->trials; level++)
    if (const uint32_t time = median (cell->picoseconds[level]))
      dprintf (to, "%s %u: %.2f ns", level ? "," : ";", level, time / 1000.0);
  dprintf (to, "\n");
}

__attribute__ ((destructor)) void
report ()
{
  if (report_goes == nowhere)
    return;
  const int file = report_goes == to_file
		     ? open (report_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666)
		     : STDERR_FILENO;
  for (const mprt_tune_cell *cell = __atomic_load_n (&cells, __ATOMIC_ACQUIRE); cell && file >= 0;
       cell = cell->other)
    write_cell (file, cell);
  if (report_goes == to_file && file >= 0)
    close (file);
}

} // namespace
} // namespace mprt_tune

using namespace mprt_tune;

extern "C" {

uint64_t
__mprt_tune_clock ()
{
  timespec time;
  clock_gettime (CLOCK_MONOTONIC, &time);
  return uint64_t (time.tv_sec) * 1000000000 + uint64_t (time.tv_nsec);
}

uint64_t
__mprt_tune_enter (mprt_tune_cell *cell)
{
  if (!load (cell->setting))
    begin (cell);
  return present (cell);
}

uint64_t
__mprt_tune_slice (mprt_tune_cell *cell, uint32_t setting, uint64_t start)
{
  account (cell, setting, start, uint64_t (1) << bits_of (setting));
  look_again (cell);
  return present (cell);
}

void
__mprt_tune_leave (mprt_tune_cell *cell, uint32_t setting, uint64_t start, uint64_t left)
{
  account (cell, setting, start, (uint64_t (1) << bits_of (setting)) - left);
}

uint32_t
__mprt_tune_again (mprt_tune_cell *cell)
{
  look_again (cell);
  return k_entries;
}
}
