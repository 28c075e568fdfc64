// merge.cc - the profile of several runs of one program, as if of one.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Profiles are added, one after the other, to an empty sum:
//
//   1. each module, function, loop, site and group finds its entry by identity
//      (or makes one) and adds its counts; the entry's id in the sum is noted
//      for the id in the profile;
//   2. each row of a table finds its entry by the ids of the sum and adds;
//   3. at the end what follows from counts is computed again and the sum is put
//      in canonical order.
//
// Every step is a commutative and associative operation on integers (adding
// with saturation, minimum, maximum, the better of two streams): hence so is
// merging.  Shares are turned into counts of executions first (mdf: memory_pairs.h).
#include "feedback/merge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "feedback/canonical.h"
#include "feedback/derive.h"
#include "feedback/frames.h"
#include "feedback/head_sum.h"
#include "feedback/id_map.h"
#include "feedback/json_text.h"
#include "feedback/memory_pairs.h"
#include "feedback/row_ids.h"
#include "feedback/table_sum.h"
#include "feedback/schema.h"
#include "feedback/writer.h"

namespace memprof::feedback {
namespace {

using Count = std::uint64_t;

auto description(const Site& s) {
  return std::tie(s.kind, s.file, s.line, s.column, s.width, s.type, s.field,
                  s.expression, s.header, s.inlined_at);
}

struct FunctionSum {
  Function row;                      // without loops and sites
  std::uint32_t all_sites = 0;
  std::vector<Loop> loops;
  std::map<std::uint32_t, Site> sites;  // by ordinal
};

// The rows of a table, added up by key.
template <typename Row>
struct SumOf {
  using Type = TableSum<Row>;
};
// These two are in memory_pairs.h.
struct NoSum {};
template <>
struct SumOf<Mdf> {
  using Type = NoSum;
};
template <>
struct SumOf<NeverMet> {
  using Type = NoSum;
};

}  // namespace

class Merger::Sum {
 public:
  const Profile& head() const { return out_; }

  // Strings and rows of PROFILE move into the sum.
  void add_profile(Profile profile) {
    sites_.clear();
    loops_.clear();
    groups_.clear();
    head_.add(profile, out_);
    drop_tables(profile);
    std::map<ModuleName, unsigned> equal;
    for (Module& module : profile.modules) {
      const ModuleName name = key(module);
      const ModuleKey numbered{name, equal[name]++};
      modules_.insert(numbered);
      for (Function& function : module.functions) add_function(numbered, function);
    }
    for (Group& group : profile.groups) add_group(group);
    for (const auto& [group, parent] : parents_) add_parent(*group, groups_[parent]);
    parents_.clear();
    add_tables(profile);
  }

