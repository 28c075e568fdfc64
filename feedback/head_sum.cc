// head_sum.cc - what a sum says of the program, of its runs, and which tables it has.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/head_sum.h"

#include <algorithm>
#include <cmath>

#include "feedback/canonical.h"
#include "feedback/model.h"

namespace memprof::feedback {
namespace {

// N / 1e6 as a double, times 1e6, rounds to N again up to here.
constexpr std::uint64_t k_most_microseconds = std::uint64_t(1) << 51;

std::uint64_t microseconds(double seconds) {
  const double all = seconds * 1e6;
  return all > 0 ? std::uint64_t(std::llround(std::min(all, double(k_most_microseconds)))) : 0;
}

const char* name_of(Section table) { return k_section_names[unsigned(table)]; }

}  // namespace

void keep_smaller(std::string& kept, const std::string& other) {
  if (kept.empty() || (!other.empty() && other < kept)) kept = other;
}

bool HeadSum::has(Section table) const { return tables_.contains(name_of(table)); }

void HeadSum::add(const Profile& profile, Profile& sum) {
  add_tables(profile);
  if (first_) {
    sum.program = profile.program;
    sum.run = profile.run;
    sum.run.duration_s = 0;
    sum.tool = profile.tool;
  } else {
    add_program(profile.program, sum.program);
    add_run(profile.run, sum.run);
    sum.tool = std::max(sum.tool, profile.tool);
  }
  microseconds_ = std::min(microseconds_ + microseconds(profile.run.duration_s),
                           k_most_microseconds);
  sum.run.duration_s = double(microseconds_) / 1e6;
  sum.sections.clear();
  for (unsigned t = 0; t < k_tables; t++)
    if (const char* name = k_section_names[k_first_table + t]; tables_.contains(name))
      sum.sections.push_back(name);
  first_ = false;
}

// Where all dependences were measured there are none to infer: a profile with
// `dependences' alone has an empty table of inferred ones.  Inferred ones without
// `dependences' do not count beside a second profile, nor do they in a sum without.
void HeadSum::add_tables(const Profile& profile) {
  const std::vector<std::string> present = present_tables(profile);
  // A profile with `mdf' alone says of no pair that it never met.
  const auto pair_tables = [this] {
    tables_.erase(name_of(Section::never_met));
    if (tables_.contains(name_of(Section::mdf))) tables_.insert(name_of(Section::never_met));
  };
  if (first_) {
    tables_.insert(present.begin(), present.end());
    pair_tables();
    return;
  }
  const std::set<std::string> others(present.begin(), present.end());
  // They are of one run.
  for (const Section streams : {Section::whole_stream, Section::stream_names})
    tables_.erase(name_of(streams));
  const std::string inferred = name_of(Section::inferred_dependences),
                    measured = name_of(Section::dependences);
  const bool either = tables_.contains(inferred) || others.contains(inferred);
  std::erase_if(tables_, [&](const std::string& t) { return !others.contains(t); });
  if (either && tables_.contains(measured))
    tables_.insert(inferred);
  else
    tables_.erase(inferred);
  pair_tables();
}

void HeadSum::add_program(const Program& other, Program& sum) {
  if (sum.build_id != other.build_id) sum.build_id.clear();
  keep_smaller(sum.name, other.name);
  keep_smaller(sum.compiler, other.compiler);
  keep_smaller(sum.target, other.target);
  keep_smaller(sum.command, other.command);
}

void HeadSum::add_run(const Run& other, Run& sum) {
  sum.complete = sum.complete && other.complete;
  if (sum.mode != other.mode) sum.mode = "mixed";
  add_count(sum.bursts, other.bursts);
  sum.burst_length = std::max(sum.burst_length, other.burst_length);
  sum.burst_period = std::max(sum.burst_period, other.burst_period);
  sum.share = std::max(sum.share, other.share);
  if (sum.caches != other.caches) sum.caches = "mixed";
  if (sum.pages != other.pages) sum.pages = "mixed";
  sum.threads = std::max(sum.threads, other.threads);
  for (std::uint64_t Run::*count :
       {&Run::runs, &Run::accesses, &Run::loads, &Run::stores, &Run::events_lost,
        &Run::external_calls, &Run::objects, &Run::windows, &Run::window_accesses})
    add_count(sum.*count, other.*count);
  if (other.start != 0) sum.start = sum.start == 0 ? other.start : std::min(sum.start, other.start);
  if (sum.host != other.host) sum.host.clear();
  std::erase_if(sum.labels, [&](const Label& label) {
    return std::find(other.labels.begin(), other.labels.end(), label) == other.labels.end();
  });
  for (const ExternalFunction& f : other.external_functions) {
    std::vector<ExternalFunction>& all = sum.external_functions;
    const auto at = std::lower_bound(all.begin(), all.end(), f.name,
                                     [](const auto& a, const auto& name) { return a.name < name; });
    if (at != all.end() && at->name == f.name)
      add_count(at->calls, f.calls);
    else
      all.insert(at, f);
  }
}

}  // namespace memprof::feedback
