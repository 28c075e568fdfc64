/* store_streams.cc - the stores of a loop that write memory line by line.
   SPDX-License-Identifier: GPL-3.0-or-later

   A store streams if it writes whole lines, one after the other.  That is so for one whose
   address advances by its own size, and for several that begin at one address and tile what they
   advance by:

     a[i] = x;		       8 bytes, step 8		one stream
     v[i].x = x; v[i].y = y;   8 + 8 bytes, step 16	one stream
     v[i].x = x;	       8 bytes, step 16		none: half of each line is left out

   After GCC's vectoriser, where this runs, a store may be a vector; the site that it was is found by the
   place in the source.  What is stored under a condition leaves bytes out, too.

   The entry.  Streaming stores pay where much is written at a time.  How much is computed
   before the loop, as the step times the counts of all loops around it in which the address
   advances:

     for (i = 0; i < rows; i++)
       for (j = 0; j < columns; j++)	    8 * rows * columns, before the outer loop
	 a[i * columns + j] = ...

   The vectoriser computes the count of a row inside the outer loop; then the bytes of a row are those of the
   profile.  This number decides which of two right loops is executed, so it need not be exact.  */

#include "plugin/gcc-common.h"
#include "plugin/use/address/byte_range.h"
#include "plugin/use/match/loop_memory.h"
#include "plugin/use/match/site_marks.h"
#include "plugin/use/streaming/store_streams.h"

