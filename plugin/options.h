/* options.h - what -fplugin-arg-memprof-* sets.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_OPTIONS_H
#define MEMPROF_OPTIONS_H

#include "runtime/wire/module_events.h"
#include "runtime/wire/site_table.h"

struct plugin_name_args;

namespace memprof::plugin {

/* How many accesses one record may stand for.  Totals, order and addresses
   are the same at every level; the lower ones exist so that tests can check
   that.  */
enum coalescing
{
  COALESCE_ACCESS,		/* one record per access */
  COALESCE_BLOCK,		/* one record per basic block or part of one */
  COALESCE_RANGE,		/* blocks share records; one per affine loop */
  COALESCE_NEST			/* one per nest of affine loops */
};

/* What an instrumented program reports.  */
enum profile_mode
{
  MODE_FULL = MPRT_MODE_FULL,	/* everything */
  MODE_SAMPLE = MPRT_MODE_SAMPLE, /* everything, in bursts */
  MODE_OBJECTS = MPRT_MODE_OBJECTS /* births and deaths of large objects */
};

/* Bits of plugin_options::faults, set by `fault=' to show that the tests
   notice: each makes the instrumentation wrong in one way.  */
enum seeded_fault
{
  FAULT_RANGE_COUNT = 1,	/* ranges count one iteration too many */
  FAULT_LOST_EXIT = 2,		/* one exit of a counted loop has no record */
  FAULT_SWAPPED_ORDER = 4,	/* the last two accesses of a record swapped */
  FAULT_MINUS = 8,		/* accesses behind the exit test run `count' */
  FAULT_BITFIELD_NARROW = 16,	/* a bit-field is one byte */
  FAULT_LOST_CALLEE = 32,	/* a call does not end a record */
  FAULT_LOST_PREFIX = 64,	/* of a way to a record the last access is lost */
  /* The same for loop versioning, in the use compile.  */
  FAULT_ALWAYS_FAST = 128,	/* the check is ignored */
  FAULT_SHORT_RANGE = 256,	/* ranges end one byte too early */
  FAULT_UNCHECKED_LOADS = 512,	/* hoisted loads are compared with nothing */
  FAULT_ONE_SIDED = 1024,	/* one order of two ranges is enough */
  FAULT_FIRST_ITERATION = 2048, /* copies follow pointers not yet stored */
  FAULT_UNCERTAIN_LOADS = 4096, /* loads under a condition are copied */
  FAULT_COUNT_CONDITIONS = 8192, /* counts are right in all cases */
  FAULT_LENGTH_OVERFLOW = 16384, /* lengths may exceed the address space */
  FAULT_TURNED_LOADS = 32768,	/* the value before the loop is not compared */
  FAULT_NO_BOUNDS = 65536,	/* an access that is not affine stands still */
  FAULT_UPWARDS = 131072,	/* all ranges grow upwards */
  FAULT_STORE_TYPES = 262144,	/* stores of different types never meet */
  FAULT_VOLATILE = 524288,	/* volatile accesses are like others; also here: */
  FAULT_CALLS = 1048576,	/* calls, atomic ones too, and asm touch nothing */
  FAULT_EXCEPTIONS = 1 << 21,	/* nothing throws */
  FAULT_ENDLESS_LOOPS = 1 << 22, /* inner loops end, whatever they look like */
  FAULT_SECOND_ENTRIES = 1 << 23, /* no loop is entered in its middle */
  FAULT_TRAPS = 1 << 30,	/* divisions under a condition are copied */
  FAULT_SEEN_CHECKS = 1u << 31,	/* GCC sees what is checked in inner loops */
  /* The same for prefetches.  */
  FAULT_OTHER_PAGES = 1 << 24,	/* an index load may go to another page */
  FAULT_BEHIND_THE_END = 1 << 25, /* second loads beyond the last iteration */
  FAULT_SOME_ITERATIONS = 1 << 26, /* second loads of other iterations only */
  FAULT_LEFT_LOOPS = 1 << 27,	/* calls return */
  FAULT_INDEX_STORES = 1 << 28,	/* stores leave the index as it is */
  FAULT_OTHER_TERMS = 1 << 29,	/* the second address is the index alone */
  /* And in the generate compile.  */
  FAULT_NEST_COUNT = 1ll << 32,	/* nests iterate once too often */
  FAULT_NEST_STEP = 1ll << 33	/* they stay where they are */
};

struct plugin_options
{
  bool generate;
  bool use;
  bool eager;			/* for tests: take whatever is possible */
  const char *dir;		/* output folder, or "" */
  const char *profile;		/* file or folder, default "." */
  const char *modules;		/* analyses that the backend shall run, or "" */
  uint32_t events;		/* that they need: enum mprt_event */
  const char *include;		/* comma-separated globs, or null */
  const char *exclude;
  const char *loops;		/* the same of FILE:LINE, or null */
  const char *alloc_fn;		/* NAME:ARG,... or null */
  const char *use_no;		/* transformations switched off, or "" */
  const char *veto;		/* file names, or null */
  const char *layout;
  const char *remarks;
  const char *backend;		/* path of memprof-backend, or null */
  const char *dump_keys;	/* file that gets one line per function */
  enum profile_mode mode;
  unsigned object_bytes;	/* MODE_OBJECTS: smaller ones are left out */
  const char *ignored_obstacle; /* for tests: a kind that counts as none */
  enum coalescing coalesce;
  uint64_t faults;
};

extern plugin_options options;

/* Fills `options'.  False after an error message.  */
bool parse_options (const plugin_name_args *info);

/* Whether NAME matches one of the comma-separated globs in LIST.  */
bool matches_glob_list (const char *name, const char *list);

} // namespace memprof::plugin

#endif
