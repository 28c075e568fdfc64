// privatisation.cc - memory of which each iteration of a loop could have its own.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Iterations that use the same memory one after the other can run side by side if
// each has a copy of it: if none reads what an earlier iteration, or code before
// the loop, has written there.
//
//     for (i = 0; i < n; i++) {
//       for (j = 0; j < 8; j++) t[j] = a[i][j];      t: written first; a: not written
//       for (j = 0; j < 8; j++) sum += t[7 - j];     sum: what comes in is read
//     }
//
// Counted per loop and group, in executions (of several bytes, one is enough):
//
//   loads, stores   while the loop was active
//   exposed         loads that read a byte which the iteration had not written:
//                   with none, a copy per iteration would do
//   rewritten       stores to a byte that an earlier iteration of this invocation has
//                   written: without any, no copy is needed
//   live_out        loads after the loop of what the loop has written: the copy of
//                   the last writer is needed then
//
// Each byte remembers when it was written, by which thread, and inside which loops
// (a node of a tree of paths, as for calling contexts). Seen from a load, an iteration
// that started after that has not written it; iterations of outer loops started
// earlier, so the load is exposed for the innermost ones of the active loops. Memory
// that was born in the iteration counts as written there: nothing comes in.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "feedback/table_sum.h"
#include "runtime/backend/base/byte_shadow.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/event/target_cursor.h"
#include "runtime/backend/program/thread_contexts.h"

namespace memprof::backend {
namespace {

// The last writer of a byte; stamp 0: not written since the birth of its object.
struct Written {
  Stamp stamp = 0;
  std::uint32_t thread = 0;
  ContextId loops = 0;

  // Whether all is said of a byte by what was said of one that is like OTHER.
  bool said_by(const Written& other) const { return stamp != 0 && *this == other; }
  bool operator==(const Written&) const = default;
};

struct Birth {
  std::uint64_t end;
  Stamp stamp;
  std::uint32_t thread;
};

class PrivatisationModule final : public Module {
 public:
  explicit PrivatisationModule(const ProgramInfo& program) : program_(program) {}

  void consume(const Batch& batch) override {
    cursor_.for_each(batch, [this](const Event& e, std::uint64_t width, const AccessTarget& to) {
      event(e, width, to.group);
    });
  }

  // Only what the loop writes: copies of the rest are no question.
  void finish(feedback::Profile& profile) override {
    feedback::TableSum<feedback::Privatisation> sum;
    for (auto& [key, row] : rows_) {
      row.loop = program_.loop_id(static_cast<LoopId>(key >> 32));
      row.group = program_.group_id(static_cast<GroupId>(key));
      if (row.loop != feedback::k_none && row.group != feedback::k_none && row.stores != 0)
        sum.add(row);
    }
    sum.put(profile.privatisation);
  }

 private:
  void event(const Event& e, std::uint64_t width, GroupId group) {
    switch (e.kind) {
      case EventKind::load: load(e.address, width, group); break;
      case EventKind::store: store(e.address, width, group); break;
      case EventKind::external_store:
        for (std::uint64_t a = e.address; a != e.address + width; a++)
          shadow_.at(a) = {at_.now(), at_.thread(), 0};
        break;
      case EventKind::birth:
      case EventKind::local_birth:
        forget(e.address, width);
        if (width != 0) births_[e.address] = {e.address + width, at_.now(), at_.thread()};
        break;
      case EventKind::death: forget(e.address, width); break;
      default: at_.follow(e);
    }
  }

  void forget(std::uint64_t address, std::uint64_t width) {
    if (width == 0) return;
    shadow_.for_touched(address, width, [](Written& byte) { byte = {}; });
    auto birth = births_.upper_bound(address);
    if (birth != births_.begin() && std::prev(birth)->second.end > address) --birth;
    while (birth != births_.end() && birth->first < address + width) birth = births_.erase(birth);
  }
  // When this thread has written the byte at ADDRESS, or made it; 0: another did.
  Stamp own_stamp(std::uint64_t address, const Written& byte) const {
    if (byte.stamp != 0) return byte.thread == at_.thread() ? byte.stamp : 0;
    const auto birth = births_.upper_bound(address);
    if (birth == births_.begin()) return 0;
    const Birth& b = std::prev(birth)->second;
    return address < b.end && b.thread == at_.thread() ? b.stamp : 0;
  }

