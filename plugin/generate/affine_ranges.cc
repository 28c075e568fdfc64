/* affine_ranges.cc - finds loops that can be reported by one record.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:                          After:

     for (i = 0; i < n; i++)          if (n > 0)
       sum += a[i];                     {
                                          record { RANGE, count n, start a }
                                          loop as it was
                                        }

   A loop qualifies when

   1. it is innermost, and nothing in it can emit a record or leave in a way
      that is not an edge: no calls, no asm, no exception or abnormal edges
      (so none with -fnon-call-exceptions), no irreducible region;
   2. every access in it is affine and reported without its value: its address in iteration k is
      start + k * step, with start and step known before the loop, or so
      with an index that may wrap around (wrapping_index.cc).
      Volatile, atomic and built-in accesses are not;
   3. every access is executed in each complete iteration (its block dominates
      the latch).  In the last iteration, which an exit cuts short, those are
      executed whose blocks dominate the block of that exit.

   The executions of an access are then `count' or `count - 1', where count is
   the number of executions of the loop header.  If the loop has one exit and
   GCC can compute count, the record is written before the loop.
   Otherwise the loop counts, and each exit has a record.

   If loops around it do nothing else, the record can describe them, too (nests.cc).
   A loop that fails keeps block records for all of its accesses: a mixture
   would lose the order between them.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/affine_ranges.h"
#include "plugin/sites/memory_functions.h"
#include "plugin/generate/nests.h"
#include "plugin/options.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/generate/thread_order.h"
#include "plugin/generate/wrapping_index.h"

namespace memprof::plugin {

unsigned
words_of (const range_entry &entry)
{
  return 1 + !tree_fits_shwi_p (entry.step) + (entry.index != NULL_TREE);
}

namespace {

bool
abnormal_names_p (tree t)
{
  return t && contains_abnormal_ssa_name_p (t);
}

} // anonymous namespace

tree
header_executions (class loop *loop)
{
  edge exit = single_exit (loop);
  tree_niter_desc niter;
  if (!exit || !number_of_iterations_exit (loop, exit, &niter, false)
      || !integer_onep (niter.assumptions)
      || chrec_contains_undetermined (niter.niter)
      || abnormal_names_p (niter.niter) || abnormal_names_p (niter.may_be_zero)
      || TYPE_PRECISION (TREE_TYPE (niter.niter)) > 64)
    return NULL_TREE;
  tree word = runtime ().word;
  tree count = fold_build2 (PLUS_EXPR, word,
			    fold_convert (word, unshare_expr (niter.niter)),
			    word_constant (1));
  if (!integer_zerop (niter.may_be_zero))
    count = fold_build3 (COND_EXPR, word, unshare_expr (niter.may_be_zero),
			 word_constant (1), count);
  return count;
}

namespace {

class range_finder
{
public:
  range_finder (const auto_vec<access_site> &sites,
		auto_delete_vec<range_record> &ranges)
    : sites_ (sites), ranges_ (ranges)
  {}

  void find (function *fun);

private:
  void group_sites (function *fun);
  void try_loop (class loop *loop);
  bool shape_ok_p (class loop *loop, const vec<edge> &exits);
  bool add_entries (range_record *range);
  bool add_entry (range_record *range, const access_site &site);
  bool complete_counts (range_record *range);

  const auto_vec<access_site> &sites_;
  auto_delete_vec<range_record> &ranges_;
  /* For each loop number the indices of its own sites.  */
  auto_delete_vec<auto_vec<unsigned>> sites_of_loop_;
  name_expansions expansions_;
};

/* Whether nothing in LOOP but its exits can leave it.  */

bool
range_finder::shape_ok_p (class loop *loop, const vec<edge> &exits)
{
  for (edge e : exits)
    if (e->flags & EDGE_COMPLEX)
      return false;
  return closed_loop_p (loop);
}

/* Whether the address of REF, which STMT accesses in LOOP, is affine.  Sets what
   *ENTRY says about addresses.  */

