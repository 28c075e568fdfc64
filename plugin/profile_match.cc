/* profile_match.cc - reads profiles and finds the rows of a function.
   SPDX-License-Identifier: GPL-3.0-or-later

   The profile's side of bridge.h: standard containers, no GCC header.

   A function is known by (source file, linkage name, checksum).  The build may
   name the file differently than the profiled one did (another folder, VPATH,
   -ffile-prefix-map), so:

     1. modules whose file is exactly SOURCE, if there are any; else those that
        have the longest common path suffix with it, at least the last part;
     2. in them, the function of equal name and checksum.  None, but one of that
	name: the code has changed.  More than one: ambiguous, which counts as
	no profile, because a wrong one is worse than none;
     3. inline, COMDAT and external functions, of which the linker keeps one for
	all modules, take the equal function of any module that was executed
	most when what 2 finds was never executed.

   A folder can hold profiles of several programs that share modules: they are
   merged first, so that equal functions are one.  */

#include "plugin/bridge.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
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
#include "feedback/merge.h"
#include "feedback/reader.h"

namespace memprof::plugin {

namespace {

const std::string_view k_profile_suffix = ".memprof.json";

/* Path parts that A and B have in common at their ends.  */
unsigned
common_suffix (std::string_view a, std::string_view b)
{
  unsigned parts = 0;
  for (;;)
    {
      size_t i = a.rfind ('/'), j = b.rfind ('/');
      std::string_view x = a.substr (i == a.npos ? 0 : i + 1);
      std::string_view y = b.substr (j == b.npos ? 0 : j + 1);
      if (x != y || x.empty ())
	return parts;
      parts++;
      if (i == a.npos || j == b.npos)
	return parts;
      a = a.substr (0, i);
      b = b.substr (0, j);
    }
}

/* The files that PATH names, in an order that does not depend on the file
   system.  */
std::vector<std::string>
profile_files (const std::string &path)
{
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory (path, error))
    return { path };
  std::vector<std::string> files;
  for (fs::directory_iterator at (path, error), end; !error && at != end;
       at.increment (error))
    {
      std::string name = at->path ().filename ().string ();
      if (name.size () > k_profile_suffix.size ()
	  && name.ends_with (k_profile_suffix))
	files.push_back (at->path ().string ());
    }
  std::sort (files.begin (), files.end ());
  return files;
}

/* The part of FILE that a compile of SOURCE needs, or all of it: when SOURCE is
   null, and when no module has its name, because public functions may have
   moved.  */
feedback::Result<feedback::Profile>
read_for (const std::string &file, const char *source)
{
  if (source)
    {
      feedback::Result<feedback::Profile> part
	= feedback::read_module (file, source);
      if (!part)
	return part;
      for (const feedback::Module &module : part->modules)
	if (common_suffix (module.file, source) > 0)
	  return part;
    }
  return feedback::read_profile (file);
}

template <size_t N>
void
copy_text (char (&to)[N], const std::string &from)
{
  std::strncpy (to, from.c_str (), N - 1);
  to[N - 1] = '\0';
}

uint64_t
executions (const feedback::Function &function)
{
  uint64_t sum = 0;
  for (const feedback::Site &site : function.sites)
    sum += site.executions;
  return sum;
}

} // anonymous namespace

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

/* Adds up the profiles that PATH names, see profile_open.  */
std::optional<feedback::Profile>
read_all (const std::string &path, const char *source, profile_status *status,
	  std::string *message)
{
  std::optional<feedback::Profile> merged;
  *status = PROFILE_OK;
  for (const std::string &file : profile_files (path))
    {
      feedback::Result<feedback::Profile> read = read_for (file, source);
      if (read)
	merged = merged ? feedback::merge (*merged, *read) : std::move (*read);
      else
	{
	  using Kind = feedback::Error::Kind;
	  Kind kind = read.error ().kind;
	  *message = read.error ().text ();
	  *status = kind == Kind::missing   ? PROFILE_MISSING
		    : kind == Kind::version ? PROFILE_VERSION
					    : PROFILE_CORRUPT;
	  if (*status == PROFILE_CORRUPT)
	    return std::nullopt;
	}
    }
  return merged;
}

