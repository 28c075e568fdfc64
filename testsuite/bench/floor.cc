// floor.cc - a backend that decodes, and does the least that dependences can take.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What bounds profiling by a stream of events: memprof-backend with a single module in the place
// of all others, whose answers are wrong because it does too little. Of each access that is in a
// block it looks at one word of a small shadow memory, a store leaves its site there, and a load
// counts one pair:
//
//     store 7 at A        shadow[A / 8 mod 2^18] = 7
//     load 9 at A         pairs[(7, 9) mod 2^14]++
//
// It knows no bytes, widths, loops, distances, threads, objects, births or deaths, has no
// collisions to sort out, and ranges cost it nothing. A module that counts pairs rightly does more,
// and so do the five others of the default. overhead.py runs it as the variant `floor'.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/backend/event/module.h"

namespace memprof::backend {
namespace {

class FloorModule final : public Module {
 public:
  void consume(const Batch& batch) override {
    for (const Event& e : batch.events) {
      if (e.kind == EventKind::block) {
        const Block block = batch.block_of(e);
        for (const BlockEntry& entry : block.entries())
          if (entry.execution())
            access(entry.site, entry.kind == EventKind::store, block.address(entry));
      } else if (e.kind == EventKind::load || e.kind == EventKind::store) {
        access(e.site, e.kind == EventKind::store, e.address);
      }
    }
  }
  bool reads_columns() const override { return false; }
  void finish(feedback::Profile&) override {}

 private:
  void access(SiteId site, bool store, std::uint64_t address) {
    SiteId& writer = shadow_[address / 8 % shadow_.size()];
    if (store)
      writer = site;
    else
      pairs_[(writer * 0x9e3779b1u + site) % pairs_.size()]++;
  }

  std::array<SiteId, 1 << 18> shadow_{};
  std::array<std::uint64_t, 1 << 14> pairs_{};
};

std::unique_ptr<Module> make_floor(const ProgramInfo&) { return std::make_unique<FloorModule>(); }

}  // namespace

// In the place of the one in registry.cc.
const std::vector<ModuleEntry>& module_registry() {
  static const std::vector<ModuleEntry> registry = {
      {"floor", "floor", MPRT_BY_DEFAULT, make_floor, 0, "the least that dependences can take"}};
  return registry;
}

}  // namespace memprof::backend