bool
affine_p (class loop *loop, tree ref, gimple *stmt, range_entry *entry)
{
  innermost_loop_behavior dr;
  if (!dr_analyze_innermost (&dr, ref, loop, stmt)
      || !expr_invariant_in_loop_p (loop, dr.base_address)
      || !expr_invariant_in_loop_p (loop, dr.offset)
      || !expr_invariant_in_loop_p (loop, dr.init)
      || !expr_invariant_in_loop_p (loop, dr.step)
      || abnormal_names_p (dr.base_address) || abnormal_names_p (dr.offset)
      || abnormal_names_p (dr.init) || abnormal_names_p (dr.step))
    return false;
  entry->base = unshare_expr (dr.base_address);
  entry->offset = unshare_expr (dr.offset);
  entry->step = unshare_expr (dr.step);
  if (tree_fits_shwi_p (dr.init))
    entry->constant = tree_to_shwi (dr.init);
  else
    entry->offset = fold_build2 (PLUS_EXPR, ssizetype,
				 fold_convert (ssizetype, entry->offset),
				 fold_convert (ssizetype,
					       unshare_expr (dr.init)));
  if (tree_fits_shwi_p (entry->offset))
    {
      entry->constant += tree_to_shwi (entry->offset);
      entry->offset = NULL_TREE;
    }
  return true;
}

/* Adds what is known about SITE in RANGE's loop.  */

bool
range_finder::add_entry (range_record *range, const access_site &site)
{
  class loop *loop = range->loop;
  tree ref = byte_reference (site);
  if (!ref || site.volatile_p || site.width == 0 || site.value
      || site.width > MPRT_MAX_STATIC_WIDTH
      || TREE_CODE (get_base_address (ref)) == STRING_CST
      || !dominated_by_p (CDI_DOMINATORS, loop->latch, gimple_bb (site.stmt)))
    return false;
  range_entry entry = {};
  entry.site = &site;
  if (!affine_p (loop, ref, site.stmt, &entry)
      && !find_wrapping_index (ref, site.stmt, loop, expansions_, &entry))
    return false;
  range->entries.safe_push (entry);
  return true;
}

/* Adds the accesses of RANGE's loop in the order of execution: blocks that
   dominate the latch dominate each other in a chain.  */

bool
range_finder::add_entries (range_record *range)
{
  const auto_vec<unsigned> &own = *sites_of_loop_[range->loop->num];
  if (own.length () > MPRT_MAX_RECORD_WORDS)
    return false;
  auto_vec<basic_block> blocks;
  for (unsigned index : own)
    {
      basic_block bb = gimple_bb (sites_[index].stmt);
      if (!dominated_by_p (CDI_DOMINATORS, range->loop->latch, bb))
	return false;
      // Blocks need not stand in the order of execution.
      if (blocks.contains (bb))
	continue;
      unsigned i = blocks.length ();
      while (i > 0 && dominated_by_p (CDI_DOMINATORS, blocks[i - 1], bb))
	i--;
      blocks.safe_insert (i, bb);
    }
  for (basic_block bb : blocks)
    for (unsigned index : own)
      if (gimple_bb (sites_[index].stmt) == bb
	  && !add_entry (range, sites_[index]))
	return false;
  // Header and count.
  unsigned words = 2;
  for (const range_entry &entry : range->entries)
    words += words_of (entry);
  return words <= MPRT_MAX_RECORD_WORDS;
}

/* For each exit, how many entries are executed in the last iteration.  */

bool
range_finder::complete_counts (range_record *range)
{
  for (edge exit : range->exits)
    {
      unsigned complete = 0;
      while (complete < range->entries.length ()
	     && dominated_by_p (CDI_DOMINATORS, exit->src,
				gimple_bb (
				  range->entries[complete].site->stmt)))
	complete++;
      range->complete.safe_push (complete);
    }
  return true;
}

void
range_finder::try_loop (class loop *loop)
{
  if (sites_of_loop_[loop->num]->is_empty () || !loop->latch)
    return;
  auto_vec<edge> exits = get_loop_exit_edges (loop);
  if (exits.is_empty () || !shape_ok_p (loop, exits))
    return;
  range_record *range = new range_record;
  range->loop = loop;
  for (edge e : exits)
    range->exits.safe_push (e);
  if (add_entries (range) && complete_counts (range))
    {
      range->count = header_executions (loop);
      ranges_.safe_push (range);
    }
  else
    delete range;
}

void
range_finder::group_sites (function *fun)
{
  for (unsigned i = 0; i < number_of_loops (fun); i++)
    sites_of_loop_.safe_push (new auto_vec<unsigned>);
  for (unsigned i = 0; i < sites_.length (); i++)
    {
      class loop *loop = gimple_bb (sites_[i].stmt)->loop_father;
      sites_of_loop_[loop->num]->safe_push (i);
    }
}

