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
// merging.  Ratios without a count in the file (mdf) are turned into counts of
// executions first.
#include "feedback/merge.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "feedback/canonical.h"
#include "feedback/derive.h"
#include "feedback/id_map.h"
#include "feedback/json_text.h"
#include "feedback/row_ids.h"
#include "feedback/row_keys.h"
#include "feedback/schema.h"
#include "feedback/writer.h"

namespace memprof::feedback {
namespace {

using Count = std::uint64_t;

// Longer histograms of strides are added up before all profiles are there.
constexpr std::size_t k_long_histogram = 256;

// The smaller of two texts; an empty one says nothing.
void keep_smaller(std::string& kept, const std::string& other) {
  if (kept.empty() || (!other.empty() && other < kept)) kept = other;
}

Count share_to_count(double share, Count whole) {
  const double count = std::clamp(share, 0.0, 1.0) * double(whole);
  return count >= 9e18 ? whole : Count(std::llround(count));
}

auto description(const Site& s) {
  return std::tie(s.kind, s.file, s.line, s.column, s.width, s.type, s.field,
                  s.expression, s.inlined_at);
}

template <int D>
bool better(const LmadStream<D>& a, const LmadStream<D>& b) {
  if (a.captured != b.captured) return a.captured > b.captured;
  std::string x, y;
  RowWriter(x).row(const_cast<LmadStream<D>&>(a));
  RowWriter(y).row(const_cast<LmadStream<D>&>(b));
  return x.size() != y.size() ? x.size() < y.size() : x < y;
}

template <int D>
void keep_better(LmadStream<D>& kept, const LmadStream<D>& other) {
  if (better(other, kept)) kept = other;
}

struct FunctionSum {
  Function row;                      // without loops and sites
  std::uint32_t all_sites = 0;
  std::vector<Loop> loops;
  std::map<std::uint32_t, Site> sites;  // by ordinal
};

struct MdfSum {
  Count lo = 0, est = 0, hi = 0;
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
    add_head(profile);
    list_sections();
    std::map<ModuleName, unsigned> equal;
    for (Module& module : profile.modules) {
      const ModuleName name = key(module);
      const ModuleKey numbered{name, equal[name]++};
      modules_.insert(numbered);
      for (Function& function : module.functions) add_function(numbered, function);
    }
    for (Group& group : profile.groups) add_group(group);
    add_tables(profile);
    first_ = false;
  }

