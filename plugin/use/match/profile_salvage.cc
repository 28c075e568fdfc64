/* profile_salvage.cc - what a profile says about functions that have moved or changed.
   SPDX-License-Identifier: GPL-3.0-or-later

   A function of another checksum was edited, or a function that is inlined into it, or the
   compiler treats it differently.  Most of its sites are still the profile's:

     1. a function that its source file has not is looked for in all modules: an equal one,
	if there is only one, has moved, or its file has another name;
     2. else the only function of its name, first in the modules of the file, then in all,
	is what it was before the change.  Its sites are aligned with those of this compile
	(feedback/align.h), and the pairs that every best alignment has are used.  A function
	of another file must have half of its sites here, or it is another function;
     3. lines after an insertion are higher by the same number, until the next change.  Where
	the pairs on both sides of a gap agree on it, the lines of the gap are counted so, and
	aligned again: of two equal loads the one in the right line is meant;
     4. a site that is not aligned, or whose function the profile has not, may have been inlined
	into another function then: it takes the row of its place in the source (place_index.h).
	So GCC's -fprofile-use may inline and split functions otherwise than the build that
	made the profile;
     5. any other site has no row.  Nothing follows from that, while a site of
	an unchanged function without a row was never executed.

   Which rows are taken changes no program's behaviour: each transformation is correct
   whatever the profile says.  LLVM does the same for sample profiles
   (SampleProfileMatcher.cpp, "stale profile matching").  */

#include "plugin/use/match/profile_rows.h"

#include <algorithm>
#include <set>

#include "consumers/decide/match_row.h"
#include "feedback/align.h"

