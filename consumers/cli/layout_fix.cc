// layout_fix.cc - better orders of records as edits of their declarations, for editors and code scanners.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/layout_fix.h"

#include <cstdio>

#include "consumers/cli/layout_patch.h"
#include "consumers/decide/field_order.h"
#include "consumers/decide/machine.h"

namespace memprof::cli {

using namespace feedback;

namespace {

// The part of a unified diff with one hunk.
void take_hunk(const std::string& diff, LayoutFix& fix) {
  unsigned long first = 0, count = 0;
  const std::size_t head = diff.find("@@ -");
  if (head == std::string::npos || std::sscanf(diff.c_str() + head, "@@ -%lu,%lu", &first, &count) != 2) return;
  fix.first = first;
  fix.last = first + count - 1;
  for (std::size_t at = diff.find('\n', head) + 1; at < diff.size();) {
    const std::size_t end = diff.find('\n', at);
    if (diff[at] != '-') fix.text += diff.substr(at + 1, end - at);
    at = end + 1;
  }
}

}  // namespace

const SourceText* source_of(const RecordType& type, const Profile& profile, SourceFiles& files) {
  for (const Module& module : profile.modules) {
    const std::size_t slash = module.file.rfind('/');
    if (slash == std::string::npos) continue;
    if (const SourceText* found = files.find(module.file.substr(0, slash + 1) + type.file)) return found;
  }
  return files.find(type.file);
}

std::vector<LayoutFix> layout_fixes(const Profile& profile, SourceFiles& files) {
  const decide::CostModel model = decide::model_of(profile);
  std::vector<LayoutFix> fixes;
  for (const decide::TypeFacts& facts : decide::type_facts(profile)) {
    const RecordType& type = *facts.type;
    const decide::OrderProposal proposal = decide::propose_order(type, facts.heat);
    const decide::Decision decision = decide::decide_field_order(decide::candidate_of(type), facts, nullptr, model);
    if (!proposal.better || !(decision.take() || decision.reason == decide::Reason::not_asked)) continue;
    const SourceText* const source = source_of(type, profile, files);
    if (!source) continue;
    const auto patch = layout_patch({source->path, source->lines}, type, proposal.order);
    if (!patch || patch->empty()) continue;
    char lines[80];
    std::snprintf(lines, sizeof lines, ": a visit touches %.2f lines before, %.2f after",
                  decision.number("lines_before"), decision.number("lines_after"));
    LayoutFix fix{&type, source->path, 0, 0, "", type.name + lines};
    take_hunk(*patch, fix);
    if (fix.first != 0) fixes.push_back(std::move(fix));
  }
  return fixes;
}

}  // namespace memprof::cli