  Profile result() {
    put_modules();
    for (auto& [k, group] : group_sums_) out_.groups.push_back(std::move(group));
    auto present = [this](const char* name) { return tables_.contains(name); };
    if (present("object_relative"))
      for (auto& [k, row] : object_relative_)
        out_.object_relative.push_back(std::move(row));
    if (present("mdf"))
      for (auto& [k, sum] : mdf_) {
        const Count whole = executions_[k.second];
        out_.mdf.push_back({k.first, k.second, ratio(sum.lo, whole),
                            ratio(sum.est, whole), ratio(sum.hi, whole)});
      }
    if (present("strides"))
      for (auto& [k, row] : strides_) {
        // One side may lack the row: a site that ran once has no stride.
        row.executions = executions_[row.site];
        derive(row);
        out_.strides.push_back(std::move(row));
      }
    if (present("dependences"))
      for (auto& [k, row] : dependences_) {
        row.frequency = ratio(row.count, executions_[row.sink]);
        out_.dependences.push_back(std::move(row));
      }
    if (present("inferred_dependences")) {
      inferred_.put(out_.inferred_dependences);
      for (InferredDependence& row : out_.inferred_dependences)
        row.frequency = ratio(row.count, executions_[row.sink]);
    }
    if (present("points_to"))
      for (auto& [site, targets] : points_to_) {
        PointsTo& row = out_.points_to.emplace_back();
        row.site = site;
        for (const auto& [group, count] : targets) row.groups.push_back({group, count});
      }
    if (present("cache")) cache_.put(out_.cache);
    if (present("types")) types_.put(out_.types);
    if (present("fields")) fields_.put(out_.fields);
    if (present("lifetimes")) put_lifetimes();
    if (present("dead_stores")) dead_stores_.put(out_.dead_stores);
    if (present("values")) values_.put(out_.values);
    if (present("silent_stores")) silent_stores_.put(out_.silent_stores);
    if (present("sharing")) sharing_.put(out_.sharing);
    if (present("pointers")) pointers_.put(out_.pointers);
    if (present("privatisation")) privatisation_.put(out_.privatisation);
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
  using DependenceKey = std::tuple<Id, Id, DependenceKind, Id, std::string>;

  static ModuleName key(const Module& m) { return {m.file, m.options_hash, m.options}; }

  Id source(Id id) const { return id == k_external ? id : sites_[id]; }

  void add_head(const Profile& profile) {
    const std::vector<std::string> present = present_tables(profile);
    std::set<std::string> tables(present.begin(), present.end());
    if (first_) {
      out_.program = profile.program;
      out_.run = profile.run;
      out_.tool = profile.tool;
      tables_ = std::move(tables);
      microseconds_ = std::llround(profile.run.duration_s * 1e6);
      return;
    }
    // Where all dependences were measured there are none to infer.
    const std::string inferred = k_section_names[unsigned(Section::inferred_dependences)];
    const bool either = tables_.contains(inferred) || tables.contains(inferred);
    std::erase_if(tables_, [&](const std::string& t) { return !tables.contains(t); });
    if (either && tables_.contains(k_section_names[unsigned(Section::dependences)]))
      tables_.insert(inferred);
    Program& p = out_.program;
    if (p.build_id != profile.program.build_id) p.build_id.clear();
    keep_smaller(p.name, profile.program.name);
    keep_smaller(p.compiler, profile.program.compiler);
    keep_smaller(p.target, profile.program.target);
    keep_smaller(p.command, profile.program.command);
    out_.tool = std::max(out_.tool, profile.tool);
    Run& r = out_.run;
    const Run& other = profile.run;
    r.complete = r.complete && other.complete;
    if (r.mode != other.mode) r.mode = "mixed";
    add_count(r.bursts, other.bursts);
    r.burst_length = std::max(r.burst_length, other.burst_length);
    r.burst_period = std::max(r.burst_period, other.burst_period);
    r.share = std::max(r.share, other.share);
    if (r.caches != other.caches) r.caches = "mixed";
    r.threads = std::max(r.threads, other.threads);
    for (Count Run::*count : {&Run::runs, &Run::accesses, &Run::loads, &Run::stores,
                              &Run::events_lost, &Run::external_calls, &Run::objects})
      add_count(r.*count, other.*count);
    microseconds_ += std::llround(other.duration_s * 1e6);
    r.duration_s = double(microseconds_) / 1e6;
  }

  void list_sections() {
    out_.sections.clear();
    for (unsigned t = 0; t < k_tables; t++)
      if (const char* name = k_section_names[k_first_table + t]; tables_.contains(name))
        out_.sections.push_back(name);
  }

  void add_function(const ModuleKey& module, Function& f) {
    auto [it, fresh] = functions_.try_emplace({module, f.linkage_name, f.checksum});
    FunctionSum& sum = it->second;
    if (fresh || std::tie(f.name, f.line) < std::tie(sum.row.name, sum.row.line)) {
      sum.row.name = f.name;
      sum.row.line = f.line;
    }
    sum.row.comdat = sum.row.comdat || f.comdat;
    sum.all_sites = std::max(sum.all_sites,
                             f.never_executed + std::uint32_t(f.sites.size()));
    add_loops(sum, f);
    for (Site& site : f.sites) {
      const Id id = site.id, loop = loops_[site.loop];
      own_executions_.set(id, site.executions);
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
    }
  }

  void add_loops(FunctionSum& sum, const Function& f) {
    for (std::size_t i = 0; i < f.loops.size(); i++) {
      if (i == sum.loops.size()) {
        sum.loops.emplace_back().id = next_loop_++;
        sum.loops[i].line = f.loops[i].line;
      }
      loops_.set(f.loops[i].id, sum.loops[i].id);
    }
    for (std::size_t i = 0; i < f.loops.size(); i++) {
      Loop& kept = sum.loops[i];
      kept.parent = std::min(kept.parent, loops_[f.loops[i].parent]);
      kept.line = std::min(kept.line, f.loops[i].line);
      add_count(kept.invocations, f.loops[i].invocations);
      add_count(kept.iterations, f.loops[i].iterations);
    }
  }

  void add_group(Group& g) {
    const Id id = g.id;
    auto [it, fresh] = group_sums_.try_emplace(
        {g.kind, g.file, g.line, g.function, g.type, g.context}, std::move(g));
    Group& kept = it->second;
    if (fresh) {
      kept.id = next_group_++;
    } else {
      keep_smaller(kept.allocator, g.allocator);
      add_count(kept.objects, g.objects);
      add_count(kept.bytes, g.bytes);
      kept.span = std::max(kept.span, g.span);
      add_count(kept.accesses, g.accesses);
    }
    groups_.set(id, kept.id);
  }

  void add_tables(Profile& profile) {
    for (ObjectRelative& r : profile.object_relative) {
      r.site = sites_[r.site];
      r.group = groups_[r.group];
      const auto [it, fresh] = object_relative_.try_emplace({r.site, r.group}, std::move(r));
      if (fresh) continue;
      ObjectRelative& kept = it->second;
      add_count(kept.accesses, r.accesses);
      keep_better(kept.v3, r.v3);
      keep_better(kept.v2, r.v2);
      keep_better(kept.v1, r.v1);
      keep_better(kept.o1, r.o1);
    }
    for (const Mdf& r : profile.mdf) {
      MdfSum& kept = mdf_[{source(r.source), sites_[r.sink]}];
      const Count executions = own_executions_[r.sink];
      add_count(kept.lo, share_to_count(r.lo, executions));
      add_count(kept.est, share_to_count(r.est, executions));
      add_count(kept.hi, share_to_count(r.hi, executions));
    }
    for (Stride& r : profile.strides) add_stride(r);
    for (Dependence& r : profile.dependences) add_dependence(r);
    add_rows(inferred_, profile.inferred_dependences);
    for (const PointsTo& r : profile.points_to)
      for (const PointsTo::Target& target : r.groups)
        add_count(points_to_[sites_[r.site]][groups_[target.group]],
                  target.count);
    add_rows(cache_, profile.cache);
    add_rows(types_, profile.types);
    add_rows(fields_, profile.fields);
    add_lifetimes(profile.lifetimes);
    add_rows(dead_stores_, profile.dead_stores);
    add_rows(values_, profile.values);
    add_rows(silent_stores_, profile.silent_stores);
    add_rows(sharing_, profile.sharing);
    add_rows(pointers_, profile.pointers);
    add_rows(privatisation_, profile.privatisation);
  }

  template <typename Row>
  void add_rows(TableSum<Row>& sum, std::vector<Row>& rows) {
    for (Row& row : rows) {
      for_each_id(row, [this](IdKind kind, IdField, Id& id, Need) {
        switch (kind) {
          case IdKind::site: id = sites_[id]; break;
          case IdKind::source: id = source(id); break;
          case IdKind::loop: id = loops_[id]; break;
          case IdKind::group: id = groups_[id]; break;
        }
      });
      sum.add(std::move(row));
    }
  }

  void add_stride(Stride& r) {
    r.site = sites_[r.site];
    const auto [it, fresh] = strides_.try_emplace(r.site, std::move(r));
    if (fresh) return;
    Stride& kept = it->second;
    add_count(kept.other, r.other);
    add_count(kept.repeats, r.repeats);
    add_count(kept.within_object.other, r.within_object.other);
    auto append = [](auto& histogram, const auto& more) {
      histogram.insert(histogram.end(), more.begin(), more.end());
      if (histogram.size() > k_long_histogram) sort_strides(histogram);
    };
    append(kept.histogram, r.histogram);
    append(kept.within_object.histogram, r.within_object.histogram);
  }

  void add_dependence(Dependence& r) {
    r.source = source(r.source);
    r.sink = sites_[r.sink];
    r.loop = loops_[r.loop];
    const auto [it, fresh] =
        dependences_.try_emplace({r.source, r.sink, r.kind, r.loop, r.context}, std::move(r));
    if (fresh) return;
    Dependence& kept = it->second;
    add_count(kept.count, r.count);
    add_count(kept.iters, r.iters);
    add_count(kept.intra, r.intra);
    add_count(kept.carried, r.carried);
    add_count(kept.no_loop, r.no_loop);
    add_count(kept.concurrent, r.concurrent);
    kept.distance.min = std::min(kept.distance.min, r.distance.min);
    kept.distance.max = std::max(kept.distance.max, r.distance.max);
    for (std::size_t i = 0; i < r.distance.histogram.size(); i++)
      add_count(kept.distance.histogram[i], r.distance.histogram[i]);
  }

  void add_lifetimes(std::vector<Lifetime>& rows) {
    std::map<GroupContext, Id> always;
    for (const Lifetime& r : rows) {
      Id& loop = always.try_emplace({groups_[r.group], r.context}, k_none).first->second;
      if (r.always) loop = loops_[r.loop];
    }
    for (const auto& [objects, loop] : always) always_[objects].insert(loop);
    add_rows(lifetimes_, rows);
  }

  // What is local to a loop in one run and to a loop inside it in another one is always
  // local to the outer one.
  void put_lifetimes() {
    std::vector<Id> parents(next_loop_, k_none);
    for (const Module& module : out_.modules)
      for (const Function& function : module.functions)
        for (const Loop& loop : function.loops)
          if (loop.parent < loop.id) parents[loop.id] = loop.parent;
    lifetimes_.put(out_.lifetimes);
    std::map<GroupContext, Id> missing;
    for (const auto& [objects, loops] : always_) {
      Id common = *loops.begin();
      for (Id loop : loops) common = innermost_common(parents, common, loop);
      if (common != k_none) missing[objects] = common;
    }
    const std::map<GroupContext, Id> always = missing;
    for (Lifetime& r : out_.lifetimes) {
      const auto it = always.find({r.group, r.context});
      r.always = it != always.end() && it->second == r.loop;
      if (r.always) missing.erase(it->first);
    }
    for (const auto& [objects, loop] : missing) {
      Lifetime& r = out_.lifetimes.emplace_back();
      r.group = objects.first;
      r.context = objects.second;
      r.loop = loop;
      r.always = true;
    }
    // Rows that only said `always' in a run.
    std::erase_if(out_.lifetimes, [](const Lifetime& r) {
      return r.objects == 0 && r.alive == 0 && !r.always;
    });
  }

  static Id innermost_common(const std::vector<Id>& parents, Id a, Id b) {
    // A loop inside another one has the greater id.
    while (a != b && a != k_none && b != k_none) (a > b ? a : b) = parents[std::max(a, b)];
    return a == b ? a : k_none;
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
        row.sites.push_back(std::move(site));
      }
      out_.modules[places[std::get<0>(k)]].functions.push_back(std::move(row));
    }
  }

