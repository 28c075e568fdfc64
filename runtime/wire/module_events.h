/* module_events.h - which events a list of profiling modules needs.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

     "stride"             MPRT_LOADS | MPRT_STORES
     "dependence,stride"  the same | MPRT_CARRYING_LOOPS | MPRT_LOCALS | ...
     ""                  what the default modules need

   C++ only.  The plugin instruments for them; the backend says so if a module is asked for
   whose events the program does not report.  */

#ifndef MEMPROF_WIRE_MODULE_EVENTS_H
#define MEMPROF_WIRE_MODULE_EVENTS_H

#include <stdint.h>
#include <string.h>

enum mprt_event_number
{
#define MPRT_EVENT(name, text) MPRT_NUMBER_OF_##name,
#include "runtime/wire/events.def"
#undef MPRT_EVENT
  MPRT_EVENT_COUNT
};

/* Bits of a set of events.  */
enum mprt_event : uint32_t
{
#define MPRT_EVENT(name, text) MPRT_##name = 1u << MPRT_NUMBER_OF_##name,
#include "runtime/wire/events.def"
#undef MPRT_EVENT
  MPRT_ALL_EVENTS = (1u << MPRT_EVENT_COUNT) - 1
};

/* What else is known of a module: modules.def.  */
enum mprt_module_flag : uint32_t
{
  MPRT_BY_DEFAULT = 1,
  MPRT_OBJECTS_DEFAULT = 2,
  MPRT_SAMPLES = 4,
  MPRT_BY_NAME = 8
};

/* Whether LIST, with commas, holds NAME.  */

inline bool
mprt_list_has (const char *list, const char *name)
{
  size_t length = strlen (name);
  while (*list)
    {
      size_t here = strcspn (list, ",");
      if (here == length && memcmp (list, name, length) == 0)
	return true;
      list += here + (list[here] == ',');
    }
  return false;
}

/* Whether LIST (names, `default', `all', `none'; empty: the default) asks for
   the module NAME, which has FLAGS; modules of the default have the flag IS_DEFAULT.  */

inline bool
mprt_module_selected (const char *list, const char *name, uint32_t flags,
		      uint32_t is_default)
{
  return mprt_list_has (list, name)
	 || (!(flags & MPRT_BY_NAME) && mprt_list_has (list, "all"))
	 || ((flags & is_default) && (!*list || mprt_list_has (list, "default")));
}

/* Whether LIST asks for a module that needs every access. Of the default, modules that do
   not work with samples are left out of a sampled profile.  */

inline bool
mprt_needs_every_access (const char *list)
{
#define MODULE(name, section, flags, make, needs, help)                        \
  if (!((flags) & MPRT_SAMPLES) && mprt_module_selected (list, name, flags, 0))    \
    return true;
#include "runtime/wire/modules.def"
#undef MODULE
  return false;
}

/* The events that the modules of LIST need.  If there are none, only executions
   are counted.  */

inline uint32_t
mprt_events_of_modules (const char *list)
{
  uint32_t events = 0;
#define MODULE(name, section, flags, make, needs, help)                        \
  if (mprt_module_selected (list, name, flags, MPRT_BY_DEFAULT))               \
    events |= needs;
#include "runtime/wire/modules.def"
#undef MODULE
  if (!events)
    events = MPRT_LOADS | MPRT_STORES | MPRT_LOOPS;
  /* All loops are more than those, and accesses tell what they access.  */
  if (events & MPRT_LOOPS)
    events |= MPRT_CARRYING_LOOPS;
  const uint32_t accesses = MPRT_LOADS | MPRT_STORES;
  return (events & accesses) == accesses ? events | MPRT_TARGETS : events;
}

#endif
