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
#include "plugin/generate/loop_shape.h"
#include "plugin/generate/nests.h"
#include "plugin/options.h"
#include "plugin/generate/wrapping_index.h"

namespace memprof::plugin {

namespace {

bool
abnormal_names_p (tree t)
{
  return t && contains_abnormal_ssa_name_p (t);
}

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

} // anonymous namespace

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
