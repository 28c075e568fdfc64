// value.cc - what values sites load and store.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Several patterns side by side, each a reducer (reducers.h) of the values of a
// site, as bits and zero-extended:
//
//     v = table[7]        set {42 once per execution}: constant
//     v = flag            set {0, 1}, with counts
//     v = node->count     least and greatest value, repeats: as the time before
//     v = *next++         affine: first 100, step 8
//
// A load that ran once is constant. (Xu et al., PROMPT, with more patterns.)
#include "runtime/backend/event/module.h"

#include "runtime/backend/base/per_site.h"
#include "runtime/backend/base/reducers.h"

namespace memprof::backend {
namespace {

class ValueModule final : public Module {
 public:
  ValueModule(const ProgramInfo& program, bool stores) : program_(program), stores_(stores) {}

  void consume(const Batch& batch) override {
    for (std::size_t first = 0, end; first < batch.events.size(); first = end) {
      const Event& e = batch.events[first];
      end = first + 1;
      if (e.kind == EventKind::value) {
        const std::uint64_t value = e.address;
        insert(e.site, e.short_width, 1, [&](std::size_t) { return value; });
      } else if (e.kind == EventKind::block) {
        end = batch.end_of_blocks(first);
        for (const ValueEntry& v : batch.block_of(e).values())
          insert(v.site, v.width, end - first,
                 [&](std::size_t i) { return batch.block_of(batch.events[first + i]).value(v); });
      }
    }
  }

  bool reads_columns() const override { return false; }
  void finish(feedback::Profile& profile) override {
    sites_.for_each([&](SiteId site, const Site& s) {
      if (s.count.n == 0 || program_.site_id(site) == feedback::k_none) return;
      feedback::Value row{program_.site_id(site), s.count.n, {}, s.least.value,
                          s.greatest.value, s.repeats.count(), s.affine.affine()};
      for (const auto& [value, count] : s.set.entries()) row.values.push_back({value, count});
      if (row.affine) row.first = s.affine.first(), row.step = s.affine.step();
      profile.values.push_back(row);
    });
  }

 private:
  struct Site {
    Count count;
    SmallSet<4> set;
    Least<std::uint64_t> least;
    Greatest<std::uint64_t> greatest;
    Repeats repeats;
    Affine affine;
  };

  // Takes the first N values that VALUE(i) says.
  template <typename Fn>
  void insert(SiteId site, unsigned width, std::size_t n, Fn&& value) {
    if (!stores_ && program_.store_p(site)) return;
    Site& kept = sites_[site];
    Site s = kept;  // a copy stays in registers
    for (std::size_t i = 0; i < n; i++) {
      const std::uint64_t v = value(i);
      s.count.insert(v);
      s.set.insert(v);
      s.least.insert(v);
      s.greatest.insert(v);
      s.repeats.insert(v);
      s.affine.insert(v, 8 * width);
    }
    kept = s;
  }

  const ProgramInfo& program_;
  const bool stores_;
  PerSite<Site> sites_;
};

}  // namespace

std::unique_ptr<Module> make_value(const ProgramInfo& program) {
  return std::make_unique<ValueModule>(program, false);
}

std::unique_ptr<Module> make_value_all(const ProgramInfo& program) {
  return std::make_unique<ValueModule>(program, true);
}

}  // namespace memprof::backend
