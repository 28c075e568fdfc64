/* options.h - what -fplugin-arg-memprof-* sets.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_OPTIONS_H
#define MEMPROF_OPTIONS_H

#include "runtime/wire/module_events.h"
#include "runtime/wire/site_table.h"

struct plugin_name_args;

namespace memprof::plugin {

/* How many accesses one record may represent.  Totals, order and addresses
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

/* Deliberate errors of faults.def, seeded by `fault=NAME'.  */
enum class fault
{
#define FAULT(name, what, test) name,
#include "faults.def"
};

struct plugin_options
{
  bool generate;
  bool use;
  bool eager;			/* for tests: take whatever is possible */
  bool move_fields;		/* of records, in a rebuild */
  bool tune;			/* the rebuilt program tries its prefetches */
  const char *dir;		/* output folder, or "" */
  const char *profile;		/* file or folder, default "." */
  const char *modules;		/* analyses that the backend shall run, or "" */
  uint32_t events;		/* that they need: enum mprt_event */
  const char *include;		/* comma-separated globs, or null */
  const char *exclude;
  const char *loops;		/* the same of FILE:LINE, or null */
  const char *alloc_fn;		/* NAME:ARG,... or null */
  const char *use_no;		/* transformations switched off, or "" */
  const char *caches;		/* of the machine that matters, or null */
  unsigned scale;		/* of its inputs, against the profile's */
  const char *veto;		/* file names, or null */
  const char *remarks;
  const char *backend;		/* path of memprof-backend, or null */
  const char *dump_keys;	/* file that gets one line per function */
  enum profile_mode mode;
  unsigned object_bytes;	/* MODE_OBJECTS: smaller ones are left out */
  const char *ignored_obstacle; /* for tests: a kind that counts as none */
  enum coalescing coalesce;
  uint64_t faults;		/* a bit for each `fault' */
};

extern plugin_options options;

/* Whether the instrumentation shall be wrong in the way that WHICH says.  */
inline bool
seeded (fault which)
{
  return options.faults >> static_cast<unsigned> (which) & 1;
}

/* Fills `options'.  False after an error message.  */
bool parse_options (const plugin_name_args *info);

/* Whether NAME matches one of the comma-separated globs in LIST.  */
bool matches_glob_list (const char *name, const char *list);

} // namespace memprof::plugin

#endif
