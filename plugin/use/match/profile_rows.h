/* profile_rows.h - an opened profile, and the rows of one function in it.
   SPDX-License-Identifier: GPL-3.0-or-later

   For the files that implement bridge.h: profile_match.cc finds rows,
   profile_salvage.cc finds rows of changed code, profile_decisions.cc asks
   consumers/decide about them.  Standard containers, no GCC header.  */

#ifndef MEMPROF_PROFILE_ROWS_H
#define MEMPROF_PROFILE_ROWS_H

#include "plugin/use/bridge.h"
#include "plugin/use/match/place_index.h"
#include "plugin/use/match/profile_objects.h"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "consumers/decide/branch_counts.h"
#include "consumers/decide/co_allocation.h"
#include "consumers/decide/field_order.h"
#include "consumers/decide/hot_functions.h"
#include "consumers/decide/machine.h"
#include "consumers/decide/prefetch.h"
#include "consumers/decide/streaming_stores.h"
#include "consumers/decide/versioning.h"
#include "feedback/model.h"

namespace memprof::plugin {

/* A decision, and what the bridge says about it.  */
struct kept_decision
{
  decide::Decision decision;
  std::string remark;
  decision_view view;
};

class function_profile
{
public:
  using site_map = std::map<unsigned, site_row>;

  /* All of ROW, by the ordinals of its sites.  */
  function_profile (const feedback::Function &row, profile &owner);
  /* What was found again in changed code: SITES by their ordinals there.  */
  function_profile (profile &owner, site_map sites)
    : owner_ (owner), sites_ (std::move (sites)), changed_ (true)
  {}

  const feedback::Site *
  site (unsigned ordinal) const
  {
    auto at = sites_.find (ordinal);
    return at == sites_.end () ? nullptr : at->second.site;
  }
  decide::LoadFacts facts (unsigned ordinal) const;
  decide::VersioningFacts facts (const decide::LoopOfSite &loop) const;
  decide::FunctionFacts facts () const;
  decide::BranchFacts facts (const decide::BranchCode &code) const;
  profile &owner () const { return owner_; }
  /* Executions of the sites that were found, by the function of the profile that has them.  */
  std::map<const feedback::Function *, uint64_t> executions () const;

private:
  profile &owner_;
  site_map sites_;
  bool changed_ = false;
};

class profile
{
public:
  profile_status open (const std::string &path, const char *source,
		       const deployment &where);
  profile_status refuse_other_compiler (unsigned major);
  function_match find (std::string_view source, std::string_view name,
		       uint32_t checksum, bool shared, bool alone);
  function_match salvage (function_match was, std::string_view source,
			  std::string_view name, std::span<const site_shape> sites);
  const char *match_remark (function_match found, std::string_view source,
			    std::string_view name);
  const char *options (std::string_view source, std::string_view these);
  const decide::TypeFacts *type (std::string_view name, uint32_t key);
  /* Of all runs together.  */
  uint64_t accesses () const { return rows_.run.accesses; }
  bool knows (std::string_view source) { return !modules_for (source).empty (); }
  /* Keeps DECISION until the next function is looked up or, if LONG_LIVED, as
     long as the profile.  */
  kept_decision &keep (decide::Decision decision, bool long_lived);

  std::string message_;
  std::vector<std::string> files_; // that exist
  std::string ignored_obstacle_;
  decide::CostModel model_;
  std::optional<decide::LoadIndex> index_;
  std::optional<decide::PairIndex> pairs_;
  std::optional<decide::StoreIndex> stores_;
  std::optional<profile_objects> objects_;

private:
  using module_list = std::vector<const feedback::Module *>;
  struct entry
  {
    const feedback::Module *module;
    const feedback::Function *function;
  };
  using entry_list = std::vector<entry>;

  const module_list &modules_for (std::string_view source);
  const entry_list &named (std::string_view name) const;
  const entry_list &family_of (std::string_view name);
  function_match matched (const feedback::Function &row);
  /* Profile_salvage.cc.  */
  const place_index &places (std::string_view source);
  profile &all_modules (std::string_view source);
  const entry *only_changed (std::string_view source, std::string_view name);
  const entry *moved (std::string_view source, std::string_view name,
		      uint32_t checksum);

  std::string path_;
  deployment where_ = {};
  bool all_rows_ = false; // rows_ has the rows of all modules
  std::unique_ptr<profile> elsewhere_; // all rows, when they are needed and rows_ has not
  std::vector<std::unique_ptr<function_profile>> salvaged_;
  std::string match_remark_;
  feedback::Profile rows_;
  std::map<std::string, place_index, std::less<>> places_; // by source file
  std::optional<std::vector<decide::TypeFacts>> types_;
  std::deque<kept_decision> of_function_, of_program_;
  std::unordered_map<std::string_view, entry_list> by_name_;
  std::unordered_map<std::string, entry_list> by_family_;
  std::map<std::string, module_list, std::less<>> modules_;
  std::map<const feedback::Function *, std::unique_ptr<function_profile>>
    matched_;
};

/* Of all sites of FUNCTION.  */
uint64_t executions (const feedback::Function &function);

} // namespace memprof::plugin

#endif
