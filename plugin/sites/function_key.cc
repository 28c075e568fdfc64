/* function_key.cc - identifies functions across two compiles.
   SPDX-License-Identifier: GPL-3.0-or-later

   A profile belongs to (source file of the translation unit, name in the profile, checksum).
   The name alone tells the functions of a compile apart (function_names.h).  The checksum makes sure that the code is the same at our place
   in the pass list: it covers the shape of the CFG, and of each site its kind,
   width, volatility, the kind of its base and its line relative to the
   function.  (The CFG alone is the same for every function of one block.)  A
   line counts only if it lies in the function itself: an inlined callee may
   move without changing this code.

   Nothing here may depend on -g: no debug statements, no BLOCK trees, no
   UIDs.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/function_key.h"
#include "plugin/options.h"
#include "plugin/sites/source_place.h"

namespace memprof::plugin {

namespace {

class hasher
{
public:
  void
  add (unsigned HOST_WIDE_INT value)
  {
    // FNV-1a over 8 bytes at a time, then mixed: short inputs must differ too.
    state_ = (state_ ^ value) * HOST_WIDE_INT_UC (0x100000001b3);
    state_ ^= state_ >> 29;
  }

  unsigned
  result () const
  {
    return static_cast<unsigned> (state_ ^ state_ >> 32);
  }

private:
  unsigned HOST_WIDE_INT state_ = HOST_WIDE_INT_UC (0xcbf29ce484222325);
};

/* The shape of FUN's CFG, with blocks numbered in chain order.  */

void
hash_cfg (function *fun, hasher &hash)
{
  auto_vec<unsigned> number;
  number.safe_grow_cleared (last_basic_block_for_fn (fun), true);
  unsigned next = 2;
  number[EXIT_BLOCK] = 1;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    number[bb->index] = next++;
  hash.add (next);
  FOR_EACH_BB_FN (bb, fun)
    {
      edge e;
      edge_iterator ei;
      hash.add (EDGE_COUNT (bb->succs));
      FOR_EACH_EDGE (e, ei, bb->succs)
	hash.add (number[e->dest->index]);
    }
}

/* The line of STMT counted from FUN's first, or 0 outside of its text.  */

unsigned
relative_line (function *fun, gimple *stmt)
{
  expanded_location where = expand_location (gimple_location (stmt));
  expanded_location first = expand_location (fun->function_start_locus);
  expanded_location last = expand_location (fun->function_end_locus);
  if (!where.file || !first.file || strcmp (where.file, first.file) != 0
      || where.line < first.line
      || (last.file && strcmp (last.file, first.file) == 0
	  && where.line > last.line))
    return 0;
  return where.line - first.line + 1;
}

unsigned
base_kind (const access_site &site)
{
  if (!site.ref)
    return 1;
  tree base = get_base_address (site.ref);
  if (DECL_P (base))
    return is_global_var (base) ? 2 : 3;
  return TREE_CODE (base) == MEM_REF ? 4 : 5;
}

bool
ifunc_resolver_p (function *fun)
{
  symtab_node *node = cgraph_node::get (fun->decl);
  ipa_ref *ref;
  if (node)
    FOR_EACH_ALIAS (node, ref)
      if (ref->referring->ifunc_resolver
	  || lookup_attribute ("ifunc",
			       DECL_ATTRIBUTES (ref->referring->decl)))
	return true;
  return false;
}

/* Whether FUN has transactions (-fgnu-tm) or may be part of one, which have room for no
   assembly, and would take records back.  */

bool
transactional_p (function *fun)
{
  if (!flag_tm)
    return false;
  basic_block bb;
  FOR_EACH_BB_FN (bb, fun)
    if (safe_dyn_cast<gtransaction *> (last_statement (bb)))
      return true;
  return decl_is_tm_clone (fun->decl);
}

/* Whether FUN is a loop that -ftree-parallelize-loops took out of a function.  That comes after our
   passes: the loop's sites are those of the function, and which loops are taken depends on what was
   inserted.  */

bool
parallel_loop_p (function *fun)
{
  return cgraph_node::get (fun->decl)->parallelized_function
	 && strstr (assembler_name (fun->decl), "._loopfn.");
}

} // anonymous namespace

bool
function_left_alone_p (function *fun)
{
  tree attributes = DECL_ATTRIBUTES (fun->decl);
  return lookup_attribute ("no_instrument_function", attributes)
	 || lookup_attribute ("no_profile_instrument_function", attributes)
	 || lookup_attribute ("naked", attributes)
	 || lookup_attribute ("interrupt", attributes)
	 || fun->is_thunk || ifunc_resolver_p (fun) || transactional_p (fun)
	 || parallel_loop_p (fun);
}

unsigned
function_checksum (function *fun, const auto_vec<access_site> &sites)
{
  hasher hash;
  hash_cfg (fun, hash);
  hash.add (sites.length ());
  for (const access_site &site : sites)
    {
      hash.add (site.kind | site.volatile_p << 4 | site.atomic_p << 5
		| base_kind (site) << 8);
      hash.add (site.width);
      hash.add (relative_line (fun, site.stmt));
    }
  return hash.result ();
}

function_key::function_key (function *fun, const auto_vec<access_site> &sites)
  : file (source_file (fun->decl)),
    linkage_name (function_name_in_profile (fun->decl)),
    checksum (function_checksum (fun, sites))
{}

void
dump_function_key (const function_key &key, unsigned sites)
{
  if (!options.dump_keys)
    return;
  static FILE *file;
  if (!file && !(file = fopen (options.dump_keys, "a")))
    {
      error ("memprof: cannot append to %qs: %m", options.dump_keys);
      options.dump_keys = nullptr;
      return;
    }
  fprintf (file, "%s %08x %u\n", key.linkage_name, key.checksum, sites);
  fflush (file);
}

} // namespace memprof::plugin
