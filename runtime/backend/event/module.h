// module.h - a profiling module, and the list of all of them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A module turns the event stream into rows of the profile.  Adding one: a file
// in modules/, one entry in runtime/wire/modules.def, fields in feedback/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "feedback/model.h"
#include "runtime/backend/event/batch.h"
#include "runtime/wire/module_events.h"

namespace memprof::backend {

class LiveMemory;  // live_memory.h

// What a module may ask about the program. It outlives the modules. While events arrive, it grows and
// the thread that calls the module may ask; in settle() and finish() it is complete.
class ProgramInfo {
 public:
  virtual ~ProgramInfo() = default;
  virtual std::size_t sites() const = 0;  // ids 1 .. sites()
  virtual bool store_p(SiteId site) const = 0;
  virtual bool pointer_p(SiteId) const { return false; }  // moves a pointer
  virtual bool tells_p(SiteId) const { return false; }    // in loop samples, what it does between bursts
  // Whether the one site may store what the other one loads, by their types (site_type.h).
  virtual bool may_alias(SiteId, SiteId) const { return true; }
  virtual feedback::GroupKind group_kind(GroupId group) const = 0;
  virtual std::uint64_t executions(SiteId site) const = 0;  // in settle() and finish() only
  // Not null: the site has no events of its own, and another site reports for it.
  virtual const CoveredSite* covered_site(SiteId) const { return nullptr; }
  // What MPRT_OPTIONS says under KEY, such as "cache" or "pages": the module that knows the key parses it, and
  // notes what makes no sense. Empty: nothing.
  virtual std::string_view option(std::string_view) const { return {}; }
  virtual void note(const std::string&) const {}  // something that the user should know
  // The profile's, which may not be there yet; empty: it has none.
  virtual std::string profile_path() const { return {}; }
  virtual const LiveMemory* live_memory() const { return nullptr; }  // in derive() only
  // The folder of the program in /proc while it runs, else empty.
  virtual std::string process() const { return {}; }
  // Sample mode, in finish() only: executions of a site for each one that was seen.
  virtual std::uint64_t times(SiteId) const { return 1; }
  virtual bool objects_only() const { return false; }  // objects mode: births and deaths
  virtual bool sampled() const { return false; }       // sample mode: bursts
  // Ids of the document; k_none for a site, loop or group without a row. k_external_site gives
  // k_external.
  virtual feedback::Id site_id(SiteId site) const = 0;
  virtual feedback::Id loop_id(LoopId loop) const = 0;
  virtual feedback::Id group_id(GroupId group) const = 0;
  virtual std::string function_name(FunctionId) const { return {}; }
  virtual FunctionId function_of(SiteId) const { return 0; }  // 0: of no known one
};

// A module is made, sees each batch in order, and makes its rows. All calls:
//
//   call            when                                   thread                      may assume
//   make            the first batch stands                 the one that read it        units may still be loaded
//   reads_columns,  once, after make                       the same
//   two_steps
//   prepare         each batch, in order, before its       any, one at a time; beside  nothing about consume() of
//                   consume(); only if two_steps()         consume() of an earlier one earlier batches
//   consume         each batch, in order                   any, one at a time          prepare() of it has returned true
//   settle          after the last batch                   any; beside other modules'  counts are final
//   finish          after all modules have settled         the session's, in the       counts and ids are final
//                                                          order of the registry
//   derive          after all modules have finished        the session's, the same     rows are extrapolated
//
// Calls of one module do not overlap, except prepare() as said; what one call wrote, the next one reads, whatever
// its thread. None may fail or wait: a module skips an event that makes no sense, and notes what the user should
// know.
class Module {
 public:
  virtual ~Module() = default;
  virtual void consume(const Batch& batch) = 0;
  // Appends the rows.
  virtual void finish(feedback::Profile& profile) = 0;
  // The same for rows that are made of other rows.
  virtual void derive(feedback::Profile&) {}

  // The rest is for speed.

  // Work after the last batch that needs no rows of other modules.
  virtual void settle() {}
  // False: consume() reads neither Batch::columns nor the objects of accesses. If that is so for all
  // modules of a run, neither is computed: a run of `dependence' alone takes 1 / 1.04 to 1 / 2.2 of
  // the time (median of six programs 1 / 1.45).
  virtual bool reads_columns() const { return true; }
  // True: prepare() does a part of the work. It returns false to wait until consume() is done with the batch
  // before. Two steps of `dependence' save 5 % of a replay (0 to 12 % on six programs).
  virtual bool two_steps() const { return false; }
  virtual bool prepare(const Batch&) { return true; }
};

struct ModuleEntry {
  const char* name;     // as in -fprofile-mem-modules=
  const char* section;  // key in the profile
  std::uint32_t flags;  // enum mprt_module_flag
  std::unique_ptr<Module> (*make)(const ProgramInfo&);  // it outlives the module
  std::uint32_t events;  // that it needs: enum mprt_event
  const char* help;
};

// The functions that make them: std::unique_ptr<Module> make_NAME(const ProgramInfo&).
#define MODULE(name, section, flags, make, events, help) \
  std::unique_ptr<Module> make(const ProgramInfo&);
#include "runtime/wire/modules.def"
#undef MODULE

// In registry order, which is also the order of finish().
const std::vector<ModuleEntry>& module_registry();

}  // namespace memprof::backend
