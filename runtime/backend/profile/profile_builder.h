// profile_builder.h - the part of a profile that no module makes: programs,
// functions, sites, loops, groups and their counts.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Module entries of the profile are source files, not site tables: with -flto a
// table holds functions of many files, and a file may be spread over several
// tables. A table's functions of one file join an entry of that file unless it
// already has one of them; so a source that was compiled twice has two entries.
//
// A COMDAT function appears in the table of each unit that saw it, but the
// linker kept one copy of its code. Rows of copies that were never executed are
// left out where another copy was, or came first.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "feedback/model.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/loop_samples.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/profile/extrapolate.h"
#include "runtime/backend/profile/first_burst.h"
#include "runtime/backend/profile/residency.h"
#include "runtime/backend/program/elf_file.h"
#include "runtime/backend/program/group_table.h"
#include "runtime/backend/program/loaded_units.h"

namespace memprof::backend {

// What modules may ask while events arrive and at the end, and the profile's
// skeleton.
class ProfileBuilder final : public ProgramInfo {
 public:
  ProfileBuilder(LoadedUnits& units, const GroupTable& groups)
      : units_(units), groups_(groups) {}

  bool store_p(SiteId site) const override { return units_.store_p(site); }
  bool pointer_p(SiteId site) const override { return units_.pointer_p(site); }
  bool tells_p(SiteId site) const override { return units_.tells_p(site); }
  bool may_alias(SiteId a, SiteId b) const override {
    return backend::may_alias(units_.type(a), units_.type(b));
  }
  feedback::GroupKind group_kind(GroupId group) const override {
    return groups_.kind(group);
  }
  std::uint64_t executions(SiteId site) const override {
    return site < executions_.size() ? executions_[site] : 0;
  }
  const CoveredSite* covered_site(SiteId site) const override {
    const auto it = units_.covered_sites().find(site);
    return it == units_.covered_sites().end() ? nullptr : &it->second;
  }
  std::size_t sites() const override { return units_.sites(); }
  std::string_view option(std::string_view key) const override {
    const auto it = options.find(key);
    return it == options.end() ? std::string_view() : it->second;
  }
  std::string profile_path() const override { return path; }
  FunctionId function_of(SiteId site) const override { return units_.function_of(site); }
  void note(const std::string& text) const override {
    if (say) say(text);
  }
  const LiveMemory* live_memory() const override { return memory; }
  std::string process() const override { return process_folder; }
  std::uint64_t times(SiteId site) const override {
    return factors_.of_site(site_id(site));
  }
  bool objects_only() const override;
  bool sampled() const override;
  feedback::Id site_id(SiteId site) const override;
  feedback::Id loop_id(LoopId loop) const override;
  feedback::Id group_id(GroupId group) const override;
  std::string function_name(FunctionId function) const override {
    return units_.function_name(function);
  }

  std::map<std::string, std::string, std::less<>> options;  // MPRT_OPTIONS by key
  std::string path;    // of the profile
  std::function<void(const std::string&)> say;
  std::map<GroupId, Residency> residency;
  const LiveMemory* memory = nullptr;
  std::string process_folder;  // in /proc; empty: the program does not run
  // Of the program, if they are known.
  std::string executable;
  ElfFile executable_file;

  // Sample mode: of loops that are sampled outside of bursts. Call it before count().
  void note_loop_samples(PerSite<SiteSamples>& samples) {
    samples_ = &samples;
  }
  // Sample mode: entries of loops, by LoopId, in early bursts that were left out nowhere.
  void note_early_entries(std::vector<std::uint32_t> entries) {
    early_entries_ = std::move(entries);
  }
  // Sample mode: what was decoded since the last call is one burst.
  void note_burst();

  // The second burst begins, after PLACES places of the first one.
  void note_first_burst(std::uint64_t places) {
    first_.note(units_.site_executions(), units_.loop_counts(), places);
  }

  // Everything has been decoded: counts are final, and the stream as a whole had COUNTS.
  void count(const StreamCounts& counts);
  // After count(): adds modules and the counts of `run'. Modules may ask meanwhile.
  void build(feedback::Profile& profile);
  const Factors& factors() const { return factors_; }
  // The tables are there: adds the groups, which they may name.
  void add_groups(feedback::Profile& profile) const;
  // The tables that are made of others are there, too: the groups that only windows have met.
  void add_groups_of_windows(feedback::Profile& profile) const;

 private:
  LoopId loop_around(SiteId site) const;
  LoopCounts& scaled_loop(LoopId id);
  void count_loop_samples();
  void weigh_first_burst();
  void count_few_entries();
  void count_unseen_iterations();
  void bound_outer_loops();
  void count_loop_of(SiteId site, const SiteSamples& samples);
  void add_group(GroupId id, const GroupCounts& counts, feedback::Profile& profile) const;
  void add_unit(const Unit& unit, feedback::Profile& profile);
  double error(SiteId site) const;
  // Of the row of a loop whose sites have rows: how far off its counts may be.
  void estimate_errors(LoopId id, const std::vector<feedback::Site>& sites,
                       feedback::Loop& loop) const;
  feedback::Function function_row(const Unit& unit, std::uint32_t row) const;
  bool executed(const Unit& unit, const mprt_function& function) const;
  void choose_comdat_copies();

  LoadedUnits& units_;
  const GroupTable& groups_;
  std::vector<std::uint64_t> executions_;  // by SiteId, once final
  PerSite<SiteSamples>* samples_ = nullptr;
  Factors factors_;
  FirstBurst first_;
  std::vector<std::uint32_t> early_entries_;
  std::vector<LoopCounts> seen_loops_;  // in bursts, by LoopId
  std::set<LoopId> exact_entries_;      // loops whose entries are all known
  std::map<LoopId, std::pair<std::uint64_t, std::uint64_t>> entry_bounds_;  // least and most
  std::set<SiteId> sampled_outside_;  // sites whose executions loop samples counted outside of bursts
  // Of bursts, by SiteId: executions in the last one (0 but within note_burst), their
  // sums and the sums of their squares.
  std::vector<std::uint64_t> burst_;
  std::vector<double> sums_, squares_;
  std::uint64_t bursts_ = 0;
  std::vector<LoopCounts> loops_;          // by LoopId
  std::vector<std::vector<bool>> dropped_;  // by unit and function
};

// What identifies a program without a build id: a hash of its site tables.
std::string hash_of_tables(const LoadedUnits& units);

}  // namespace memprof::backend