void
range_finder::find (function *fun)
{
  group_sites (fun);
  for (class loop *loop : loops_list (fun, LI_ONLY_INNERMOST))
    try_loop (loop);
}

/* Whether FUNCTION, a built-in, only computes, or only reads and writes memory
   that its arguments tell.  Not strings: finding out how long they are takes
   code, and a record that goes on in several blocks would repeat it.  */

bool
plain_builtin_p (gcall *call, built_in_function function)
{
  switch (function)
    {
    case BUILT_IN_PREFETCH:
    case BUILT_IN_UNREACHABLE:
    case BUILT_IN_ASSUME_ALIGNED:
    case BUILT_IN_BCMP:
    case BUILT_IN_BCOPY:
    case BUILT_IN_BZERO:
    case BUILT_IN_MEMCMP:
    case BUILT_IN_MEMCMP_EQ:
    case BUILT_IN_MEMCPY:
    case BUILT_IN_MEMMOVE:
    case BUILT_IN_MEMPCPY:
    case BUILT_IN_MEMSET:
      return true;
    default:
      break;
    }
  // Mathematical functions may set errno, but nothing else.
  if (!mathfn_built_in_type (gimple_call_combined_fn (call)))
    return false;
  for (unsigned i = 0; i < gimple_call_num_args (call); i++)
    if (POINTER_TYPE_P (TREE_TYPE (gimple_call_arg (call, i))))
      return false;
  return true;
}

/* Calls of functions that the compiler itself implements, or that are known
   to run no instrumented code.  */

bool
harmless_call_p (gcall *call)
{
  atomic_order order = atomic_order_of (call);
  if (order.release || order.acquire)
    return false;
  if (gimple_call_internal_p (call))
    return true;
  tree decl = gimple_call_fndecl (call);
  if (!decl || stmt_could_throw_p (cfun, call))
    return false;
  // The program may have its own.
  if (cgraph_node *node = cgraph_node::get (decl))
    if (node->definition)
      return false;
  // __errno_location, __ctype_b_loc and the like.
  if ((gimple_call_flags (call) & ECF_CONST) && DECL_IN_SYSTEM_HEADER (decl)
      && (gimple_call_flags (call) & ECF_LEAF))
    return true;
  if (!gimple_call_builtin_p (call))
    return false;
  if (!gimple_call_builtin_p (call, BUILT_IN_NORMAL))
    // Machine-specific built-ins are instructions.
    return fndecl_built_in_p (decl, BUILT_IN_MD);
  atomic_access atomic;
  return (gimple_call_flags (call) & ECF_CONST)
	 || atomic_access_p (call, &atomic)
	 || plain_builtin_p (call, DECL_FUNCTION_CODE (decl));
}

} // anonymous namespace

bool
boundary_p (gimple *stmt)
{
  if (gcall *call = dyn_cast<gcall *> (stmt))
    return !harmless_call_p (call);
  if (gasm *assembly = dyn_cast<gasm *> (stmt))
    return gimple_asm_volatile_p (assembly)
	   || gimple_asm_clobbers_memory_p (assembly);
  return false;
}

bool
any_complex_p (vec<edge, va_gc> *edges)
{
  edge e;
  edge_iterator ei;
  FOR_EACH_EDGE (e, ei, edges)
    if (e->flags & EDGE_COMPLEX)
      return true;
  return false;
}

bool
closed_loop_p (class loop *loop)
{
  basic_block *body = get_loop_body (loop);
  bool ok = true;
  for (unsigned i = 0; i < loop->num_nodes && ok; i++)
    {
      ok = !(body[i]->flags & BB_IRREDUCIBLE_LOOP)
	   && !any_complex_p (body[i]->succs);
      for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (body[i]);
	   ok && !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
	ok = !boundary_p (gsi_stmt (gsi)) && !guard_look_p (gsi_stmt (gsi));
    }
  free (body);
  return ok;
}

void
find_affine_ranges (function *fun, const auto_vec<access_site> &sites,
		    auto_delete_vec<range_record> &ranges)
{
  if (options.coalesce < COALESCE_RANGE || flag_non_call_exceptions
      || flag_trapv || number_of_loops (fun) <= 1)
    return;
  scev_initialize ();
  range_finder finder (sites, ranges);
  finder.find (fun);
  if (options.coalesce >= COALESCE_NEST && options.mode == MODE_FULL)
    find_nests (fun, sites, ranges);
  scev_finalize ();
}

} // namespace memprof::plugin