namespace memprof::plugin {

namespace {

using Shapes = std::vector<feedback::SiteShape>;
using Pairs = std::vector<feedback::AlignedPair>;

Pairs
certain_pairs (const Shapes &before, const Shapes &now)
{
  Pairs pairs = feedback::align (before, now);
  std::erase_if (pairs, [] (const feedback::AlignedPair &p) { return !p.certain; });
  return pairs;
}

/* NOW with the lines of BEFORE, between those of PAIRS that moved by the same number.  */
Shapes
shifted (const Shapes &before, Shapes now, const Pairs &pairs)
{
  const Shapes as_is = now;
  auto moved_by = [&] (const feedback::AlignedPair &p) {
    return as_is[p.b].line - before[p.a].line;
  };
  for (size_t i = 0; i < pairs.size (); i++)
    {
      const size_t next = i + 1 < pairs.size () ? i + 1 : i;
      const size_t end = i + 1 < pairs.size () ? pairs[next].b : now.size ();
      const int64_t lines = moved_by (pairs[i]);
      if (lines == moved_by (pairs[next]))
	for (size_t b = pairs[i].b; b < end; b++)
	  now[b].line -= lines;
    }
  return now;
}

/* Which sites of BEFORE are which of NOW, by the positions in NOW.  */
std::map<size_t, size_t>
same_sites (const Shapes &before, const Shapes &now)
{
  const Pairs first = certain_pairs (before, now);
  std::map<size_t, size_t> found;
  std::vector<bool> taken (before.size ());
  auto add = [&] (const Pairs &pairs) {
    for (const feedback::AlignedPair &p : pairs)
      if (!taken[p.a] && found.emplace (p.b, p.a).second)
	taken[p.a] = true;
  };
  add (first);
  add (certain_pairs (before, shifted (before, now, first)));
  return found;
}

} // anonymous namespace

/* The profile with the rows of all modules; of one that was read for SOURCE, which this
   one has rows of, a second one.  */
profile &
profile::all_modules (std::string_view source)
{
  if (all_rows_ || modules_for (source).empty ())
    return *this;
  if (!elsewhere_)
    {
      elsewhere_ = std::make_unique<profile> ();
      elsewhere_->model_ = model_;
      elsewhere_->ignored_obstacle_ = ignored_obstacle_;
      elsewhere_->open (path_, nullptr, where_);
    }
  return *elsewhere_;
}

/* The function called NAME that has CHECKSUM, if there is one in all modules.  */
const profile::entry *
profile::moved (std::string_view source, std::string_view name, uint32_t checksum)
{
  const entry *found = nullptr;
  for (const entry &e : all_modules (source).named (name))
    if (e.function->checksum == checksum)
      {
	if (found)
	  return nullptr;
	found = &e;
      }
  return found;
}

/* The function called NAME, if there is one in the modules of SOURCE, or none there and
   one in all modules.  */
const profile::entry *
profile::only_changed (std::string_view source, std::string_view name)
{
  const module_list &here = modules_for (source);
  const entry *found = nullptr;
  for (const entry &e : named (name))
    if (std::find (here.begin (), here.end (), e.module) != here.end ())
      {
	if (found)
	  return nullptr;
	found = &e;
      }
  if (found)
    return found;
  const entry_list &all = all_modules (source).named (name);
  return all.size () == 1 ? &all[0] : nullptr;
}

/* The places of the sites of SOURCE.  */
const place_index &
profile::places (std::string_view source)
{
  auto [at, fresh] = places_.try_emplace (std::string (source));
  if (fresh)
    for (const feedback::Module *module : modules_for (source))
      for (const feedback::Function &function : module->functions)
	at->second.add (function);
  return at->second;
}

/* What SITES are in ROW, a function of another checksum.  */
function_profile::site_map
aligned (const feedback::Function &row, std::span<const site_shape> sites)
{
  Shapes now;
  for (const site_shape &s : sites)
    now.push_back ({ s.store ? feedback::Access::store : feedback::Access::load,
		     s.width, 0, s.expression, s.type, s.field, s.line });
  function_profile::site_map found;
  for (const auto &[here, there] : same_sites (feedback::site_shapes (row), now))
    found[here] = { &row, &row.sites[there] };
  return found;
}

function_match
profile::salvage (function_match was, std::string_view source,
		  std::string_view name, std::span<const site_shape> sites)
{
  const bool here = was.state == MATCH_STALE;
  function_profile::site_map found;
  if (const entry *before = only_changed (source, name))
    {
      found = aligned (*before->function, sites);
      if (!here && found.size () * 2 < before->function->sites.size ())
	found.clear ();
    }
  profile &owner = here || found.empty () ? *this : all_modules (source);
  // Rows of two readings are not mixed.
  if (&owner == this)
    {
      const place_index &by_place = places (source);
      for (unsigned ordinal = 0; ordinal < sites.size (); ordinal++)
	if (!found.contains (ordinal))
	  if (std::optional<site_row> row = by_place.find (sites[ordinal]))
	    found[ordinal] = *row;
    }
  if (found.empty ())
    return was;
  salvaged_.push_back (std::make_unique<function_profile> (owner, std::move (found)));
  return { MATCH_SALVAGED, salvaged_.back ().get () };
}

const char *
profile::match_remark (function_match found, std::string_view source,
		       std::string_view name)
{
  std::map<const feedback::Function *, uint64_t> used;
  if (found.function)
    used = found.function->executions ();
  if (const entry *row = found.state == MATCH_OK ? nullptr : only_changed (source, name))
    used.try_emplace (row->function, 0);
  std::set<std::string> lines;
  for (const auto &[function, executed] : used)
    {
      decide::MatchRow line;
      line.file = source;
      line.function = function->linkage_name;
      line.checksum = function->checksum;
      line.how = found.state == MATCH_OK ? decide::MatchRow::k_matched
		 : executed		 ? decide::MatchRow::k_salvaged
					 : decide::MatchRow::k_lost;
      line.executions = executions (*function);
      line.used = executed;
      lines.insert (decide::match_line (line));
    }
  match_remark_.clear ();
  for (const std::string &line : lines)
    match_remark_ += line;
  return match_remark_.empty () ? nullptr : match_remark_.c_str ();
}

} // namespace memprof::plugin