profile_status
profile::open (const std::string &path, const char *source)
{
  path_ = path;
  whole_ = !source;
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
  index_.emplace (rows_, model_);
  pairs_.emplace (rows_);
  for (const feedback::Module &module : rows_.modules)
    for (const feedback::Function &function : module.functions)
      by_name_[function.linkage_name].push_back ({ &module, &function });
  return status;
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

function_match
profile::find (std::string_view source, std::string_view name,
	       uint32_t checksum, bool shared)
{
  const module_list &candidates = modules_for (source);
  auto at = by_name_.find (name);
  if (at == by_name_.end ())
    return { candidates.empty () ? MATCH_NO_MODULE : MATCH_NO_FUNCTION,
	     nullptr };
  const feedback::Function *here = nullptr, *anywhere = nullptr;
  unsigned equal_here = 0;
  bool named_here = false;
  for (const entry &e : at->second)
    {
      bool local = std::find (candidates.begin (), candidates.end (), e.module)
		   != candidates.end ();
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
  if (equal_here > 1)
    return { MATCH_AMBIGUOUS, nullptr };
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

/* The facts of KEY in INDEX.  The file may have another name in this build, as
   modules_for allows for; null when several would do.  */
const decide::ObjectFacts *
find_objects (const decide::ArenaIndex &index,
	      const decide::ArenaIndex::Key &key)
{
  if (const decide::ObjectFacts *exact = index.find (key))
    return exact;
  const decide::ObjectFacts *found = nullptr;
  unsigned longest = 0;
  for (const decide::ArenaIndex::Entry &e : index.entries ())
    if (e.key.line == key.line && e.key.function == key.function
	&& e.key.type == key.type)
      {
	unsigned common = common_suffix (e.key.file, key.file);
	if (common >= std::max (longest, 1u))
	  {
	    found = common > longest ? &e.facts : nullptr;
	    longest = common;
	  }
      }
  return found;
}

/* Objects are accessed in other modules than the one that allocates them, so the
   rows of all are read once a group is large enough to be worth it.  */
const decide::ObjectFacts *
profile::objects (const decide::ArenaIndex::Key &key)
{
  if (!arenas_)
    arenas_.emplace (rows_, model_);
  const decide::ObjectFacts *found = find_objects (*arenas_, key);
  if (whole_ || !found
      || decide::decide_huge_pages (*found, model_).reason
	   != decide::ArenaReason::few_misses)
    return found;
  whole_ = true;
  profile_status status;
  std::string message;
  if (std::optional<feedback::Profile> all
      = read_all (path_, nullptr, &status, &message))
    arenas_.emplace (*all, model_);
  return find_objects (*arenas_, key);
}

function_profile::function_profile (const feedback::Function &row,
				    const profile &owner)
  : row_ (row), owner_ (owner)
{
  for (const feedback::Site &site : row.sites)
    sites_[site.ordinal] = &site;
}

decide::LoadFacts
function_profile::facts (unsigned ordinal) const
{
  const feedback::Site *row = site (ordinal);
  return row ? owner_.index_->facts (row_, *row) : decide::LoadFacts ();
}

decide::VersioningFacts
function_profile::facts (const versioning_view &view) const
{
  const feedback::Site *inner = site (view.ordinal);
  feedback::Id loop = inner ? inner->loop : feedback::k_none;
  for (unsigned level = 0; level < view.levels_out; level++)
    for (const feedback::Loop &row : row_.loops)
      if (row.id == loop)
	{
	  loop = row.parent;
	  break;
	}
  std::vector<decide::PairIndex::Sites> pairs;
  for (unsigned i = 0; i < view.pair_count; i++)
    {
      // What was never executed has no row, and met nothing.
      const feedback::Site *store = site (view.pairs[i].store);
      const feedback::Site *other = site (view.pairs[i].other);
      if (store && other)
	pairs.emplace_back (store->id, other->id);
    }
  if (loop == feedback::k_none)
    return {};
  decide::VersioningFacts facts = owner_.pairs_->facts (row_, loop, pairs);
  if (view.levels_out)
    for (const feedback::Loop &row : row_.loops)
      if (row.id == inner->loop)
	{
	  facts.inner_invocations = row.invocations;
	  facts.inner_iterations = row.iterations;
	}
  return facts;
}

const decide::CostModel &
function_profile::model () const
{
  return owner_.model_;
}

profile *
profile_open (const char *path, uint64_t l2_bytes, profile_status *status,
	      const char **message, const char *source, bool eager)
{
  profile *opened = new profile;
  if (eager)
    opened->model_ = decide::CostModel::eager ();
  if (l2_bytes)
    opened->model_.l2_bytes = l2_bytes;
  *status = opened->open (path, source);
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
	      uint32_t checksum, bool shared)
{
  return from->find (source, linkage_name, checksum, shared);
}

const char *
profile_options (profile *from, const char *source, const char *these)
{
  return from->options (source, these);
}

site_counts
profile_site (const function_profile *function, unsigned ordinal)
{
  decide::LoadFacts facts = function->facts (ordinal);
  return { facts.executions, facts.invocations, facts.iterations };
}

const char *
profile_expression (const function_profile *function, unsigned ordinal)
{
  const feedback::Site *row = function->site (ordinal);
  return row && !row->expression.empty () ? row->expression.c_str () : "access";
}

advice_view
profile_decide_prefetch (const function_profile *function, unsigned ordinal,
			 const code_view *view)
{
  decide::CodeFacts code;
  code.shape = view->shape == code_view::AFFINE	    ? decide::Shape::affine
	       : view->shape == code_view::INDIRECT ? decide::Shape::indirect
						    : decide::Shape::linked;
  if (view->obstacle)
    code.obstacle = view->obstacle;
  code.instructions = view->instructions;
  code.waits = view->waits;
  code.chained = view->chained;
  code.index_step = view->index_step;
  code.staged = view->staged;
  code.entry = view->entry;
  code.outer_invocations = view->outer_invocations;
  code.outer_iterations = view->outer_iterations;
  decide::LoadFacts index;
  if (view->index_ordinal >= 0)
    {
      index = function->facts (view->index_ordinal);
      code.index = &index;
    }
  decide::Advice advice
    = decide::decide_prefetch (function->facts (ordinal), code,
			       function->model ());
  advice_view result = {};
  result.take = advice.take ();
  result.distance = advice.distance;
  result.stride = advice.stride;
  copy_text (result.reason, decide::name (advice.reason));
  copy_text (result.text, advice.text ());
  return result;
}

uint64_t
profile_min_loop_iterations (const function_profile *function)
{
  return function->model ().min_loop_iterations;
}

advice_view
profile_decide_versioning (const function_profile *function,
			   const versioning_view *view)
{
  decide::VersioningCode code;
  if (view->obstacle)
    code.obstacle = view->obstacle;
  code.instructions = view->instructions;
  code.checks = view->checks;
  code.hoisted = view->hoisted;
  code.moved = view->moved;
  code.lanes = view->lanes;
  code.shared = view->shared;
  decide::VersioningAdvice advice
    = decide::decide_versioning (function->facts (*view), code,
				 function->model ());
  advice_view result = {};
  result.take = advice.take ();
  result.gain = advice.gain;
  copy_text (result.reason, decide::name (advice.reason));
  copy_text (result.text, advice.text ());
  return result;
}

bool
profile_decide_arena (profile *from, const allocation_view *call,
		      advice_view *view)
{
  const decide::ObjectFacts *found = from->objects (
    { call->file, call->line, call->function, call->type });
  if (!found || !found->objects)
    return false;
  decide::ObjectFacts facts = *found;
  // Of two calls on one line, the profile names one.
  if (call->replaceable != decide::routable (facts.allocator))
    facts.allocator = call->replaceable ? "malloc" : "another function";
  decide::ArenaAdvice advice
    = decide::decide_huge_pages (facts, from->model_);
  *view = {};
  view->take = advice.take ();
  copy_text (view->reason, decide::name (advice.reason));
  copy_text (view->text, advice.text ());
  return true;
}

const decide::ReorderAdvice *
profile::reorder (std::string_view name, uint32_t key,
		  const feedback::RecordType **type)
{
  if (!types_)
    {
      for (feedback::RecordType &row : rows_.types)
	std::erase_if (row.obstacles, [this] (const feedback::Obstacle &o) {
	  return o.kind == ignored_obstacle_;
	});
      types_ = decide::type_facts (rows_);
      if (ignored_obstacle_ == "definitions")
	for (decide::TypeFacts &facts : *types_)
	  facts.definitions = 1;
    }
  for (size_t i = 0; i < types_->size (); i++)
    {
      const decide::TypeFacts &facts = (*types_)[i];
      if (facts.type->key != key || facts.type->name != name)
	continue;
      auto [at, fresh] = reordered_.try_emplace (i);
      if (fresh)
	at->second = decide::decide_reorder (facts, model_);
      *type = facts.type;
      return &at->second;
    }
  return nullptr;
}

void
profile_ignore_obstacle (profile *from, const char *kind)
{
  from->ignored_obstacle_ = kind;
}

bool
profile_decide_reorder (profile *from, const char *name, uint32_t key,
			reorder_view *view)
{
  const feedback::RecordType *type;
  const decide::ReorderAdvice *advice = from->reorder (name, key, &type);
  if (!advice)
    return false;
  *view = {};
  view->advice.take = advice->take ();
  copy_text (view->advice.reason, decide::name (advice->reason));
  copy_text (view->advice.text, advice->text (*type));
  view->fields = advice->offsets.size ();
  view->offsets = advice->offsets.data ();
  view->hash = key;
  for (uint64_t offset : advice->offsets)
    view->hash = (view->hash ^ uint32_t (offset)) * 0x01000193;
  return true;
}

} // namespace memprof::plugin