  // Calls fn(loop) for the active loops, innermost first, once for each LoopId.
  template <typename Fn>
  void for_loops(Fn&& fn) {
    const LoopContext& loops = at_.loops();
    // The innermost one was entered before what happens now.
    const ActiveLoop* loop = loops.own_carrier(at_.now() + 1);
    for (; loop->id != 0; loop--)
      if (!loop->recursive || first_p(loops, loop)) fn(*loop);
  }
  static bool first_p(const LoopContext& loops, const ActiveLoop* loop) {
    for (const ActiveLoop* i = loop + 1; i <= loop + (loops.depth() - loops.place_of(loop)); i++)
      if (i->id == loop->id) return false;
    return true;
  }
  feedback::Privatisation& row(LoopId loop, GroupId group) {
    return rows_[std::uint64_t{loop} << 32 | group];
  }

  void load(std::uint64_t address, std::uint64_t width, GroupId group) {
    Stamp oldest = at_.now() + 1;
    over_.clear();
    Written last;
    for (std::uint64_t a = address; a != address + width; a++) {
      const Written& byte = shadow_.at(a);
      if (byte.said_by(last)) continue;
      last = byte;
      oldest = std::min(oldest, own_stamp(a, byte));
      if (byte.loops == 0) continue;
      // Loops that held the store and are over.
      const ActiveLoop* common =
          byte.thread == at_.thread() ? at_.loops().own_carrier(byte.stamp) : nullptr;
      for (const LoopId loop : loops_.decode(byte.loops))
        if (!active_p(common, loop) &&
            std::find(over_.begin(), over_.end(), loop) == over_.end()) {
          over_.push_back(loop);
          row(loop, group).live_out++;
        }
    }
    for_loops([&](const ActiveLoop& loop) {
      feedback::Privatisation& r = row(loop.id, group);
      r.loads++;
      r.exposed += oldest < loop.iteration;
    });
  }
  // Whether COMMON is loop ID or lies in one.
  static bool active_p(const ActiveLoop* common, LoopId id) {
    for (; common != nullptr && common->id != 0; common--)
      if (common->id == id) return true;
    return false;
  }

  void store(std::uint64_t address, std::uint64_t width, GroupId group) {
    ContextId node = 0;
    path_.clear();
    for_loops([&](const ActiveLoop& loop) {
      row(loop.id, group).stores++;
      path_.push_back(loop.id);
    });
    for (std::size_t i = path_.size(); i-- > 0;) node = loops_.child(node, path_[i]);
    over_.clear();
    const Written now{at_.now(), at_.thread(), node};
    Written last;
    for (std::uint64_t a = address; a != address + width; a++) {
      const Written byte = std::exchange(shadow_.at(a), now);
      if (byte.said_by(last)) continue;
      last = byte;
      if (byte.stamp != 0 && byte.thread == at_.thread()) {
        const ActiveLoop* loop = at_.loops().own_carrier(byte.stamp);
        if (loop->id != 0 && byte.stamp < loop->iteration &&
            std::find(over_.begin(), over_.end(), loop->id) == over_.end()) {
          over_.push_back(loop->id);
          row(loop->id, group).rewritten++;
        }
      }
    }
  }

  const ProgramInfo& program_;
  ThreadContexts at_;
  TargetCursor cursor_;
  ContextTree loops_;  // paths of loops
  ByteShadow<Written> shadow_;
  std::map<std::uint64_t, Birth> births_;  // of what is there, by address
  std::vector<LoopId> path_, over_;
  std::unordered_map<std::uint64_t, feedback::Privatisation> rows_;  // by loop and group
};

}  // namespace

std::unique_ptr<Module> make_privatisation(const ProgramInfo& program) {
  return std::make_unique<PrivatisationModule>(program);
}

}  // namespace memprof::backend
