// silent_store.cc - stores of the value that is there already.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     s->dirty = 1;      silent if it was 1
//     a[i] = max (a[i], x);
//
// Each byte of memory is known or not, and if it is known, its value: that of the
// last store to it, or load from it, that had one. A store is silent if all its
// bytes are known and have its value. What is not known to be silent counts as
// not silent: the first store to memory that was never read.
#include "runtime/backend/event/module.h"

#include "runtime/backend/base/per_site.h"
#include "runtime/backend/base/sparse_table.h"

namespace memprof::backend {
namespace {

class SilentStoreModule final : public Module {
 public:
  explicit SilentStoreModule(const ProgramInfo& program) : program_(program) {}

  void consume(const Batch& batch) override {
    for_each(batch, [this](const Event& e, std::uint64_t width) { event(e, width); });
  }

  bool reads_columns() const override { return false; }
  void finish(feedback::Profile& profile) override {
    silent_.for_each([&](SiteId site, std::uint64_t n) {
      if (n != 0 && program_.site_id(site) != feedback::k_none)
        profile.silent_stores.push_back({program_.site_id(site), n});
    });
  }

 private:
  void event(const Event& e, std::uint64_t width) {
    switch (e.kind) {
      case EventKind::load:
      case EventKind::store:
        last_ = e.address;
        store_ = e.kind == EventKind::store;
        same_ = store_ && width <= 8;
        for (std::uint64_t i = 0; same_ && i < width; i++)
          before_[i] = bytes_.get(e.address + i);
        if (store_) bytes_.clear(e.address, e.address + width);
        break;
      case EventKind::value:  // of the load or store just before
        for (std::uint64_t i = 0; i < width; i++) {
          const auto now = static_cast<std::uint16_t>(k_known | (e.address >> 8 * i & 255));
          same_ = same_ && before_[i] == now;
          bytes_.at(last_ + i) = now;
        }
        if (store_ && same_) silent_[e.site]++;
        break;
      case EventKind::external_store:
      case EventKind::maybe_written:
      case EventKind::birth:
      case EventKind::death:
      case EventKind::local_birth: bytes_.clear(e.address, e.address + width); break;
      default: break;
    }
  }

  static constexpr std::uint16_t k_known = 256;

  const ProgramInfo& program_;
  SparseTable<std::uint16_t, 0, k_leaf_by_byte> bytes_;  // k_known | value, or 0
  std::uint16_t before_[8];              // values before the last store
  std::uint64_t last_ = 0;               // address of the last access
  bool store_ = false, same_ = false;
  PerSite<std::uint64_t> silent_;
};

}  // namespace

std::unique_ptr<Module> make_silent_store(const ProgramInfo& program) {
  return std::make_unique<SilentStoreModule>(program);
}

}  // namespace memprof::backend
