// sense.cc - whether the counts of a profile agree with each other.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What must hold of rows of profiling modules is in their files (table.h).  Of the others:
//
//   run              accesses = loads + stores = sum of E (mode full); external_calls = sum
//                    of those of its functions
//   modules          a site has been executed; functions are distinct; invocations of a loop <=
//                    iterations + invocations of the one around it (give or take their errors)
//   groups           span <= bytes, resident <= large <= bytes; accesses <= those of the run
#include "feedback/sense.h"

#include <tuple>

#include "feedback/never_met.h"
#include "feedback/sense_faults.h"

namespace memprof::feedback {
namespace {

class Checker : public RowFaults {
 public:
  Checker(const Profile& profile, const IdTable& ids, Faults& faults)
      : RowFaults(faults), profile_(profile), ids_(ids), faults_(faults) {}

  void check() {
    check_program(profile_, faults_);
    check_groups();
#define TABLE(name, Row) \
    for_each(#name, profile_.name, [this](const Row& r) { rules<Row>().check(*this, r); });
#include "feedback/tables.def"
#undef TABLE
    at("/object_relative");
    rules<ObjectRelative>().check_sums(*this);
  }

  // For Rules.
  const Profile& profile() const { return profile_; }
  template <typename Row>
  Rules<Row>& rules() {
    return std::get<Rules<Row>>(rules_);
  }
  const Site* site(Id id) const {
    const auto it = ids_.sites.find(id);
    return it == ids_.sites.end() ? nullptr : it->second.site;
  }
  // The innermost loop around both, which are loops or k_none.
  Id common_loop(Id a, Id b) const {
    return innermost_common(a, b, [this](Id id) {
      const auto it = ids_.loops.find(id);
      return it == ids_.loops.end() ? k_none : it->second->parent;
    });
  }

 private:
  template <typename Row, typename Fn>
  void for_each(const char* table, const std::vector<Row>& rows, Fn fn) {
    for (std::size_t i = 0; i < rows.size() && !full(); i++) {
      at(std::string("/") + table + '/' + num(i));
      fn(rows[i]);
    }
  }

  void check_groups() {
    for_each("groups", profile_.groups, [this](const Group& g) {
      if (double(g.accesses) * (1 - g.error) > double(profile_.run.accesses) * k_rounding &&
          !saturated(g.accesses))
        fault("accesses", num(g.accesses) + " are more than the program's, " +
                              num(profile_.run.accesses));
      at_most("span", g.span, g.bytes, "the group's bytes");
      at_most("large", g.large, g.bytes, "the group's bytes");
      at_most("resident", g.resident, g.large, "the bytes of large objects");
    });
  }

  const Profile& profile_;
  const IdTable& ids_;
  Faults& faults_;
  struct End {};
  std::tuple<
#define TABLE(name, Row) Rules<Row>,
#include "feedback/tables.def"
#undef TABLE
      End>
      rules_;
};

}  // namespace

void check_sense(const Profile& profile, const IdTable& ids, Faults& faults) {
  Checker(profile, ids, faults).check();
}

}  // namespace memprof::feedback
