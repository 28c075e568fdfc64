/* tallies.cc - accesses that are counted while a loop runs.
   SPDX-License-Identifier: GPL-3.0-or-later

   If only the objects that accesses touch are wanted, a loop that cannot free
   memory need not report each access to one that stays the same:

     while ((i = next[i]))		n = m = 0;
       if (key[i] == x)			while (n++, (i = next[i]))
	 hits[h (i)]++;			  if (key[i] == x)
					    m++, at = &hits[h (i)], hits[h (i)]++;
					record { n, m, at }

   Here `next' and `key' are variables at constant addresses, `hits' is a pointer:
   any address of an access says where it points.  The record has an entry for each
   site, with the word that says how often.  It stands at each exit.

   Counted is in the outermost loop that holds no call that could run instrumented
   code, leaves by plain edges only, and in which the root of the access
   (object_root.cc) has one value; unless GCC expects that the access happens
   less than twice each time.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/tables/descriptor_table.h"
#include "plugin/options.h"
#include "plugin/generate/record_words.h"
#include "plugin/generate/record_writer.h"
#include "plugin/sites/runtime_decls.h"
#include "plugin/generate/tallies.h"

namespace memprof::plugin {

namespace {

/* Whether the address of an access with ROOT must be remembered.  */

bool
moving_p (const object_root &root)
{
  return root.kind == object_root::NAME || root.kind == object_root::OTHER;
}

/* Whether nothing but a plain edge leaves LOOP, and nothing in it could free an
   object.  */

bool
countable_p (class loop *loop)
{
  if (!loop->latch || loop_preheader_edge (loop)->flags & EDGE_COMPLEX)
    return false;
  auto_vec<edge> exits = get_loop_exit_edges (loop);
  if (exits.is_empty ())
    return false;
  return closed_loop_p (loop);
}

/* The outermost loop of FUN's in which ROOT has one value, or null.  COUNTABLE is
   by number of loops.  */

class loop *
loop_that_counts (basic_block bb, const object_root &root,
		  const vec<bool> &countable)
{
  class loop *result = nullptr;
  if (root.kind == object_root::NONE)
    return nullptr;
  for (class loop *loop = bb->loop_father;
       loop_outer (loop) && countable[loop->num] && invariant_p (root, loop);
       loop = loop_outer (loop))
    result = loop;
  if (result
      && bb->count < loop_preheader_edge (result)->count ().apply_scale (2, 1))
    return nullptr;
  return result;
}

/* Sets VARIABLE to VALUE before STMT.  */

void
set_variable (gimple *stmt, tree variable, gassign *assign)
{
  gimple_assign_set_lhs (assign, variable);
  gimple_stmt_iterator gsi = gsi_for_stmt (stmt);
  gsi_insert_before (&gsi, assign, GSI_SAME_STMT);
}

} // anonymous namespace

void
loop_tally::add (const access_site &site, const object_root &root)
{
  basic_block bb = gimple_bb (site.stmt);
  entry e = { site, root, 0, 0 };
  while (e.counter < counters_.length () && counters_[e.counter].bb != bb)
    e.counter++;
  if (e.counter == counters_.length ())
    counters_.safe_push ({ bb, site.stmt, NULL_TREE });
  if (moving_p (root))
    {
      while (e.address < addresses_.length ()
	     && !(addresses_[e.address].root == root))
	e.address++;
      if (e.address == addresses_.length ())
	addresses_.safe_push ({ root, NULL_TREE });
    }
  entries_.safe_push (e);
}

/* Makes the variables, sets them to 0 before the loop, and counts.  */

