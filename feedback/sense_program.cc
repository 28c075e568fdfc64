// sense_program.cc - whether the counts of a program, its functions and its loops agree.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// What must hold is listed in sense.cc.
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "feedback/sense_faults.h"

namespace memprof::feedback {
namespace {

class ProgramChecker : RowFaults {
 public:
  ProgramChecker(const Profile& profile, Faults& faults) : RowFaults(faults), profile_(profile) {}

  void check() {
    check_run();
    check_functions();
  }

 private:
  void check_run() {
    const Run& run = profile_.run;
    at("/run");
    if (run.runs == 0) fault("runs", "expected 1 or more");
    if (run.accesses != sum(run.loads, run.stores))
      fault("accesses", num(run.accesses) + " is not loads + stores, " +
                            num(sum(run.loads, run.stores)));
    if (Count calls = 0; !run.external_functions.empty()) {
      for (const ExternalFunction& f : run.external_functions) calls = sum(calls, f.calls);
      if (calls != run.external_calls)
        fault("external_calls", num(run.external_calls) +
                                    " is not the sum of the functions' calls, " + num(calls));
    }
    if (run.mode != "full") return;
    Count loads = 0, stores = 0;
    for (const Module& module : profile_.modules)
      for (const Function& function : module.functions)
        for (const Site& s : function.sites) {
          Count& kind = s.kind == Access::load ? loads : stores;
          kind = sum(kind, s.executions);
        }
    if (run.loads != loads)
      fault("loads", num(run.loads) + " is not the sum of the sites' executions, " +
                         num(loads));
    if (run.stores != stores)
      fault("stores", num(run.stores) + " is not the sum of the sites' executions, " +
                          num(stores));
  }

  void check_functions() {
    for (std::size_t m = 0; m < profile_.modules.size(); m++) {
      std::set<std::pair<std::string, std::uint32_t>> keys;
      const std::vector<Function>& functions = profile_.modules[m].functions;
      for (std::size_t f = 0; f < functions.size() && !full(); f++) {
        at("/modules/" + num(m) + "/functions/" + num(f));
        if (!keys.emplace(functions[f].linkage_name, functions[f].checksum).second)
          fault("", "a second function " + functions[f].linkage_name +
                        " with this checksum in the module");
        for (std::size_t s = 0; s < functions[f].sites.size(); s++)
          if (functions[f].sites[s].executions == 0)
            fault("sites/" + num(s) + "/executions",
                  "a site that was never executed has no row");
        check_loops(functions[f]);
      }
    }
  }

  // A loop is entered at most once in each iteration of the loop around it, and in the part of one
  // that leaves it.
  void check_loops(const Function& function) {
    std::unordered_map<Id, const Loop*> by_id;
    for (const Loop& loop : function.loops) by_id[loop.id] = &loop;
    for (std::size_t i = 0; i < function.loops.size(); i++) {
      const Loop& loop = function.loops[i];
      const auto at = by_id.find(loop.parent);
      if (at == by_id.end() || saturated(loop.invocations)) continue;
      const Loop& around = *at->second;
      const double most = double(around.iterations) * (1 + around.iterations_error) +
                          double(around.invocations) * (1 + around.invocations_error);
      if (most != 0 && double(loop.invocations) * (1 - loop.invocations_error) > most)
        fault("loops/" + num(i) + "/invocations",
              num(loop.invocations) + " are more than the iterations of the loop around it, " +
                  num(around.iterations));
    }
  }

  const Profile& profile_;
};

}  // namespace

void check_program(const Profile& profile, Faults& faults) {
  ProgramChecker(profile, faults).check();
}

}  // namespace memprof::feedback