  Profile result() {
    put_modules();
    cut_cycles();
    for (auto& [k, group] : group_sums_) out_.groups.push_back(std::move(group));
#define TABLE(name, Row) \
  if (head_.has(Section::name)) put(name##_, out_.name);
#include "feedback/tables.def"
#undef TABLE
    canonicalise(out_);
    return std::move(out_);
  }

 private:
  // A file compiled twice for one program has modules of one name, told apart by their order.
  using ModuleName = std::tuple<std::string, std::uint32_t, std::string>;
  using ModuleKey = std::pair<ModuleName, unsigned>;
  using FunctionKey = std::tuple<ModuleKey, std::string, std::uint32_t>;
  using GroupKey = std::tuple<GroupKind, std::string, std::uint32_t, std::string,
                              std::string, std::string>;

  static ModuleName key(const Module& m) { return {m.file, m.options_hash, m.options}; }

  Id source(Id id) const { return id == k_external ? id : sites_[id]; }

  void add_function(const ModuleKey& module, Function& f) {
    auto [it, fresh] = functions_.try_emplace({module, f.linkage_name, f.checksum});
    FunctionSum& sum = it->second;
    if (fresh || std::tie(f.name, f.file, f.line) <
                     std::tie(sum.row.name, sum.row.file, sum.row.line)) {
      sum.row.name = f.name;
      sum.row.file = f.file;
      sum.row.line = f.line;
    }
    sum.row.comdat = sum.row.comdat || f.comdat;
    sum.all_sites = std::max(sum.all_sites,
                             f.never_executed + std::uint32_t(f.sites.size()));
    const std::vector<std::uint32_t> frames = add_frames(f.frames, sum.row.frames);
    for (Site& site : f.sites) site.frame = frames[site.frame];
    for (Loop& loop : f.loops) loop.frame = frames[loop.frame];
    sum.row.calls.insert(sum.row.calls.end(), f.calls.begin(), f.calls.end());
    add_loops(sum, f);
    for (Site& site : f.sites) {
      const Id id = site.id, loop = loops_[site.loop];
      const Count own = site.executions;
      const auto [place, first] = sum.sites.try_emplace(site.ordinal, std::move(site));
      Site& kept = place->second;
      if (first) {
        kept.id = next_site_++;
        kept.loop = loop;
      } else {
        Count executions = kept.executions;
        const double error = std::max(kept.error, site.error);
        add_count(executions, site.executions);
        if (description(site) < description(kept)) {
          site.id = kept.id;
          site.loop = kept.loop;
          kept = std::move(site);
        }
        kept.loop = std::min(kept.loop, loop);
        kept.executions = executions;
        kept.error = error;
      }
      sites_.set(id, kept.id);
      pairs_.note_executed(kept.id, own);
    }
    note_pairs(sum);
  }

  void note_pairs(const FunctionSum& sum) {
    std::map<Id, Id> outermost;
    for (const Loop& loop : sum.loops) {
      const auto around = outermost.find(loop.parent);
      outermost[loop.id] = around == outermost.end() ? loop.id : around->second;
    }
    std::vector<MemoryPairs::Place> places;
    for (const auto& [ordinal, site] : sum.sites)
      if (const auto loop = outermost.find(site.loop); loop != outermost.end())
        places.push_back({site.id, site.kind, loop->second});
    pairs_.note_function(places);
  }

  void add_loops(FunctionSum& sum, const Function& f) {
    for (std::size_t i = 0; i < f.loops.size(); i++) {
      if (i == sum.loops.size()) {
        sum.loops.emplace_back().id = next_loop_++;
        sum.loops[i].file = f.loops[i].file;
        sum.loops[i].line = f.loops[i].line;
        sum.loops[i].frame = f.loops[i].frame;
      }
      loops_.set(f.loops[i].id, sum.loops[i].id);
    }
    for (std::size_t i = 0; i < f.loops.size(); i++) {
      Loop& kept = sum.loops[i];
      kept.parent = std::min(kept.parent, loops_[f.loops[i].parent]);
      if (std::tie(f.loops[i].file, f.loops[i].line) < std::tie(kept.file, kept.line)) {
        kept.file = f.loops[i].file;
        kept.line = f.loops[i].line;
        kept.frame = f.loops[i].frame;
      }
      add_count(kept.invocations, f.loops[i].invocations);
      add_count(kept.iterations, f.loops[i].iterations);
      kept.invocations_error = std::max(kept.invocations_error, f.loops[i].invocations_error);
      kept.iterations_error = std::max(kept.iterations_error, f.loops[i].iterations_error);
    }
  }

  void add_group(Group& g) {
    const Id id = g.id, parent = g.parent;
    g.parent = k_none;
    auto [it, fresh] = group_sums_.try_emplace(
        {g.kind, g.file, g.line, g.function, g.type, g.context}, std::move(g));
    Group& kept = it->second;
    if (fresh) {
      kept.id = next_group_++;
      group_rows_.push_back(&kept);
    } else {
      keep_smaller(kept.allocator, g.allocator);
      keep_smaller(kept.wrapper, g.wrapper);
      add_count(kept.objects, g.objects);
      add_count(kept.bytes, g.bytes);
      kept.span = std::max(kept.span, g.span);
      add_count(kept.large, g.large);
      add_count(kept.resident, g.resident);
      add_count(kept.accesses, g.accesses);
      kept.error = std::max(kept.error, g.error);
    }
    groups_.set(id, kept.id);
    if (parent != k_none) parents_.emplace_back(&kept, parent);
  }

  // Of several parents the first one by name, whatever the order of the profiles.
  void add_parent(Group& group, Id parent) const {
    if (parent == k_none) return;
    const auto before = [this](Id a, Id b) {
      const auto name = [](const Group& g) {
        return std::tie(g.kind, g.file, g.line, g.function, g.type, g.context);
      };
      return name(*group_rows_[a]) < name(*group_rows_[b]);
    };
    if (group.parent == k_none || before(parent, group.parent)) group.parent = parent;
  }

  // Profiles that contradict each other may make groups that are carved from themselves.
  void cut_cycles() {
    std::vector<const Group*> walk(group_rows_.size());  // by id: the first whose walk came here
    for (auto& [k, group] : group_sums_) {
      Group* last = &group;
      for (walk[group.id] = walk[group.id] ? walk[group.id] : &group; last->parent != k_none;) {
        const Group*& seen = walk[last->parent];
        if (seen) {
          if (seen == &group) last->parent = k_none;
          break;
        }
        seen = &group;
        last = group_rows_[last->parent];
      }
    }
  }

  // What the sum will not have needs no memory.
  void drop_tables(Profile& profile) const {
    for_each_table(profile, [this](Section table, auto& rows) {
      if (!head_.has(table)) rows.clear();
    });
  }

  void add_tables(Profile& profile) {
#define TABLE(name, Row) \
  for (Row& row : profile.name) rename_ids(row); \
  add(name##_, profile.name);
#include "feedback/tables.def"
#undef TABLE
    pairs_.add(profile.mdf, profile.never_met);
  }

  // From ids of the profile that is being added to those of the sum.
  template <typename Row>
  void rename_ids(Row& row) {
    for_each_id(row, [this](IdKind kind, IdField, Id& id, Need) {
      switch (kind) {
        case IdKind::site: id = sites_[id]; break;
        case IdKind::source: id = source(id); break;
        case IdKind::loop: id = loops_[id]; break;
        case IdKind::group: id = groups_[id]; break;
      }
    });
    if constexpr (std::is_same_v<Row, CoAccess>) sort_members(row);
  }

  // What a table needs beside its key() and add_row(): shares that become counts while they
  // are added, and what follows from the executions of all runs.
  template <typename Row>
  void add(TableSum<Row>& sum, std::vector<Row>& rows) {
    for (Row& row : rows) sum.add(std::move(row));
  }
  template <typename Row>
  void put(TableSum<Row>& sum, std::vector<Row>& rows) {
    sum.put(rows);
    if constexpr (requires(Row& row) { row.frequency = ratio(row.count, executions_[row.sink]); })
      for (Row& row : rows) row.frequency = ratio(row.count, executions_[row.sink]);
  }

  template <typename Row>
  void add(NoSum&, const std::vector<Row>&) {}
  void put(const NoSum&, std::vector<Mdf>& rows) { pairs_.put(rows, executions_); }
  void put(const NoSum&, std::vector<NeverMet>& rows) {
    pairs_.put(rows, site_loops_, loop_parents());
  }

  void put(TableSum<Stride>& sum, std::vector<Stride>& rows) {
    sum.put(rows);
    for (Stride& row : rows) {
      // One side may lack the row: a site that ran once has no stride.
      row.executions = executions_[row.site];
      keep_short_strides(row);
      derive(row);
    }
  }

  void add(TableSum<Lifetime>& sum, std::vector<Lifetime>& rows) {
    std::map<GroupContext, Id> always;
    for (const Lifetime& r : rows) {
      Id& loop = always.try_emplace({r.group, r.context}, k_none).first->second;
      if (r.always) loop = r.loop;
    }
    for (const auto& [objects, loop] : always) always_[objects].insert(loop);
    for (Lifetime& row : rows) sum.add(std::move(row));
  }

  // What is local to a loop in one run and to a loop inside it in another one is always
  // local to the outer one.
  void put(TableSum<Lifetime>& sum, std::vector<Lifetime>& rows) {
    const std::vector<Id> parents = loop_parents();
    const auto parent = [&parents](Id loop) { return parents[loop]; };
    sum.put(rows);
    std::map<GroupContext, Id> missing;
    for (const auto& [objects, loops] : always_) {
      Id common = *loops.begin();
      for (Id loop : loops) common = innermost_common(common, loop, parent);
      if (common != k_none) missing[objects] = common;
    }
    const std::map<GroupContext, Id> always = missing;
    for (Lifetime& r : rows) {
      const auto it = always.find({r.group, r.context});
      r.always = it != always.end() && it->second == r.loop;
      if (r.always) missing.erase(it->first);
    }
    for (const auto& [objects, loop] : missing) {
      Lifetime& r = rows.emplace_back();
      r.group = objects.first;
      r.context = objects.second;
      r.loop = loop;
      r.always = true;
    }
    // Rows that only said `always' in a run.
    std::erase_if(rows, [](const Lifetime& r) {
      return r.objects == 0 && r.alive == 0 && !r.always;
    });
  }

  std::vector<Id> loop_parents() const {
    std::vector<Id> parents(next_loop_, k_none);
    for (const Module& module : out_.modules)
      for (const Function& function : module.functions)
        for (const Loop& loop : function.loops) parents[loop.id] = loop.parent;
    return parents;
  }

  void put_modules() {
    std::map<ModuleKey, std::size_t> places;
    for (const ModuleKey& k : modules_) {
      places[k] = out_.modules.size();
      Module& module = out_.modules.emplace_back();
      std::tie(module.file, module.options_hash, module.options) = k.first;
    }
    for (auto& [k, sum] : functions_) {
      Function row = std::move(sum.row);
      row.linkage_name = std::get<1>(k);
      row.checksum = std::get<2>(k);
      row.never_executed = sum.all_sites - std::min(sum.all_sites, std::uint32_t(sum.sites.size()));
      row.loops = std::move(sum.loops);
      for (auto& [ordinal, site] : sum.sites) {
        executions_.set(site.id, site.executions);
        site_loops_.set(site.id, site.loop);
        row.sites.push_back(std::move(site));
      }
      out_.modules[places[std::get<0>(k)]].functions.push_back(std::move(row));
    }
  }

  Profile out_;
  HeadSum head_;
  std::set<ModuleKey> modules_;
  std::map<FunctionKey, FunctionSum> functions_;
  std::map<GroupKey, Group> group_sums_;
#define TABLE(name, Row) SumOf<Row>::Type name##_;
#include "feedback/tables.def"
#undef TABLE
  std::vector<Group*> group_rows_;  // of group_sums_, by id
  // Groups of the profile at hand whose parent, there, is this one.
  std::vector<std::pair<Group*, Id>> parents_;
  // To which each profile says that all objects are local, or k_none.
  using GroupContext = std::pair<Id, std::string>;
  std::map<GroupContext, std::set<Id>> always_;
  IdMap<Count, 0> executions_;  // by id of the sum
  IdNames site_loops_;
  MemoryPairs pairs_;
  Id next_site_ = 0, next_loop_ = 0, next_group_ = 0;
  // Of the profile that is being added: id there -> id of the sum.
  IdNames sites_, loops_, groups_;
};

Merger::Merger() = default;
Merger::~Merger() = default;
Merger::Merger(Merger&&) = default;
Merger& Merger::operator=(Merger&&) = default;

// 6 times: 2 times and 4 times, each the double of the one before.
void Merger::add(Profile profile, std::uint64_t weight) {
  for (; weight > 1; weight /= 2) {
    if (weight % 2 == 1) add_once(profile);
    Profile copy = profile;
    profile = merge(std::move(copy), std::move(profile));
  }
  add_once(std::move(profile));
}

void Merger::add_once(Profile profile) {
  if (empty()) {
    first_ = std::move(profile);
    return;
  }
  if (first_) {
    sum_ = std::make_unique<Sum>();
    sum_->add_profile(*std::move(first_));
    first_.reset();
  }
  sum_->add_profile(std::move(profile));
}

const Profile& Merger::head() const { return sum_ ? sum_->head() : *first_; }
Profile Merger::result() { return sum_ ? sum_->result() : *std::move(first_); }

Profile merge(Profile a, Profile b) {
  Merger sum;
  sum.add(std::move(a));
  sum.add(std::move(b));
  return sum.result();
}

}  // namespace memprof::feedback
