// code_facts.h - what a profile says about the file that somebody has open in an editor.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Pure: no protocol here.  Lines count from 1, as in the profile.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "consumers/cli/advice.h"
#include "consumers/cli/answer.h"
#include "consumers/cli/layout_fix.h"
#include "consumers/cli/line_costs.h"
#include "consumers/decide/record_order.h"
#include "feedback/result.h"

namespace memprof::cli {

// Text above a line: a function's or loop's share.
struct Lens {
  std::uint32_t line;
  std::string text;
};

class CodeFacts {
 public:
  // Of the profile FILE.
  static feedback::Result<std::unique_ptr<CodeFacts>> read(const std::string& file);

  // Markdown about LINE of the file PATH, or about WORD there, if that is a field of a record that is
  // declared around it; empty: nothing is known.
  std::string hover(const std::string& path, std::uint32_t line, const std::string& word) const;
  std::vector<Lens> lenses(const std::string& path) const;
  // The causes of waiting in PATH.
  std::vector<const Cause*> causes(const std::string& path) const;
  static std::string cause_text(const Cause& cause);
  // Better orders of the records that PATH declares.
  std::vector<const LayoutFix*> fixes(const std::string& path) const;

 private:
  CodeFacts(feedback::Profile profile, const std::string& file);
  const LineCosts* costs_of(const std::string& path) const;
  std::string field_text(const std::string& path, std::uint32_t line, const std::string& word) const;

  feedback::Profile profile_;
  ProfileView view_;
  KnownDecisions decisions_;
  std::map<std::string, std::map<std::string, decide::FieldHeat>> heat_;  // by type and field
  FileCosts costs_;
  Answer answer_;
  SourceFiles files_;
  std::vector<LayoutFix> fixes_;
};

}  // namespace memprof::cli
