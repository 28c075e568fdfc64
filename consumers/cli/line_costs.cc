// line_costs.cc - what the profile says about each line of a file, all its sites together.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/line_costs.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "consumers/cli/call_path.h"
#include "consumers/cli/place.h"
#include "feedback/model.h"

namespace memprof::cli {

using namespace feedback;

void StrideMix::add(const Stride& row, std::uint32_t width) {
  const std::uint64_t element = std::max(width, 1u);
  std::uint64_t known = 0;
  for (const StrideCount& s : row.histogram) {
    const std::uint64_t bytes = s.stride < 0 ? 0 - std::uint64_t(s.stride) : std::uint64_t(s.stride);
    add_count(known, s.count);
    std::uint64_t& part = bytes <= element               ? unit
                          : s.count >= row.executions / 10 ? constant
                                                           : irregular;
    add_count(part, s.count);
  }
  add_count(irregular, row.other);
}

const char* StrideMix::name() const {
  if (all() == 0) return "-";
  if (unit >= constant && unit >= irregular) return "unit";
  return constant >= irregular ? "constant" : "irregular";
}

std::uint64_t LineCost::accesses() const {
  std::uint64_t sum = loads;
  add_count(sum, stores);
  return sum;
}

namespace {

// The costs of all sites; LINE_OF (site, file, line) is the line that they are added to.
template <typename LineOf>
void add_costs(const ProfileView& view, LineOf line_of) {
  std::map<Id, LineCost*> lines;  // of a site
  std::map<Id, std::vector<LineCost*>> calls;  // that it is inlined with, each once
  for (const auto& ref : view.sites()) {
    LineCost& line = line_of(ref, ref.file(), ref.site->line);
    add_count(ref.site->kind == Access::load ? line.loads : line.stores, ref.site->executions);
    (ref.site->kind == Access::load ? line.loads_error : line.stores_error).add(*ref.site);
    line.sites.push_back(&ref);
    lines[ref.site->id] = &line;
    for (const PathStep& step : call_path(ref)) {
      LineCost* const call = &line_of(ref, *step.file, step.line);
      std::vector<LineCost*>& known = calls[ref.site->id];
      if (call == &line || std::find(known.begin(), known.end(), call) != known.end()) continue;
      known.push_back(call);
      add_count(call->inlined, ref.site->executions);
    }
    if (const Stride* row = view.stride(ref.site->id)) line.strides.add(*row, ref.site->width);
  }
  for (const Cache& r : view.profile().cache)
    if (const auto at = lines.find(r.site); at != lines.end()) {
      add_row(at->second->misses, r);
      for (LineCost* call : calls[r.site]) add_count(call->inlined_l2, r.l2);
    }
  for (const Dependence& d : view.profile().dependences)
    if (const auto at = lines.find(d.sink); at != lines.end() && d.kind == DependenceKind::raw) {
      add_count(at->second->flow, d.count);
      add_count(at->second->carried, d.carried);
    }
}

void sort_sites(FileCosts& files) {
  for (auto& [file, lines] : files)
    for (auto& [number, line] : lines)
      std::stable_sort(line.sites.begin(), line.sites.end(), [](const auto* a, const auto* b) {
        return std::tie(a->site->column, a->site->ordinal) <
               std::tie(b->site->column, b->site->ordinal);
      });
}

// Where FILES has the file NAME; remarks have the compiler's names, the profile may have
// longer ones.
FileCosts::iterator find_file(FileCosts& files, const std::string& name) {
  const auto file = files.find(name);
  return file != files.end() ? file : std::find_if(files.begin(), files.end(), [&](const auto& f) {
    return matching_components(f.first, name) != 0;
  });
}

}  // namespace

FileCosts file_costs(const ProfileView& view, const std::vector<decide::Decision>& decisions) {
  FileCosts files;
  add_costs(view, [&](const ProfileView::SiteRef&, const std::string& file, std::uint32_t line) -> LineCost& {
    return files[file][line];
  });
  sort_sites(files);
  for (const decide::Decision& d : decisions)
    if (const auto file = find_file(files, d.place.file); file != files.end())
      file->second[d.place.line].decisions.push_back(&d);
  return files;
}

FunctionCosts function_costs(const ProfileView& view) {
  FunctionCosts functions;
  add_costs(view, [&](const ProfileView::SiteRef& ref, const std::string& file, std::uint32_t line) -> LineCost& {
    return functions[ref.function][file][line];
  });
  for (auto& [function, files] : functions) sort_sites(files);
  return functions;
}

// Units that have functions of one name have each a file of their own, so both are looked up.
void add_decisions(const std::vector<std::pair<const Function*, FileCosts*>>& functions,
                   const std::vector<decide::Decision>& decisions) {
  const auto last_part = [](const std::string& file) { return file.substr(file.rfind('/') + 1); };
  std::map<std::pair<std::string, std::string>, std::vector<FileCosts*>> by_name;
  for (const auto& [function, files] : functions)
    for (const auto& [file, lines] : *files) {
      auto& there = by_name[{function->name, last_part(file)}];
      if (there.empty() || there.back() != files) there.push_back(files);
    }
  for (const decide::Decision& d : decisions) {
    const auto there = by_name.find({d.place.function, last_part(d.place.file)});
    if (there == by_name.end()) continue;
    for (FileCosts* files : there->second)
      if (const auto file = find_file(*files, d.place.file); file != files->end())
        if (auto& all = file->second[d.place.line].decisions; all.size() < k_most_decisions)
          all.push_back(&d);
  }
}

}  // namespace memprof::cli