void
loop_tally::emit_counters (edge_places &places)
{
  tree word = runtime ().word;
  gimple *start = places.on (loop_preheader_edge (loop_));
  auto make = [&] {
    tree variable = create_tmp_reg (word, "tally");
    set_variable (start, variable,
		  gimple_build_assign (variable, word_constant (0)));
    return variable;
  };
  for (counter &c : counters_)
    {
      c.variable = make ();
      set_variable (c.first, c.variable,
		    gimple_build_assign (c.variable, PLUS_EXPR, c.variable,
					 word_constant (1)));
    }
  for (last_address &a : addresses_)
    a.variable = make ();
  for (const entry &e : entries_)
    if (moving_p (e.root))
      {
	tree base, offset;
	HOST_WIDE_INT constant = split_address (e.site, &base, &offset);
	tree address = fold_convert (word, unshare_expr (base));
	if (offset)
	  address = fold_build2 (PLUS_EXPR, word, address,
				 fold_convert (word, unshare_expr (offset)));
	address = fold_build2 (PLUS_EXPR, word, address,
			       word_constant (constant));
	tree variable = addresses_[e.address].variable;
	set_variable (e.site.stmt, variable,
		      gimple_build_assign (variable,
					   force_word (e.site.stmt, address)));
      }
}

/* Emits a record of the entries from FIRST to END, not included, at PLACE.  */

void
loop_tally::emit_record (gimple *place, unsigned first, unsigned end,
			 unsigned first_site, descriptor_table &descriptors,
			 name_expansions &expansions)
{
  record_words words (expansions);
  auto_vec<tree> descriptor;
  descriptor.safe_push (NULL_TREE);
  hash_map<tree, unsigned> index;
  auto word_of = [&] (tree variable) {
    unsigned &known = index.get_or_insert (variable);
    if (!known)
      known = words.add_value (place, variable);
    return known;
  };
  for (unsigned i = first; i < end; i++)
    {
      const entry &e = entries_[i];
      unsigned count = word_of (counters_[e.counter].variable);
      word_address address = {};
      if (moving_p (e.root))
	address.word = word_of (addresses_[e.address].variable);
      else
	address = words.add_address (place, build_fold_addr_expr (e.root.of),
				     NULL_TREE, 0);
      descriptor.safe_push (word_constant (
	MPRT_ENTRY (first_site + e.site.ordinal, address.word, count,
		    e.site.kind, e.site.width)));
      descriptor.safe_push (address.descriptor_word ());
    }
  descriptor[0] = word_constant (MPRT_DESC (MPRT_DESC_TALLY, 0, end - first,
					    words.length (), MPRT_NO_LOOP));
  write_record (place, descriptors.add (descriptor, words.length ()),
		words.words (), false);
}

void
loop_tally::emit (unsigned first_site, edge_places &places,
		  descriptor_table &descriptors, name_expansions &expansions)
{
  // A count and an address each.
  const unsigned k_most = (MPRT_MAX_RECORD_WORDS - 1) / 2;
  auto_vec<edge> exits = get_loop_exit_edges (loop_);
  emit_counters (places);
  for (edge exit : exits)
    for (unsigned first = 0; first < entries_.length (); first += k_most)
      emit_record (places.on (exit), first,
		   MIN (first + k_most, entries_.length ()), first_site,
		   descriptors, expansions);
}

void
find_tallies (function *fun, auto_vec<access_site> &sites,
	      auto_delete_vec<loop_tally> &tallies)
{
  if (flag_non_call_exceptions || flag_trapv || fun->calls_setjmp
      || number_of_loops (fun) <= 1)
    return;
  auto_vec<bool> countable;
  auto_vec<loop_tally *> by_loop;
  countable.safe_grow_cleared (number_of_loops (fun), true);
  by_loop.safe_grow_cleared (number_of_loops (fun), true);
  for (class loop *loop : loops_list (fun, 0))
    countable[loop->num] = countable_p (loop);
  auto_vec<access_site> left;
  for (const access_site &site : sites)
    {
      object_root root = root_of (site);
      class loop *loop
	= loop_that_counts (gimple_bb (site.stmt), root, countable);
      if (!loop)
	{
	  left.safe_push (site);
	  continue;
	}
      loop_tally *&tally = by_loop[loop->num];
      if (!tally)
	tallies.safe_push (tally = new loop_tally (loop));
      tally->add (site, root);
    }
  sites.truncate (0);
  sites.safe_splice (left);
}

} // namespace memprof::plugin
