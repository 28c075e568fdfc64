// dead_store.cc - stores whose value is never read.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// An execution of a store is dead if each of its bytes was written again, or its
// memory was freed, before a load read any of them. What is still there when the
// program ends is not counted. Reads by code that is not instrumented are not
// seen.
//
//     s->state = 1;      dead: overwritten two lines below
//     s->size = 0;       read by the next line
//     s->state = s->size;
//
// Each byte of memory remembers the execution that wrote it last, and each
// execution how many bytes it still owns. A page that no store has touched since
// it was born or died is passed over: objects may have gigabytes.
#include <algorithm>
#include <vector>

#include "runtime/backend/base/per_site.h"
#include "runtime/backend/base/sparse_table.h"
#include "runtime/backend/event/module.h"

namespace memprof::backend {
namespace {

class DeadStoreModule final : public Module {
 public:
  explicit DeadStoreModule(const ProgramInfo& program) : program_(program) {
    writes_.emplace_back();  // number 0: no writer
  }

  void consume(const Batch& batch) override {
    for_each(batch, [this](const Event& e, std::uint64_t width) { event(e, width); });
  }

  bool reads_columns() const override { return false; }
  void finish(feedback::Profile& profile) override {
    dead_.for_each([&](SiteId site, std::uint64_t n) {
      if (n != 0 && program_.site_id(site) != feedback::k_none)
        profile.dead_stores.push_back({program_.site_id(site), n});
    });
  }

 private:
  struct Write {
    SiteId site = 0;
    bool read = false;
    std::uint64_t bytes = 0;  // that are still as it wrote them
  };

  void event(const Event& e, std::uint64_t width) {
    switch (e.kind) {
      case EventKind::load:
      case EventKind::maybe_written:  // and read
        owned_.for_set(e.address, e.address + width, [this](std::uint64_t a, std::uint64_t end) {
          for (; a < end; a++) writes_[owner_.get(a)].read = true;
        });
        break;
      case EventKind::store: replace(e.address, width, new_write(e.site, width)); break;
      case EventKind::external_store:
      case EventKind::birth:
      case EventKind::death:
      case EventKind::local_birth: replace(e.address, width, 0); break;
      default: break;
    }
  }

  // The bytes belong to the execution WRITE now.
  void replace(std::uint64_t address, std::uint64_t width, std::uint32_t write) {
    if (write != 0)
      for (std::uint64_t a = address & ~(k_page - 1); a < address + width; a += k_page)
        if (!owned_.get(a)) owned_.at(a) = true;
    owned_.for_set(address, address + width, [&](std::uint64_t first, std::uint64_t end) {
      for (std::uint64_t a = first; a < end; a++) replace_byte(a, write);
      if (write == 0 && end - first == k_page) owned_.at(first) = false;
    });
  }

  void replace_byte(std::uint64_t address, std::uint32_t write) {
    const std::uint32_t old = owner_.get(address);
    if (old == write) return;
    owner_.at(address) = write;
    if (old == 0 || --writes_[old].bytes != 0) return;
    if (!writes_[old].read) dead_[writes_[old].site]++;
    free_.push_back(old);
  }

  std::uint32_t new_write(SiteId site, std::uint64_t width) {
    if (width == 0) return 0;
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(writes_.size()));
      writes_.emplace_back();
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    writes_[number] = {site, false, width};
    return number;
  }

  static constexpr int k_page_bits = 12;
  static constexpr std::uint64_t k_page = 1 << k_page_bits;

  const ProgramInfo& program_;
  SparseTable<std::uint32_t, 0, k_leaf_by_byte> owner_;  // by byte: number of its Write
  SparseTable<bool, k_page_bits> owned_;                 // by page: a byte may have a writer
  std::vector<Write> writes_;
  std::vector<std::uint32_t> free_;      // numbers to use again
  PerSite<std::uint64_t> dead_;
};

}  // namespace

std::unique_ptr<Module> make_dead_store(const ProgramInfo& program) {
  return std::make_unique<DeadStoreModule>(program);
}

}  // namespace memprof::backend