  bool first_ = true;
  Profile out_;
  long long microseconds_ = 0;
  std::set<std::string> tables_;
  std::set<ModuleKey> modules_;
  std::map<FunctionKey, FunctionSum> functions_;
  std::map<GroupKey, Group> group_sums_;
  std::map<std::pair<Id, Id>, ObjectRelative> object_relative_;
  std::map<std::pair<Id, Id>, MdfSum> mdf_;
  std::map<Id, Stride> strides_;
  std::map<DependenceKey, Dependence> dependences_;
  TableSum<InferredDependence> inferred_;
  std::map<Id, std::map<Id, Count>> points_to_;
  TableSum<Cache> cache_;
  TableSum<RecordType> types_;
  TableSum<FieldUse> fields_;
  TableSum<Lifetime> lifetimes_;
  // To which each profile says that all objects are local, or k_none.
  using GroupContext = std::pair<Id, std::string>;
  std::map<GroupContext, std::set<Id>> always_;
  TableSum<DeadStore> dead_stores_;
  TableSum<Value> values_;
  TableSum<SilentStore> silent_stores_;
  TableSum<Sharing> sharing_;
  TableSum<PointerUse> pointers_;
  TableSum<Privatisation> privatisation_;
  IdMap<Count, 0> executions_;  // by id of the sum
  Id next_site_ = 0, next_loop_ = 0, next_group_ = 0;
  // Of the profile that is being added: id there -> id of the sum.
  IdNames sites_, loops_, groups_;
  IdMap<Count, 0> own_executions_;
};

Merger::Merger() = default;
Merger::~Merger() = default;

void Merger::add(Profile profile) {
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
