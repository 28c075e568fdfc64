/* profile_match.cc - finds the rows of a function in a profile.
   SPDX-License-Identifier: GPL-3.0-or-later

   The profile's side of bridge.h: standard containers, no GCC header.

   A function is known by (source file, linkage name, checksum).  The build may
   name the file differently than the profiled one did (another folder, VPATH,
   -ffile-prefix-map), so:

     1. modules whose file is exactly SOURCE, if there are any; else those that
        have the longest common path suffix with it, at least the last part;
     2. in them, the function of equal name and checksum.  None, but one of that
	name: the code has changed.  More than one: ambiguous, which counts as
	no profile, because a wrong one is worse than none.  If neither the profile nor
	this compile has another function of its family and checksum, the name may
	have other numbers: f.constprop.0 has become f.constprop.1;
     3. inline, COMDAT and external functions, of which the linker keeps one for
	all modules, take the equal function of any module that was executed
	most when what 2 finds was never executed.

   What is not found in this way may have moved or changed: profile_salvage.cc.  */

#include "plugin/use/match/profile_read.h"
#include "plugin/use/match/profile_rows.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "plugin/sites/name_family.h"

namespace memprof::plugin {

uint64_t
executions (const feedback::Function &function)
{
  uint64_t sum = 0;
  for (const feedback::Site &site : function.sites)
    sum += site.executions;
  return sum;
}

profile_status
profile::open (const std::string &path, const char *source,
	       const deployment &where)
{
  path_ = path;
  where_ = where;
  all_rows_ = !source;
  files_ = profile_files (path);
  std::error_code error;
  std::erase_if (files_, [&error] (const std::string &file) {
    return !std::filesystem::exists (file, error);
  });
  profile_status status;
  std::optional<feedback::Profile> merged
    = read_all (path, source, &status, &message_);
  if (!merged && status == PROFILE_OK)
    {
      status = PROFILE_MISSING;
      message_ = path + ": no *" + std::string (k_profile_suffix);
    }
  if (merged)
    rows_ = std::move (*merged);
  if (where.caches)
    decide::move_to_caches (rows_, where.caches);
  decide::apply_profile (rows_, model_);
  if (where.caches)
    decide::apply_caches (where.caches, model_);
  if (where.l2_bytes)
    model_.l2_bytes = where.l2_bytes;
  index_.emplace (rows_, model_);
  pairs_.emplace (rows_);
  stores_.emplace (rows_, model_);
  objects_.emplace (rows_, model_, path_, all_rows_);
  for (const feedback::Module &module : rows_.modules)
    for (const feedback::Function &function : module.functions)
      by_name_[function.linkage_name].push_back ({ &module, &function });
  return status;
}

/* The major version of the GCC that COMPILER names, such as "GNU C17 12.2.0"; 0: unknown.  */
unsigned
gcc_major_of (const std::string &compiler)
{
  size_t at = compiler.rfind (' ');
  return at == compiler.npos ? 0 : strtoul (compiler.c_str () + at, nullptr, 10);
}

/* Forgets all rows if they are not of GCC MAJOR's code.  */
profile_status
profile::refuse_other_compiler (unsigned major)
{
  unsigned made_by = gcc_major_of (rows_.program.compiler);
  if (!major || !made_by || made_by == major)
    return PROFILE_OK;
  message_ = path_ + ": made with GCC " + std::to_string (made_by) + ", and GCC "
	     + std::to_string (major) + " has other code where it profiles; nothing of "
	     "it is used; profile again with this compiler";
  by_name_.clear ();
  rows_ = {};
  index_.emplace (rows_, model_);
  pairs_.emplace (rows_);
  stores_.emplace (rows_, model_);
  all_rows_ = true;
  objects_.emplace (rows_, model_, path_, true);
  return PROFILE_VERSION;
}

const profile::module_list &
profile::modules_for (std::string_view source)
{
  if (auto at = modules_.find (source); at != modules_.end ())
    return at->second;
  module_list exact, similar;
  unsigned longest = 1;
  for (const feedback::Module &module : rows_.modules)
    {
      if (module.file == source)
	exact.push_back (&module);
      unsigned common = common_suffix (module.file, source);
      if (common > longest)
	{
	  longest = common;
	  similar.clear ();
	}
      if (common == longest)
	similar.push_back (&module);
    }
  return modules_[std::string (source)] = exact.empty () ? similar : exact;
}

function_match
profile::matched (const feedback::Function &row)
{
  std::unique_ptr<function_profile> &known = matched_[&row];
  if (!known)
    known = std::make_unique<function_profile> (row, *this);
  return { MATCH_OK, known.get () };
}

/* The functions called NAME.  */
const profile::entry_list &
profile::named (std::string_view name) const
{
  static const entry_list none;
  auto at = by_name_.find (name);
  return at == by_name_.end () ? none : at->second;
}

/* The functions whose names differ from NAME in what GCC numbers.  */
const profile::entry_list &
profile::family_of (std::string_view name)
{
  auto family = [] (std::string_view of) {
    char *made = name_family (std::string (of).c_str ());
    std::string result = made;
    free (made);
    return result;
  };
  if (by_family_.empty ())
    for (const auto &[known, entries] : by_name_)
      {
	entry_list &all = by_family_[family (known)];
	all.insert (all.end (), entries.begin (), entries.end ());
      }
  return by_family_[family (name)];
}

function_match
profile::find (std::string_view source, std::string_view name,
	       uint32_t checksum, bool shared, bool alone)
{
  of_function_.clear ();
  if (elsewhere_)
    elsewhere_->of_function_.clear ();
  const module_list &candidates = modules_for (source);
  const feedback::Function *here = nullptr, *anywhere = nullptr;
  unsigned equal_here = 0;
  bool named_here = false;
  auto local_p = [&candidates] (const entry &e) {
    return std::find (candidates.begin (), candidates.end (), e.module)
	   != candidates.end ();
  };
  for (const entry &e : named (name))
    {
      bool local = local_p (e);
      named_here |= local;
      if (e.function->checksum != checksum)
	continue;
      if (local && equal_here++ == 0)
	here = e.function;
      if (!anywhere || executions (*e.function) > executions (*anywhere))
	anywhere = e.function;
    }
  if (shared && anywhere && (!here || !executions (*here)))
    return matched (*anywhere);
  if (equal_here == 1)
    return matched (*here);
  if (equal_here == 0 && alone)
    for (const entry &e : family_of (name))
      if (e.function->checksum == checksum && local_p (e) && equal_here++ == 0)
	here = e.function;
  if (equal_here == 1)
    return matched (*here);
  if (equal_here > 1)
    return { MATCH_AMBIGUOUS, nullptr };
  if (!named_here)
    if (const entry *e = moved (source, name, checksum))
      return all_modules (source).matched (*e->function);
  return { named_here		? MATCH_STALE
	   : candidates.empty () ? MATCH_NO_MODULE
				 : MATCH_NO_FUNCTION,
	   nullptr };
}

const char *
profile::options (std::string_view source, std::string_view these)
{
  const char *found = nullptr;
  for (const feedback::Module *module : modules_for (source))
    if (!found || module->options == these)
      found = module->options.c_str ();
  return found;
}

kept_decision &
profile::keep (decide::Decision decision, bool long_lived)
{
  kept_decision &kept
    = (long_lived ? of_program_ : of_function_).emplace_back ();
  kept.decision = std::move (decision);
  const decide::Decision &d = kept.decision;
  kept.remark = decide::remark_line (d);
  kept.view.take = d.take ();
  kept.view.gain = d.gain;
  kept.view.expression = d.place.expression.c_str ();
  kept.view.text = d.text.c_str ();
  kept.view.remark = kept.remark.c_str ();
  kept.view.distance = d.count ("distance");
  kept.view.stride = int64_t (d.count ("stride"));
  kept.view.at_least = d.count ("at_least");
  kept.view.trial = d.count ("trial");
  kept.view.unsure = d.count ("unsure");
  kept.view.row_bytes = d.count ("row_bytes");
  kept.view.watched = d.watched.c_str ();
  kept.view.slab_bytes = d.count ("slab_bytes");
  kept.view.first = d.count ("first");
  kept.view.arena = d.count ("arena");
  kept.view.blocks = d.count ("blocks", decide::k_all_blocks);
  kept.view.offsets = d.offsets.data ();
  kept.view.probabilities = d.probabilities.data ();
  kept.view.block_counts = d.block_counts.data ();
  return kept;
}

const decide::TypeFacts *
profile::type (std::string_view name, uint32_t key)
{
  if (!types_)
    {
      for (feedback::RecordType &row : rows_.types)
	{
	  std::erase_if (row.obstacles, [this] (const feedback::Obstacle &o) {
	    return o.kind == ignored_obstacle_;
	  });
	  row.checked |= ignored_obstacle_ == "unchecked";
	}
      types_ = decide::type_facts (rows_);
      if (ignored_obstacle_ == "definitions")
	for (decide::TypeFacts &facts : *types_)
	  facts.definitions = 1;
    }
  for (const decide::TypeFacts &facts : *types_)
    if (facts.type->key == key && facts.type->name == name)
      return &facts;
  return nullptr;
}

function_profile::function_profile (const feedback::Function &row,
				    profile &owner)
  : owner_ (owner)
{
  for (const feedback::Site &site : row.sites)
    sites_[site.ordinal] = { &row, &site };
}

std::map<const feedback::Function *, uint64_t>
function_profile::executions () const
{
  std::map<const feedback::Function *, uint64_t> sums;
  for (const auto &[ordinal, row] : sites_)
    sums[row.function] += row.site->executions;
  return sums;
}

decide::LoadFacts
function_profile::facts (unsigned ordinal) const
{
  auto at = sites_.find (ordinal);
  return at == sites_.end () ? decide::LoadFacts ()
			     : owner_.index_->facts (*at->second.function, *at->second.site);
}

decide::FunctionFacts
function_profile::facts () const
{
  decide::FunctionFacts sum;
  sum.program_accesses = owner_.accesses ();
  for (const auto &[ordinal, row] : sites_)
    sum.add (*row.function, *row.site);
  return sum;
}

/* The row of LOOP in FUNCTION.  */
const feedback::Loop *
row_of (const feedback::Function &function, feedback::Id loop)
{
  for (const feedback::Loop &row : function.loops)
    if (row.id == loop)
      return &row;
  return nullptr;
}

decide::BranchFacts
function_profile::facts (const decide::BranchCode &code) const
{
  decide::BranchFacts result;
  result.function = facts ();
  result.known.blocks.resize (code.block_count);
  result.known.edges.resize (code.edge_count);
  for (unsigned i = 0; i < code.site_count; i++)
    if (const feedback::Site *row = site (code.sites[i].ordinal))
      result.add (code.sites[i].block, row->executions, row->error, owner_.model_);
    // Of changed code, not all sites are found; else those without a row were not executed.
    else if (!changed_)
      result.add (code.sites[i].block, 0, 0, owner_.model_);
  for (unsigned i = 0; i < code.entry_count; i++)
    if (auto at = sites_.find (code.entries[i].ordinal); at != sites_.end ())
      if (const feedback::Loop *loop = row_of (*at->second.function, at->second.site->loop);
	  loop && loop->invocations_error <= owner_.model_.max_branch_error)
	result.known.edges[code.entries[i].edge] = loop->invocations;
  return result;
}

decide::VersioningFacts
function_profile::facts (const decide::LoopOfSite &loop) const
{
  auto here = sites_.find (loop.ordinal);
  if (here == sites_.end ())
    return {};
  const feedback::Function &function = *here->second.function;
  const feedback::Loop *inner = row_of (function, here->second.site->loop);
  const feedback::Loop *row = inner;
  for (unsigned level = 0; row && level < loop.levels_out; level++)
    row = row_of (function, row->parent);
  if (!row)
    return {};
  std::vector<decide::PairIndex::Sites> pairs;
  for (unsigned i = 0; i < loop.pair_count; i++)
    {
      // What was never executed has no row, and met nothing.
      auto store = sites_.find (loop.pairs[i].store);
      auto other = sites_.find (loop.pairs[i].other);
      const bool both = store != sites_.end () && other != sites_.end ();
      // What was not found again has perhaps met, and so have sites of several functions.
      if (changed_
	  && (!both || store->second.function != &function
	      || other->second.function != &function))
	return {};
      if (both)
	pairs.emplace_back (store->second.site->id, other->second.site->id);
    }
  decide::VersioningFacts facts = owner_.pairs_->facts (function, row->id, pairs);
  facts.line = inner->line;
  if (loop.levels_out)
    {
      facts.inner_invocations = inner->invocations;
      facts.inner_iterations = inner->iterations;
    }
  return facts;
}

bool
known_caches_p (const char *caches)
{
  decide::CostModel model;
  return decide::apply_caches (caches, model);
}

profile *
profile_open (const char *path, const deployment &where, const profile_request &request,
	      profile_status *status, const char **message)
{
  profile *opened = new profile;
  if (request.eager)
    opened->model_ = decide::CostModel::eager ();
  opened->model_.move_fields = request.move_fields;
  opened->model_.arenas = request.huge_pages;
  opened->model_.shared_arenas = request.shared_arenas;
  opened->model_.in_library = request.in_library;
  opened->model_.input_scale = where.scale;
  *status = opened->open (path, request.source, where);
  if (*status == PROFILE_OK)
    *status = opened->refuse_other_compiler (request.gcc_major);
  *message = opened->message_.c_str ();
  return opened;
}

void
profile_close (profile *opened)
{
  delete opened;
}

function_match
profile_find (profile *from, const char *source, const char *linkage_name,
	      uint32_t checksum, bool shared, bool alone)
{
  return from->find (source, linkage_name, checksum, shared, alone);
}

function_match
profile_salvage (profile *from, function_match was, const char *source,
		 const char *linkage_name, const site_shape *sites, unsigned count)
{
  return from->salvage (was, source, linkage_name, { sites, count });
}

const char *
profile_match_remark (profile *from, function_match found, const char *source,
		      const char *linkage_name)
{
  return from->match_remark (found, source, linkage_name);
}

const char *
profile_file (profile *from, unsigned i)
{
  return i < from->files_.size () ? from->files_[i].c_str () : nullptr;
}

const char *
profile_options (profile *from, const char *source, const char *these)
{
  return from->options (source, these);
}

} // namespace memprof::plugin