namespace memprof::plugin {

namespace {

/* Loops around a stream that are copied together, at most.  */
const unsigned k_max_levels = 3;
const unsigned k_max_instructions = 400;

/* The mark of STMT, a LOAD or a store, perhaps a vector of what it was; null: the profile does not know
   it.  */

const site_mark *
mark_of (gassign *stmt, bool load)
{
  const site_mark *mark
    = current_marks.find_scalar (stmt, load ? gimple_assign_rhs1 (stmt) : gimple_assign_lhs (stmt), load);
  return mark && mark->counts.executions ? mark : nullptr;
}

/* Executions of the latch of INNER in an entry, as known before OUTERMOST; null: that is not known.  */

tree
latch_count (class loop *inner, class loop *outermost)
{
  for (edge e : get_loop_exit_edges (inner))
    {
      class tree_niter_desc desc;
      if (dominated_by_p (CDI_DOMINATORS, inner->latch, e->src) && !(e->flags & EDGE_COMPLEX)
	  && number_of_iterations_exit (inner, e, &desc, false)
	  && INTEGRAL_TYPE_P (TREE_TYPE (desc.niter)) && !tree_contains_chrecs (desc.niter, NULL)
	  && expr_invariant_in_loop_p (outermost, desc.niter))
	return fold_convert (sizetype, unshare_expr (desc.niter));
    }
  return NULL_TREE;
}

} // anonymous namespace

store_streams::store_streams (class loop *loop) : loop_ (loop)
{
  basic_block *body = get_loop_body_in_dom_order (loop);
  for (unsigned i = 0; i < loop->num_nodes; i++)
    for (gimple_stmt_iterator gsi = gsi_start_bb (body[i]); !gsi_end_p (gsi); gsi_next (&gsi))
      if (gassign *stmt = dyn_cast<gassign *> (gsi_stmt (gsi)); stmt && gimple_vuse (stmt))
	scan (stmt);
  free (body);
  auto_vec<bool> done;
  done.safe_grow_cleared (references_.length (), true);
  for (unsigned i = 0; i < references_.length (); i++)
    if (references_[i].store && !done[i])
      add_stream (references_[i], &done);
}

store_streams::~store_streams ()
{
  for (store_stream *stream : streams_)
    delete stream;
}

void
store_streams::scan (gassign *stmt)
{
  const bool store = gimple_vdef (stmt);
  if (!store && !gimple_assign_load_p (stmt))
    return;
  accesses_.safe_push (stmt);
  tree ref = store ? gimple_assign_lhs (stmt) : gimple_assign_rhs1 (stmt);
  tree size = TYPE_SIZE_UNIT (TREE_TYPE (ref));
  reference r = { stmt, store, {}, 0, 0, 0 };
  if (!size || !tree_fits_shwi_p (size) || gimple_has_volatile_ops (stmt)
      || !dr_analyze_innermost (&r.where, ref, loop_, stmt) || !tree_fits_shwi_p (r.where.step)
      || !tree_fits_shwi_p (r.where.init) || absu_hwi (tree_to_shwi (r.where.init)) > INT_MAX
      || absu_hwi (tree_to_shwi (r.where.step)) > INT_MAX)
    return;
  r.size = tree_to_shwi (size);
  r.step = tree_to_shwi (r.where.step);
  r.init = tree_to_shwi (r.where.init);
  if (r.step != 0)
    references_.safe_push (r);
}

/* Whether A and B begin at one address but for a constant, and advance alike.  */

bool
store_streams::together_p (const reference &a, const reference &b)
{
  return a.step == b.step && operand_equal_p (a.where.base_address, b.where.base_address, 0)
	 && operand_equal_p (a.where.offset, b.where.offset, 0);
}

/* Makes a stream of FIRST and the stores beside it, and marks these in *DONE.  */

void
store_streams::add_stream (const reference &first, vec<bool> *done)
{
  store_stream *stream = new store_stream;
  auto_vec<const reference *> parts;
  for (unsigned i = 0; i < references_.length (); i++)
    {
      const reference &r = references_[i];
      if (!r.store || (*done)[i] || !together_p (first, r)
	  || absu_hwi (r.init - first.init) >= absu_hwi (first.step))
	continue;
      (*done)[i] = true;
      unsigned at = 0;
      while (at < parts.length () && parts[at]->init < r.init)
	at++;
      parts.safe_insert (at, &r);
    }
  for (unsigned i = 0; i < parts.length (); i++)
    {
      const reference &part = *parts[i];
      stream->stores.safe_push (part.stmt);
      stream->bytes += part.size;
      if (i && parts[i - 1]->init + parts[i - 1]->size != part.init)
	stream->obstacle = "the stores of an iteration leave bytes out, or write some twice";
      if (!dominated_by_p (CDI_DOMINATORS, loop_->latch, gimple_bb (part.stmt)))
	stream->obstacle = "the store is under a condition";
      const site_mark *mark = mark_of (part.stmt, false);
      if (mark && !stream->ordinals.contains (mark->ordinal))
	stream->ordinals.safe_push (mark->ordinal);
    }
  if (!stream->obstacle && stream->bytes != HOST_WIDE_INT (absu_hwi (first.step)))
    stream->obstacle = "the address advances by more or less than what is stored";
  if (stream->ordinals.is_empty ())
    delete stream;
  else
    streams_.safe_push (stream);
}

void
store_streams::other_sites (const store_stream &stream, vec<unsigned> *ordinals) const
{
  for (gassign *stmt : accesses_)
    for (bool load : { false, true })
      {
	if (load ? !gimple_assign_load_p (stmt) : !gimple_vdef (stmt))
	  continue;
	const site_mark *mark = mark_of (stmt, load);
	if (mark && (load || !stream.ordinals.contains (mark->ordinal)) && !ordinals->contains (mark->ordinal))
	  ordinals->safe_push (mark->ordinal);
      }
}

class loop *
store_streams::widest_loop (const store_stream &stream, const char **obstacle) const
{
  class loop *widest = nullptr;
  class loop *loop = loop_;
  const innermost_loop_behavior *where = nullptr;
  for (const reference &r : references_)
    if (r.stmt == stream.stores[0])
      where = &r.where;
  *obstacle = nullptr;
  for (unsigned level = 0; level < k_max_levels; level++, loop = loop_outer (loop))
    {
      if (!loop || loop == current_loops->tree_root || !can_duplicate_loop_p (loop)
	  || tree_num_loop_insns (loop, &eni_size_weights) > int (k_max_instructions))
	break;
      if (level && expr_invariant_in_loop_p (loop, where->base_address)
	  && expr_invariant_in_loop_p (loop, where->offset))
	break;
      const loop_memory memory (loop);
      if (memory.obstacle ())
	{
	  if (!level)
	    *obstacle = memory.obstacle ();
	  break;
	}
      bool counted = true;
      for (class loop *inner = loop_;; inner = loop_outer (inner))
	{
	  counted &= (inner == loop_ && level) || latch_count (inner, loop);
	  if (inner == loop)
	    break;
	}
      if (!counted)
	break;
      widest = loop;
    }
  if (!widest && !*obstacle)
    *obstacle = "the iterations are not counted before the loop";
  return widest;
}

tree
store_streams::emit_bytes (const store_stream &stream, class loop *outermost, uint64_t row_bytes,
			   gimple_seq *seq) const
{
  tree bytes = size_int (stream.bytes);
  for (class loop *inner = loop_;; inner = loop_outer (inner))
    {
      if (tree count = latch_count (inner, outermost))
	bytes = emit_expression (
	  fold_build2 (MULT_EXPR, sizetype, bytes,
		       fold_build2 (PLUS_EXPR, sizetype, count, size_one_node)),
	  seq);
      else
	bytes = size_int (row_bytes);
      if (inner == outermost)
	return bytes;
    }
}

} // namespace memprof::plugin
