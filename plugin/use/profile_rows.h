/* profile_rows.h - an opened profile, and the rows of one function in it.
   SPDX-License-Identifier: GPL-3.0-or-later

   For the two files behind bridge.h: profile_match.cc finds rows, profile_views.cc
   asks consumers/decide about them.  Standard containers, no GCC header.  */

#ifndef MEMPROF_PROFILE_ROWS_H
#define MEMPROF_PROFILE_ROWS_H

#include "plugin/use/bridge.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "consumers/decide/huge_pages.h"
#include "consumers/decide/prefetch.h"
#include "consumers/decide/reorder.h"
#include "consumers/decide/versioning.h"
#include "feedback/model.h"

namespace memprof::plugin {

class function_profile
{
public:
  function_profile (const feedback::Function &row, const profile &owner);

  const feedback::Site *
  site (unsigned ordinal) const
  {
    auto at = sites_.find (ordinal);
    return at == sites_.end () ? nullptr : at->second;
  }
  decide::LoadFacts facts (unsigned ordinal) const;
  decide::VersioningFacts facts (const versioning_view &view) const;
  const decide::CostModel &model () const;

private:
  const feedback::Function &row_;
  const profile &owner_;
  std::map<unsigned, const feedback::Site *> sites_;
};

class profile
{
public:
  profile_status open (const std::string &path, const char *source);
  function_match find (std::string_view source, std::string_view name,
		       uint32_t checksum, bool shared);
  const char *options (std::string_view source, std::string_view these);
  const decide::ObjectFacts *objects (const decide::ArenaIndex::Key &key);
  const decide::ReorderAdvice *reorder (std::string_view name, uint32_t key,
					const feedback::RecordType **type);

  std::string message_;
  std::string ignored_obstacle_;
  decide::CostModel model_;
  std::optional<decide::LoadIndex> index_;
  std::optional<decide::PairIndex> pairs_;

private:
  using module_list = std::vector<const feedback::Module *>;
  struct entry
  {
    const feedback::Module *module;
    const feedback::Function *function;
  };
  using entry_list = std::vector<entry>;

  const module_list &modules_for (std::string_view source);
  function_match matched (const feedback::Function &row);

  std::string path_;
  bool whole_;	// the rows of all modules
  feedback::Profile rows_;
  std::optional<decide::ArenaIndex> arenas_;
  std::optional<std::vector<decide::TypeFacts>> types_;
  std::map<size_t, decide::ReorderAdvice> reordered_;	// by index in types_
  std::unordered_map<std::string_view, entry_list> by_name_;
  std::map<std::string, module_list, std::less<>> modules_;
  std::map<const feedback::Function *, std::unique_ptr<function_profile>>
    matched_;
};

} // namespace memprof::plugin

#endif
