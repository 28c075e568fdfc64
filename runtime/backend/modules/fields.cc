// fields.cc - how the fields of records are used.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Heat: executions of the sites of a field, and their modelled misses (of estimates, the lower end of the interval).
//
// Affinity: two fields belong together when a visit of an object accesses both,
// for then one line can serve both. A visit is an iteration of an innermost loop,
// or a call of what stands in no loop:
//
//     for (o = list; o; o = o->next)       1000 iterations
//       if (o->price < limit)              visits: next 1000, price 1000,
//         sum += o->price * o->amount;             amount 30
//                                          together: amount and next 30, amount
//                                          and price 30, next and price 1000
//
// A field that several sites of a loop access is visited as often as the busiest of
// them; two fields are visited together as often as the rarer one. So two objects
// of one type in one loop count as one. All of that is known when the program ends
// from the counts of the sites: events cost nothing here.
#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "feedback/reuse_curve.h"
#include "runtime/backend/event/module.h"
namespace memprof::backend {
namespace {

using feedback::FieldUse;
using Key = std::pair<std::string, std::string>;  // type, field

class FieldsModule final : public Module {
 public:
  explicit FieldsModule(const ProgramInfo&) {}

  void consume(const Batch&) override {}

  void finish(feedback::Profile&) override {}
  void derive(feedback::Profile& profile) override {
    for (const feedback::Module& module : profile.modules)
      for (const feedback::Function& function : module.functions) count(function);
    for (const feedback::Cache& row : profile.cache)
      if (const auto at = of_site_.find(row.site); at != of_site_.end() && !row.guessed)
        uses_[at->second].misses += feedback::at_least(row.l2, row.errors.l2);
    for (auto& [key, use] : uses_) {
      use.type = key.first;
      use.field = key.second;
      for (const auto& [other, count] : together_[key]) use.together.push_back({other, count});
      profile.fields.push_back(std::move(use));
    }
  }

 private:
  // By loop and type: how often each field is visited there.
  using Visits =
      std::map<std::pair<feedback::Id, std::string>, std::map<std::string, std::uint64_t>>;

  void count(const feedback::Function& function) {
    Visits visits;
    for (const feedback::Site& site : function.sites) {
      if (site.type.empty() || site.field.empty()) continue;
      const Key key{site.type, site.field.substr(0, site.field.find('.'))};
      FieldUse& use = uses_[key];
      (site.kind == feedback::Access::load ? use.loads : use.stores) += site.executions;
      std::uint64_t& here = visits[{site.loop, key.first}][key.second];
      here = std::max(here, site.executions);
      of_site_.emplace(site.id, key);
    }
    for (const auto& [place, fields] : visits)
      for (auto a = fields.begin(); a != fields.end(); ++a) {
        uses_[{place.second, a->first}].visits += a->second;
        for (auto b = std::next(a); b != fields.end(); ++b)
          together_[{place.second, a->first}][b->first] += std::min(a->second, b->second);
      }
  }

  std::map<Key, FieldUse> uses_;
  std::map<Key, std::map<std::string, std::uint64_t>> together_;
  std::map<feedback::Id, Key> of_site_;
};

}  // namespace

std::unique_ptr<Module> make_fields(const ProgramInfo& program) {
  return std::make_unique<FieldsModule>(program);
}

}  // namespace memprof::backend
