// profile_view.cc - a profile with its ids resolved, and how its rows are named.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/profile_view.h"

#include <algorithm>

#include "consumers/cli/table.h"
#include "feedback/group_name.h"

namespace memprof::cli {

using namespace feedback;

ProfileView::ProfileView(const Profile& profile) : profile_(profile) {
  for (const Module& module : profile.modules)
    for (const Function& function : module.functions) {
      for (const Loop& loop : function.loops) {
        loop_index_.emplace(loop.id, loops_.size());
        loops_.push_back({&module, &function, &loop, 0, 0});
      }
      for (const Site& site : function.sites) {
        site_index_.emplace(site.id, sites_.size());
        sites_.push_back({&module, &function, &site});
        executions_ += site.executions;
      }
    }
  for (const SiteRef& ref : sites_)
    if (auto at = loop_index_.find(ref.site->loop); at != loop_index_.end()) {
      loops_[at->second].executions += ref.site->executions;
      ++loops_[at->second].sites;
    }
  auto number = [](Index& index, const auto& rows, auto id) {
    for (std::size_t i = 0; i < rows.size(); ++i) index.emplace(rows[i].*id, i);
  };
  number(group_index_, profile.groups, &Group::id);
  number(stride_index_, profile.strides, &Stride::site);
  number(points_to_index_, profile.points_to, &PointsTo::site);
}

bool ProfileView::has_section(const char* name) const {
  return std::find(profile_.sections.begin(), profile_.sections.end(), name) !=
         profile_.sections.end();
}

std::string ProfileView::where(const SiteRef& ref) {
  std::string s = ref.file() + ":" + std::to_string(ref.site->line);
  if (ref.site->column) s += ":" + std::to_string(ref.site->column);
  return s;
}

std::string ProfileView::where(const LoopRef& ref) {
  return ref.file() + ":" + std::to_string(ref.loop->line);
}

std::string ProfileView::site_name(Id id) const {
  if (id == k_external) return "external code";
  const SiteRef* ref = site(id);
  return ref ? where(*ref) : "-";
}

std::string ProfileView::loop_name(Id id) const {
  const LoopRef* ref = loop(id);
  return ref ? where(*ref) : "-";
}

std::string ProfileView::group_name(const Group& group) { return feedback::group_name(group); }

std::string ProfileView::group_name(Id id) const {
  const Group* row = group(id);
  return row ? group_name(*row) : "unknown memory";
}

std::string ProfileView::main_group(Id id) const {
  const PointsTo* row = points_to(id);
  if (!row || row->groups.empty()) return "-";
  const PointsTo::Target* best = &row->groups[0];
  std::uint64_t total = 0;
  for (const PointsTo::Target& target : row->groups) {
    total += target.count;
    if (target.count > best->count) best = &target;
  }
  std::string name = group_name(best->group);
  if (row->groups.size() > 1 && total)
    name += " (" + percent(static_cast<double>(best->count) / static_cast<double>(total)) + ")";
  return name;
}

const char* kind_name(Access access) { return access == Access::load ? "load" : "store"; }

const char* kind_name(GroupKind kind) {
  switch (kind) {
    case GroupKind::heap: return "heap";
    case GroupKind::global: return "global";
    case GroupKind::stack: return "stack";
    case GroupKind::mapped: return "mapped";
    case GroupKind::unknown: break;
  }
  return "unknown";
}

const char* kind_name(DependenceKind kind) {
  switch (kind) {
    case DependenceKind::raw: return "RAW";
    case DependenceKind::war: return "WAR";
    case DependenceKind::waw: break;
  }
  return "WAW";
}

const char* class_name(StrideClass c) {
  switch (c) {
    case StrideClass::constant: return "constant";
    case StrideClass::ssst: return "ssst";
    case StrideClass::pmst: return "pmst";
    case StrideClass::wsst: return "wsst";
    case StrideClass::none: break;
  }
  return "none";
}

const char* class_meaning(StrideClass c) {
  switch (c) {
    case StrideClass::constant: return "the same address again and again";
    case StrideClass::ssst: return "strong single stride";
    case StrideClass::pmst: return "phases of several strides";
    case StrideClass::wsst: return "weak single stride";
    case StrideClass::none: break;
  }
  return "no regular stride";
}

std::string started_text(const Run& run) {
  std::string text = run.start != 0 ? utc_text(run.start) : "";
  if (!run.host.empty()) text += (text.empty() ? "on " : " on ") + printable(run.host);
  for (const Label& label : run.labels)
    text += (text.empty() ? "" : &label == run.labels.data() ? "; " : ", ") + printable(label.name + "=" + label.value);
  return text;
}

std::string width_text(const Site& site) {
  return site.width ? std::to_string(site.width) : "var";
}

}  // namespace memprof::cli
