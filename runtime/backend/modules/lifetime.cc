// lifetime.cc - how long objects live, and in which loops.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An object that is born and dies in the same iteration of a loop is *local* to
// that loop: each iteration could have an object of its own. The clock of
// loop_context.h says when: the object is stamped at its birth, and at its death
// a loop is asked whether its current iteration started before that. Outer
// iterations started earlier, so the loops to which an object is local are the
// first ones of the active loops.
//
//   loop 5 {            iteration started at 3
//     loop 6 {          iterations started at 4, 5
//       z = malloc      stamp 5
//     }
//     free z            active: loop 5; 3 <= 5: local to loop 5, not to 6
//   }
//
// Functions are asked the same: an object is local to the innermost call that was
// going on at its birth and still is at its death. So malloc in a wrapper and free in
// its caller make it local to the caller:
//
//     main { xmalloc { p = malloc } free p }    local to main
//
// Counted per group, innermost loop and innermost function of this kind; the
// variant `context' also by the calling context of the birth. A group is *always*
// local to a loop if each of its objects was: objects that never die, or die outside,
// are not. The lifetime is in accesses of the whole program; in objects mode, which
// has no accesses, loops and functions, in births.
//
// What another thread frees was local to nothing.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "feedback/table_sum.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/program/thread_contexts.h"

namespace memprof::backend {
namespace {

struct Alive {
  std::uint64_t born;  // time
  Stamp stamp;
  GroupId group;
  std::uint32_t thread;
  ContextId context;
};

// By group, and by context in that variant.
struct Objects {
  // By the innermost loop and function to which they were local; 0: to none.
  std::map<std::pair<LoopId, FunctionId>, feedback::Lifetime> rows;
  // Loops to which all objects so far were local, outermost first.
  std::vector<LoopId> common;
  bool any = false;

  void in_common(const std::vector<LoopId>& local) {
    if (!any) common = local;
    any = true;
    common.erase(
        std::mismatch(common.begin(), common.end(), local.begin(), local.end()).first,
        common.end());
  }
};

class LifetimeModule final : public Module {
 public:
  LifetimeModule(const ProgramInfo& program, bool contexts)
      : program_(program), contexts_(contexts), by_births_(program.objects_only()) {}

  void consume(const Batch& batch) override {
    if (!by_births_) time_ = batch.time;
    for (const Event& e : batch.events)
      if (e.kind == EventKind::block)
        for_each(batch, e, [&](const Event& x) { event(batch, x); });
      else if (e.kind == EventKind::range)
        for (const RangeAccess& a : batch.accesses_of(batch.ranges[e.index]))
          time_ += a.executions();
      else
        event(batch, e);
  }

  bool reads_columns() const override { return false; }
  void finish(feedback::Profile& profile) override {
    // What still lives is local to nothing.
    for (const auto& [address, object] : alive_) {
      objects_of(object).rows[{}].alive++;
      objects_of(object).in_common({});
    }
    feedback::TableSum<feedback::Lifetime> sum;
    for (auto& [key, objects] : objects_) {
      const feedback::Id group = program_.group_id(key.first);
      if (group == feedback::k_none) continue;
      const LoopId always = objects.common.empty() ? 0 : objects.common.back();
      // Some may have been local to different loops inside it.
      const auto place = objects.rows.lower_bound({always, 0});
      if (place == objects.rows.end() || place->first.first != always)
        if (always != 0) objects.rows[{always, 0}];
      for (auto& [scope, row] : objects.rows) {
        row.group = group;
        row.loop = program_.loop_id(scope.first);
        row.always = always != 0 && always == scope.first;
        if (scope.second != 0) row.function = program_.function_name(scope.second);
        row.context = at_.tree().text(key.second, program_);
        sum.add(row);
      }
    }
    sum.put(profile.lifetimes);
  }

 private:
  void event(const Batch& batch, const Event& e) {
    switch (e.kind) {
      case EventKind::load:
      case EventKind::store: time_++; break;
      case EventKind::birth: {
        const GroupId group = batch.targets[e.index].group;
        if (program_.group_kind(group) != feedback::GroupKind::stack)
          alive_[e.address] = {time_, at_.now(), group, at_.thread(), at_.context()};
        time_ += by_births_;
        break;
      }
      case EventKind::death:
        if (const auto object = alive_.extract(e.address)) death(object.mapped());
        break;
      default: at_.follow(e);
    }
  }

  void death(const Alive& object) {
    std::vector<LoopId> local;
    FunctionId function = 0;
    if (object.thread == at_.thread()) {
      function = at_.functions().since(object.stamp);
      const LoopContext& context = at_.loops();
      // The loops that were entered before the birth, the program first.
      const ActiveLoop* const last = context.own_carrier(object.stamp);
      for (const ActiveLoop* loop = last - context.place_of(last) + 1; loop <= last; loop++) {
        if (loop->starts == 0 || loop->iteration > object.stamp) break;
        local.push_back(loop->id);
      }
    }
    Objects& objects = objects_of(object);
    objects.in_common(local);
    feedback::Lifetime row;
    row.objects = 1;
    row.min = row.max = row.total = time_ - object.born;
    feedback::add_row(objects.rows[{local.empty() ? 0 : local.back(), function}], row);
  }

  Objects& objects_of(const Alive& object) {
    return objects_[{object.group, contexts_ ? object.context : 0}];
  }

  const ProgramInfo& program_;
  const bool contexts_, by_births_;
  std::uint64_t time_ = 0;
  ThreadContexts at_;
  std::unordered_map<std::uint64_t, Alive> alive_;  // by address
  std::map<std::pair<GroupId, ContextId>, Objects> objects_;
};

}  // namespace

std::unique_ptr<Module> make_lifetime(const ProgramInfo& program) {
  return std::make_unique<LifetimeModule>(program, false);
}

std::unique_ptr<Module> make_lifetime_context(const ProgramInfo& program) {
  return std::make_unique<LifetimeModule>(program, true);
}

}  // namespace memprof::backend
