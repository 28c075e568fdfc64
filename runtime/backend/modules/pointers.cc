// pointers.cc - objects that pointers point to, by calling contexts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A pointer is looked at when it is loaded, stored, passed or returned, whether it is
// used or not; `points_to' counts accesses through it.
//
//     node *f (node *p) { return p->next; }      argument 1 of f, the load of p->next,
//     f (list), f (ring)                         the result of f: in f < main
//
// Counted per place (a site, or an argument or the result of a function), calling
// context and target. An object is known by its group and the context in which it was
// allocated; the other targets are null and unknown: no object that is alive. One
// past the end of an object belongs to it, too (`ends'), and to the object that starts
// there. Addresses of the first page are no pointers.
//
// A place that has met more than 64 targets in a context has one row, `many': as in
// Xu et al., PROMPT.
#include <map>
#include <tuple>

#include "feedback/table_sum.h"
#include "runtime/backend/base/fault.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/machine/machine.h"
#include "runtime/backend/program/live_objects.h"
#include "runtime/backend/program/thread_contexts.h"

namespace memprof::backend {
namespace {

using feedback::PointerTarget;

constexpr std::uint64_t k_first_page = k_page_bytes;
constexpr std::size_t k_most_targets = 64;

struct Place {
  SiteId site = 0;
  FunctionId function = 0;     // with site 0
  std::uint32_t argument = 0;  // of it, from 1; 0: what it returns
  ContextId context = 0;
  auto operator<=>(const Place&) const = default;
};

struct Name {
  PointerTarget target = PointerTarget::object;
  GroupId group = 0;
  ContextId context = 0;  // of the birth
  auto operator<=>(const Name&) const = default;
};

struct Counts {
  std::uint64_t count = 0, ends = 0;
};

struct Targets {
  std::map<Name, Counts> counts;
  std::uint64_t all = 0;
  bool many = false;
};

class PointersModule final : public Module {
 public:
  explicit PointersModule(const ProgramInfo& program) : program_(program) {}

  void consume(const Batch& batch) override {
    for_each(batch, [&](const Event& e, std::uint64_t width) { event(batch, e, width); });
  }
  void finish(feedback::Profile& profile) override;

 private:
  void event(const Batch& batch, const Event& e, std::uint64_t width) {
    switch (e.kind) {
      case EventKind::value:
        if (program_.pointer_p(e.site)) pointer({e.site, 0, 0, at_.context()}, e.address);
        break;
      case EventKind::pointer:
        pointer({0, e.index, e.short_width, at_.context()}, e.address);
        break;
      case EventKind::birth:
      case EventKind::global_birth: {
        const GroupId group = batch.targets[e.index].group;
        const bool heap = e.kind == EventKind::birth &&
                          program_.group_kind(group) != feedback::GroupKind::stack &&
                          g_fault != Fault::pointer_context;
        objects_.born(e.address, width,
                      {PointerTarget::object, group, heap ? at_.context() : 0});
        break;
      }
      case EventKind::death:
        if (g_fault != Fault::pointer_death) objects_.died(e.address);
        break;
      default: at_.follow(e);
    }
  }

  void pointer(const Place& place, std::uint64_t value) {
    if (value != 0 && value < k_first_page) return;
    Targets& targets = places_[place];
    targets.all++;
    if (value == 0) {
      add(targets, {PointerTarget::null}, false);
      return;
    }
    auto found = objects_.find(value);
    if (g_fault == Fault::pointer_end) found.end = nullptr;
    if (found.in != nullptr) add(targets, *found.in, false);
    if (found.end != nullptr) add(targets, *found.end, true);
    if (found.in == nullptr && found.end == nullptr)
      add(targets, {PointerTarget::unknown}, false);
  }

  static void add(Targets& targets, const Name& name, bool end) {
    if (targets.many) return;
    Counts& counts = targets.counts[name];
    counts.count++;
    counts.ends += end;
    if (targets.counts.size() <= k_most_targets) return;
    targets.many = true;
    targets.counts.clear();
  }

  const ProgramInfo& program_;
  ThreadContexts at_;
  LiveObjects<Name> objects_;
  std::map<Place, Targets> places_;
};

// Groups and names that are one in the document are added up.
void PointersModule::finish(feedback::Profile& profile) {
  feedback::TableSum<feedback::PointerUse> sum;
  for (auto& [place, targets] : places_) {
    feedback::PointerUse row;
    row.at = place.site == 0 ? feedback::k_none : program_.site_id(place.site);
    if (place.site != 0 && row.at == feedback::k_none) continue;
    if (place.site == 0) row.function = program_.function_name(place.function);
    row.argument = place.argument;
    row.context = at_.tree().text(place.context, program_);
    if (targets.many) targets.counts[{PointerTarget::many}] = {targets.all, 0};
    for (const auto& [name, counts] : targets.counts) {
      row.target = name.target;
      row.group = name.target == PointerTarget::object ? program_.group_id(name.group)
                                                       : feedback::k_none;
      if (name.target == PointerTarget::object && row.group == feedback::k_none)
        row.target = PointerTarget::unknown;
      row.allocated = at_.tree().text(name.context, program_);
      row.count = counts.count;
      row.ends = counts.ends;
      sum.add(row);
    }
  }
  sum.put(profile.pointers);
}

}  // namespace

std::unique_ptr<Module> make_pointers(const ProgramInfo& program) {
  return std::make_unique<PointersModule>(program);
}

}  // namespace memprof::backend
