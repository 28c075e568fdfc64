// module.h - a profiling module, and the list of all of them.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A module turns the event stream into rows of the profile.  Adding one: a file
// pair in modules/, one entry in runtime/wire/modules.def, fields in feedback/.
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

// What a module may ask about the program; owned by the driver, alive and
// growing while events arrive, complete when finish() is called; several threads may
// ask then.
class ProgramInfo {
 public:
  virtual ~ProgramInfo() = default;
  virtual bool store_p(SiteId site) const = 0;
  virtual bool pointer_p(SiteId) const { return false; }  // moves a pointer
  // Whether one of two sites may have stored what the other one loads (site_type.h).
  virtual bool may_alias(SiteId, SiteId) const { return true; }
  virtual feedback::GroupKind group_kind(GroupId group) const = 0;
  virtual std::uint64_t executions(SiteId site) const = 0;  // at finish only
  // Null unless the site has no events, but another one reports for it.
  virtual const CoveredSite* covered_site(SiteId) const { return nullptr; }
  // Sizes of the caches to model, as in run_options.h; empty: the machine's.
  virtual std::string_view cache_sizes() const { return {}; }
  // Whether births and deaths are all there is (objects mode).
  virtual bool objects_only() const { return false; }
  // Whether only bursts were seen (sample mode).
  virtual bool sampled() const { return false; }
  virtual std::size_t sites() const = 0;                    // ids 1 .. sites()
  // Ids of the document for ids of the stream; k_none for a site, loop or
  // group that has no row.  The SiteId k_external_site gives k_external.
  virtual feedback::Id site_id(SiteId site) const = 0;
  virtual feedback::Id loop_id(LoopId loop) const = 0;
  virtual feedback::Id group_id(GroupId group) const = 0;
  virtual std::string function_name(FunctionId) const { return {}; }
};

class Module {
 public:
  virtual ~Module() = default;
  // A module whose work takes long may do it in two steps, at which different threads may
  // be: prepare() of a batch, then consume() of the same, maybe while prepare() is at a
  // later one. If prepare() returns false, it waits until consume() is done with the batch.
  virtual bool two_steps() const { return false; }
  virtual bool prepare(const Batch&) { return true; }
  // Events in order.  One thread at a time calls it.
  virtual void consume(const Batch& batch) = 0;
  // Whether it looks at Batch::columns, or at the objects of accesses. If no module does,
  // these are left out.
  virtual bool reads_columns() const { return true; }
  // Whether rows of a range that are apart (range_rows.h) cost it less than as many ranges. If
  // they do not cost some module less, short ones are left as they are.
  virtual bool takes_rows() const { return true; }
  // After the last batch, maybe beside other modules: what takes long and needs none of their
  // rows.
  virtual void settle() {}
  // Adds this module's rows to the profile.  Called once, in registry order.
  virtual void finish(feedback::Profile& profile) = 0;
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
