// mprt_units.cc - units register and unregister themselves.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// A unit's constructor calls __mprt_unit.  All that the backend needs to
// know is copied into the stream (ring.h, "Unit load"), so that it never looks
// at the program's memory and a dlclose is harmless.  The units are kept in a
// list for the child of a fork, whose stream starts anew.

#include "mprt_internal.h"

#include <dlfcn.h>
#include <sys/auxv.h>

namespace mprt {

struct UnitList
{
  const mprt_unit **units;
  uint32_t count, room;
  uint32_t lock;
};

static UnitList list;

static void
lock_list (uint64_t *mask)
{
  block_signals (mask);
  lock_word (&list.lock);
}

static void
unlock_list (const uint64_t *mask)
{
  unlock_word (&list.lock);
  restore_signals (mask);
}

static void
add_to_list (const mprt_unit *unit)
{
  uint64_t mask;
  lock_list (&mask);
  if (list.count == list.room)
    {
      uint32_t room = list.room ? list.room * 2 : 512;
      void *fresh = map_memory (room * sizeof unit);
      if (fresh && list.count)
	{
	  copy_bytes (fresh, list.units, list.count * sizeof unit);
	  unmap_memory (list.units, list.room * sizeof unit);
	}
      if (fresh)
	{
	  list.units = static_cast<const mprt_unit **> (fresh);
	  list.room = room;
	}
    }
  if (list.count < list.room)
    list.units[list.count++] = unit;
  unlock_list (&mask);
}

static bool
remove_from_list (const mprt_unit *unit)
{
  uint64_t mask;
  lock_list (&mask);
  bool found = false;
  for (uint32_t i = 0; i < list.count && !found; i++)
    if (list.units[i] == unit)
      {
	found = true;
	list.count--;
	for (uint32_t k = i; k < list.count; k++)
	  list.units[k] = list.units[k + 1];
      }
  unlock_list (&mask);
  return found;
}

// DATA records for BYTES bytes at FROM; the first says ADDRESS.
static void
send_data (uint64_t address, const void *from, uint64_t bytes)
{
  const char *next = static_cast<const char *> (from);
  while (bytes && recording ())
    {
      uint64_t *record = reserve ();
      uint64_t room = __mprt_room.limit + k_room_bytes - 8
		      - reinterpret_cast<uint64_t> (record) - 24;
      uint64_t n = bytes < (room & ~7ull) ? bytes : room & ~7ull;
      uint64_t words = (n + 7) / 8;
      record[1] = address;
      record[2] = n;
      if (words)
	record[2 + words] = 0;
      copy_bytes (record + 3, next, n);
      compiler_barrier ();
      record[0] = MPRT_CONTROL_HEADER (MPRT_DATA, 3);
      commit (record, static_cast<unsigned> (3 + words));
      address += n, next += n, bytes -= n;
    }
}

// The file that contains UNIT.  The loader calls the executable by argv[0].
static void
send_path (const mprt_unit *unit)
{
  const char *path = process.shared->program;
#ifndef MPRT_STATIC
  Dl_info info = {};
  uint64_t own_base = getauxval (AT_PHDR) & ~4095ull;
  if (dladdr (unit, &info) && info.dli_fname && info.dli_fname[0]
      && reinterpret_cast<uint64_t> (info.dli_fbase) != own_base)
    path = info.dli_fname;
#else
  (void) unit;
#endif
  if (path[0] != '/' && path[0])
    {
      uint64_t n = text_length (process.shared->directory);
      send_data (0, process.shared->directory, n);
      send_data (n, "/", 1);
      send_data (n + 1, path, text_length (path) + 1);
    }
  else
    send_data (0, path, text_length (path) + 1);
}

// How often the functions of UNIT were entered, as far as they count it.
static void
send_entries (const mprt_unit *unit, mprt_entries when)
{
  auto entries_of = [] (const int64_t *weight) -> uint64_t {
    if (!weight)
      return MPRT_ENTRIES_UNKNOWN;
    int64_t to_come = __atomic_load_n (weight, __ATOMIC_RELAXED) / MPRT_FIRST_ENTRY;
    return static_cast<uint64_t> (MPRT_FIRST_ENTRIES - to_come) & 15;
  };
  for (uint64_t first = 0; first < unit->entry_weight_count; first += MPRT_ENTRIES_PER_RECORD)
    {
      uint64_t counts = 0;
      bool any = false;
      for (uint64_t i = 0; i < MPRT_ENTRIES_PER_RECORD && first + i < unit->entry_weight_count; i++)
	{
	  uint64_t entries = entries_of (unit->entry_weights[first + i]);
	  any |= entries != 0 && entries != MPRT_ENTRIES_UNKNOWN;
	  counts |= entries << 4 * i;
	}
      if (any)
	emit (MPRT_ENTRIES, reinterpret_cast<uint64_t> (unit), when, first, counts);
    }
}

static void
send_unit (const mprt_unit *unit)
{
  uint64_t address = reinterpret_cast<uint64_t> (unit);
  emit (MPRT_UNIT_LOAD, address);
  send_data (address, unit, sizeof *unit);
  send_data (reinterpret_cast<uint64_t> (unit->blob), unit->blob,
	     unit->blob_bytes);
  send_data (reinterpret_cast<uint64_t> (unit->desc_tables),
	     unit->desc_tables,
	     unit->desc_table_count * sizeof (mprt_desc_table));
  for (uint64_t i = 0; i < unit->desc_table_count; i++)
    {
      const mprt_desc_table &table = unit->desc_tables[i];
      send_data (reinterpret_cast<uint64_t> (table.words), table.words,
		 table.count * 8);
    }
  send_data (reinterpret_cast<uint64_t> (unit->globals), unit->globals,
	     unit->global_count * sizeof (void *));
  send_path (unit);
  emit (MPRT_UNIT_READY, address);
  send_entries (unit, MPRT_ENTRIES_BEFORE);
  order_here ();
}

// The mode that UNIT was compiled for, together with those of the units before it: the smallest
// objects that matter to any of them; all, if one is not of objects mode.
static void
note_mode (const mprt_unit *unit)
{
  const mprt_blob *blob = static_cast<const mprt_blob *> (unit->blob);
  uint32_t bytes = blob->mode == MPRT_MODE_OBJECTS ? blob->object_bytes : 0;
  if (!any_unit () || bytes < process.object_bytes)
    leave_out_objects (bytes);
  if (blob->mode == MPRT_MODE_SAMPLE)
    start_sampling ();
}

// In the child of a fork: another thread of the parent may have held it.
void
unlock_units ()
{
  store (&list.lock, 0u);
}

bool
any_unit ()
{
  return load (&list.count) != 0;
}

// Another thread may close a library meanwhile.
void
send_all_entries ()
{
  uint64_t mask;
  lock_list (&mask);
  for (uint32_t i = 0; i < list.count; i++)
    send_entries (list.units[i], MPRT_ENTRIES_END);
  unlock_list (&mask);
}

void
register_again ()
{
  for (uint32_t i = 0; i < list.count; i++)
    send_unit (list.units[i]);
}

} // namespace mprt

using namespace mprt;

void
__mprt_unit (const mprt_unit *unit)
{
  initialise ();
  if (!recording ())
    return;
  if (unit->abi != MPRT_ABI)
    {
      switch_off ("a unit was compiled by another version of memprof: "
		  "compile the whole program anew; nothing is recorded");
      return;
    }
  int saved_errno = errno;
  if (!process.backend)
    process.backend = unit->backend;
  OnRing on_ring;
  note_mode (unit);
  add_to_list (unit);
  if (start_recording ())
    send_unit (unit);
  look_at_allocator ();
  errno = saved_errno;
}

void
__mprt_unit_unload (const mprt_unit *unit)
{
  // A child of fork that has recorded nothing has no stream that could know the unit, and begins none
  // with it; a stream that it has begun has to know the unit first.
  if (process.mode <= k_parked || process.ended)
    {
      remove_from_list (unit);
      return;
    }
  resume_for_exit ();
  OnRing on_ring;
  reserve ();
  if (!remove_from_list (unit))
    return;
  send_entries (unit, MPRT_ENTRIES_END);
  emit (MPRT_UNIT_UNLOAD, reinterpret_cast<uint64_t> (unit));
  publish_own ();
  order_here ();
}
