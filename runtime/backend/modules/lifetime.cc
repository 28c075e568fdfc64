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
// Counted per group and innermost loop of this kind. A group is *always* local
// to a loop if each of its objects was: objects that never die, or die outside,
// are not. The lifetime is in accesses of the whole program; in objects mode,
// which has no accesses and no loops, in births.
//
// A loop context belongs to a thread; an object that another thread frees was
// local to no loop.
#include "runtime/backend/modules/lifetime.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "runtime/backend/loop_context.h"

namespace memprof::backend {
namespace {

struct Alive {
  std::uint64_t born;  // time
  Stamp stamp;
  GroupId group;
  std::uint32_t thread;
};

struct GroupState {
  std::map<LoopId, feedback::Lifetime> rows;  // by innermost local loop; 0: none
  // Loops to which all objects so far were local, outermost first.
  std::vector<LoopId> common;
  bool any = false;
};

class LifetimeModule final : public Module {
 public:
  explicit LifetimeModule(const ProgramInfo& program)
      : program_(program), by_births_(program.objects_only()) {}

  void consume(const Batch& batch) override {
    if (!by_births_) time_ = batch.time;
    for (const Event& e : batch.events)
      if (e.kind == EventKind::block)
        for_each(batch, e, [&](const Event& x) { event(batch, x); });
      else if (e.kind == EventKind::range)
        for (const RangeAccess& a : batch.accesses_of(batch.ranges[e.index])) time_ += a.count;
      else
        event(batch, e);
  }
  void finish(feedback::Profile& profile) override;

 private:
  void event(const Batch& batch, const Event& e);
  void death(std::uint64_t address);
  LoopContext& loops() {
    if (thread_ >= threads_.size()) threads_.resize(thread_ + 1);
    return threads_[thread_];
  }

  const ProgramInfo& program_;
  const bool by_births_;
  std::uint64_t time_ = 0;
  Stamp clock_ = 1;
  std::uint32_t thread_ = 0;
  std::vector<LoopContext> threads_;
  std::unordered_map<std::uint64_t, Alive> alive_;  // by address
  std::map<GroupId, GroupState> groups_;
};

void LifetimeModule::event(const Batch& batch, const Event& e) {
  switch (e.kind) {
    case EventKind::load:
    case EventKind::store: time_++; break;
    case EventKind::loop_enter: loops().enter(e.index, clock_, e.address); break;
    case EventKind::loop_iteration: loops().iterate(e.index, ++clock_); break;
    case EventKind::loop_exit: loops().exit(e.index); break;
    case EventKind::loop_resume: loops().resume(e.index, e.address); break;
    case EventKind::thread_end: loops() = LoopContext(); break;
    case EventKind::thread: thread_ = e.index; break;
    case EventKind::birth: {
      const GroupId group = batch.targets[e.index].group;
      if (program_.group_kind(group) != feedback::GroupKind::stack)
        alive_[e.address] = {time_, clock_, group, thread_};
      time_ += by_births_;
      break;
    }
    case EventKind::death: death(e.address); break;
    default: break;
  }
}

void LifetimeModule::death(std::uint64_t address) {
  const auto at = alive_.find(address);
  if (at == alive_.end()) return;
  const Alive object = at->second;
  alive_.erase(at);
  std::vector<LoopId> local;
  if (object.thread == thread_) {
    const LoopContext& context = loops();
    // The loops that were entered before the birth, the program first.
    const ActiveLoop* const last = context.carrier(object.stamp);
    for (const ActiveLoop* loop = last - context.place_of(last) + 1; loop <= last; loop++) {
      if (loop->starts == 0 || loop->iteration > object.stamp) break;
      local.push_back(loop->id);
    }
  }
  GroupState& group = groups_[object.group];
  feedback::Lifetime& row = group.rows[local.empty() ? 0 : local.back()];
  const std::uint64_t lifetime = time_ - object.born;
  row.min = row.objects == 0 ? lifetime : std::min(row.min, lifetime);
  row.max = std::max(row.max, lifetime);
  row.total += lifetime;
  row.objects++;
  if (!group.any) {
    group.common = local;
  } else {
    const auto end = std::mismatch(group.common.begin(), group.common.end(), local.begin(),
                                   local.end()).first;
    group.common.erase(end, group.common.end());
  }
  group.any = true;
}

void LifetimeModule::finish(feedback::Profile& profile) {
  // What still lives is local to nothing.
  for (const auto& [address, object] : alive_) {
    GroupState& group = groups_[object.group];
    group.rows[0].alive++;
    group.common.clear();
    group.any = true;
  }
  for (auto& [id, group] : groups_) {
    const feedback::Id group_id = program_.group_id(id);
    if (group_id == feedback::k_none) continue;
    if (!group.common.empty()) group.rows[group.common.back()].always = true;
    for (auto& [loop, row] : group.rows) {
      row.group = group_id;
      row.loop = program_.loop_id(loop);
      profile.lifetimes.push_back(row);
    }
  }
}

}  // namespace

std::unique_ptr<Module> make_lifetime(const ProgramInfo& program) {
  return std::make_unique<LifetimeModule>(program);
}

}  // namespace memprof::backend
