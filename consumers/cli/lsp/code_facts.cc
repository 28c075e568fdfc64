// code_facts.cc - what a profile says about the file that somebody has open in an editor.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/lsp/code_facts.h"

#include <algorithm>

#include "consumers/cli/loop_report.h"
#include "consumers/cli/place.h"
#include "consumers/cli/show_rows.h"
#include "consumers/decide/whole.h"
#include "feedback/reader.h"

namespace memprof::cli {

using namespace feedback;

namespace {

// Causes of a file are shown down to this share of the time each.
constexpr std::size_t k_causes = 50;
// Functions and loops of less than this share of the accesses have no lens.
constexpr double k_least_share = 0.005;

bool same_file(const std::string& name, const std::string& path) { return matching_components(name, path) != 0; }

std::string line_of(const char* what, const std::string& text) { return std::string("- ") + what + ": " + text + "\n"; }

std::string cost_text(const ProfileView& view, const LineCost& cost) {
  std::string text = "**memprof**: " + percent(ratio(cost.accesses(), view.executions())) + " of the accesses\n\n";
  if (cost.loads) text += line_of("loads", count_text(cost.loads, decide::whole(cost.loads_error.half_width())));
  if (cost.stores) text += line_of("stores", count_text(cost.stores, decide::whole(cost.stores_error.half_width())));
  const Cache& misses = cost.misses;
  if (misses.l2) text += line_of("misses of L2", count_text(misses.l2, misses.errors.l2));
  if (misses.llc) text += line_of("of the last level", count_text(misses.llc, misses.errors.llc));
  if (misses.tlb) text += line_of("of the TLB", count_text(misses.tlb, misses.errors.tlb));
  if (cost.inlined) text += line_of("inlined here", counted(cost.inlined, "access", "accesses"));
  if (cost.strides.all()) text += line_of("strides", cost.strides.name());
  for (const auto* ref : cost.sites)
    if (view.points_to(ref->site->id)) {
      text += line_of("memory", view.main_group(ref->site->id));
      break;
    }
  for (const decide::Decision* d : cost.decisions)
    if (d->take() || d->open())
      text += line_of(d->take() ? "rebuild" : "rebuild, perhaps", decide::name(d->transformation) + std::string(": ") + d->text);
  return text;
}

}  // namespace

CodeFacts::CodeFacts(Profile profile, const std::string& file)
    : profile_(std::move(profile)),
      view_(profile_),
      decisions_(*known_decisions(view_, file, "")),
      heat_(decide::field_heat(profile_)),
      costs_(file_costs(view_, decisions_.all)),
      answer_(answer_of(view_, decisions_.all, file, k_causes)),
      files_({}, file),
      fixes_(layout_fixes(profile_, files_)) {}

Result<std::unique_ptr<CodeFacts>> CodeFacts::read(const std::string& file) {
  auto profile = read_profile(file, Input::descriptor_too);
  if (!profile) return profile.error();
  return std::unique_ptr<CodeFacts>(new CodeFacts(std::move(*profile), file));
}

const LineCosts* CodeFacts::costs_of(const std::string& path) const {
  const LineCosts* found = nullptr;
  unsigned best = 0;
  for (const auto& [file, lines] : costs_)
    if (const unsigned like = matching_components(file, path); like > best) {
      best = like;
      found = &lines;
    }
  return found;
}

std::string CodeFacts::field_text(const std::string& path, std::uint32_t line, const std::string& word) const {
  // A declaration has at most some lines for each field.
  constexpr std::uint32_t k_lines_per_field = 4;
  for (const RecordType& type : profile_.types) {
    if (!same_file(type.file, path) || line < type.line ||
        line > type.line + 2 + k_lines_per_field * type.fields.size())
      continue;
    const auto of_type = heat_.find(type.name);
    if (of_type == heat_.end()) continue;
    std::uint64_t all = 0;
    for (const auto& [name, field] : of_type->second) add_count(all, field.all());
    for (const Field& field : type.fields) {
      if (field.name != word) continue;
      const auto at = of_type->second.find(word);
      const decide::FieldHeat cost = at == of_type->second.end() ? decide::FieldHeat() : at->second;
      std::string text = "**" + type.name + " ." + word + "**: " + percent(ratio(cost.all(), all)) +
                         " of the accesses to the record\n\n";
      text += line_of("loads, stores", grouped(cost.loads) + ", " + grouped(cost.stores));
      if (cost.misses) text += line_of("misses of L2", grouped(cost.misses));
      text += line_of("place", "offset " + grouped(field.offset) + " of " + grouped(type.bytes) + ", line " +
                                   grouped(field.offset / 64 + 1));
      const decide::OrderProposal proposal = decide::propose_order(type, of_type->second);
      if (proposal.better)
        for (const decide::Placed& p : proposal.order.fields)
          if (type.fields[p.field].name == word) text += line_of("proposed", "offset " + grouped(p.offset));
      return text;
    }
  }
  return "";
}

std::string CodeFacts::hover(const std::string& path, std::uint32_t line, const std::string& word) const {
  if (std::string text = field_text(path, line, word); !text.empty()) return text;
  const LineCosts* const lines = costs_of(path);
  if (!lines) return "";
  const auto at = lines->find(line);
  if (at == lines->end()) return "";
  std::string text = cost_text(view_, at->second);
  for (const Cause* cause : causes(path))
    if (cause->site->site->line == line) text += "\n" + cause_text(*cause) + "\n";
  return text;
}

std::vector<Lens> CodeFacts::lenses(const std::string& path) const {
  std::vector<Lens> found;
  const double all = static_cast<double>(view_.executions());
  for (const Module& m : profile_.modules)
    for (const Function& f : m.functions) {
      if (!same_file(f.file.empty() ? m.file : f.file, path) || f.line == 0) continue;
      double accesses = 0;
      for (const Site& s : f.sites) accesses += static_cast<double>(s.executions);
      if (all > 0 && accesses / all >= k_least_share)
        found.push_back({f.line, "memprof: " + percent(accesses / all) + " of the accesses"});
    }
  for (const ProfileView::LoopRef& loop : view_.loops()) {
    if (!same_file(loop.file(), path) || loop.loop->line == 0) continue;
    const double share = all > 0 ? static_cast<double>(loop.executions) / all : 0;
    if (share < k_least_share) continue;
    std::string text = "memprof: " + percent(share) + ", entered " +
                       estimate_text(loop.loop->invocations, loop.loop->invocations_error) + " x " +
                       per_entry_text(*loop.loop) + " iterations";
    for (const decide::Decision& d : decisions_.all)
      if (d.take() && d.transformation == decide::Transformation::versioning && d.place.line == loop.loop->line &&
          same_file(d.place.file, loop.file()))
        text += ", rebuild: " + std::string(decide::name(d.transformation));
    found.push_back({loop.loop->line, text});
  }
  std::ranges::stable_sort(found, {}, &Lens::line);
  return found;
}

std::vector<const Cause*> CodeFacts::causes(const std::string& path) const {
  std::vector<const Cause*> found;
  for (const Cause& cause : answer_.causes)
    if (same_file(cause.site->file(), path)) found.push_back(&cause);
  return found;
}

std::string CodeFacts::cause_text(const Cause& cause) {
  std::string text = "waits for memory for " + percent(cause.share) + " of the time: " + cause.why;
  for (const Remedy& remedy : cause.remedies) text += "; " + remedy.what;
  return text;
}

std::vector<const LayoutFix*> CodeFacts::fixes(const std::string& path) const {
  std::vector<const LayoutFix*> found;
  for (const LayoutFix& fix : fixes_)
    if (same_file(fix.path, path)) found.push_back(&fix);
  return found;
}

}  // namespace memprof::cli
