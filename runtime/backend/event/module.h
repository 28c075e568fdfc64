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
#include "runtime/backend/event/collection.h"
#include "runtime/wire/module_events.h"
#include "feedback/streams/recorder.h"

namespace memprof::backend {

// Of the module whole_stream.
struct StreamOptions {
  streams::RecorderOptions recorder;
  bool stack = true;  // accesses to stacks, too
};

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
  // Sizes of the caches to model, as in run_options.h; empty: those of this machine.
  virtual std::string_view cache_sizes() const { return {}; }
  // The profile's, which may not be there yet; empty: it has none.
  virtual std::string profile_path() const { return {}; }
  virtual StreamOptions stream_options() const { return {}; }
  virtual Collection collection() const { return {0, {}, {}, 0}; }
  // How the module regularity finds streams, as in regularity_options.h; empty: as usual.
  virtual std::string_view stream_detection() const { return {}; }
  virtual const LiveMemory* live_memory() const { return nullptr; }  // in derive() only
  virtual void note(const std::string&) const {}  // something that the user should know
  // Parts of the TLB to model, as in page_geometry.h; empty: those of this machine.
  virtual std::string_view page_tables() const { return {}; }
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

// Life of a module: make, consume each batch in order, settle, finish. Calls of one module do not
// overlap, except for prepare(), but each may come from another thread. None may fail: a module
// skips an event that makes no sense.
class Module {
 public:
  virtual ~Module() = default;
  virtual void consume(const Batch& batch) = 0;
  // Appends the rows. Called once, in registry order, on one thread.
  virtual void finish(feedback::Profile& profile) = 0;
  // The same for rows that are made of other rows: after all modules have finished, and in sample
  // mode after extrapolation, so that they count in the same unit.
  virtual void derive(feedback::Profile&) {}

  // The rest is for speed.

  // Work after the last batch that needs no rows of other modules; runs beside theirs.
  virtual void settle() {}
  // False: consume() reads neither Batch::columns nor the objects of accesses. If that is so for all
  // modules of a run, neither is computed: a run of `dependence' alone takes 1 / 1.04 to 1 / 2.2 of
  // the time (median of six programs 1 / 1.45).
  virtual bool reads_columns() const { return true; }
  // True: prepare() does a part of the work, and may be at a later batch while consume() is at an
  // earlier one. It returns false to wait until consume() is done with this batch. Two steps of
  // `dependence' save 5 % of a replay (0 to 12 % on six programs).
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
