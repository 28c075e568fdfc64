/* covered_sites.cc - accesses that the record of another one represents.
   SPDX-License-Identifier: GPL-3.0-or-later

   If only the objects that accesses touch are wanted, one record entry can represent
   several accesses that are executed equally often:

     total += p->a;		load total, load p->a, store total
     p->b = q->c;		load q->c, store p->b

   Only the loads of p->a and of q->c are reported.  They cover the others: `total' has a
   constant address, so its number of executions is all that is missing, and that is the
   number of p->a; p->b is in the object of p->a.  A descriptor without records says which
   site covers which.

   Two accesses of a block are executed equally often if no call that control may not
   return from is between them.  */

#include "plugin/gcc-common.h"
#include "plugin/generate/loop_shape.h"
#include "plugin/generate/covered_sites.h"
#include "plugin/tables/descriptor_table.h"
#include "plugin/generate/object_root.h"
#include "plugin/options.h"
#include "plugin/sites/runtime_decls.h"

namespace memprof::plugin {

namespace {

/* Consecutive sites that are executed equally often.  */

class stretch
{
public:
  explicit stretch (auto_vec<covered_site> &covered) : covered_ (covered)
  {}

  void
  add (const access_site &site)
  {
    sites_.safe_push (&site);
  }

  /* Appends the covered sites and, to REPORTED, the others.  Begins anew.  */
  void finish (auto_vec<access_site> &reported);

private:
  const access_site *first_with (const vec<object_root> &roots,
				 const object_root &root) const;

  auto_vec<covered_site> &covered_;
  auto_vec<const access_site *> sites_;
};

/* The first site that has ROOT.  */

const access_site *
stretch::first_with (const vec<object_root> &roots,
		     const object_root &root) const
{
  for (unsigned i = 0; i < sites_.length (); i++)
    if (roots[i] == root)
      return sites_[i];
  return nullptr;
}

void
stretch::finish (auto_vec<access_site> &reported)
{
  auto_vec<object_root> roots;
  const access_site *leader = nullptr;
  for (const access_site *site : sites_)
    {
      object_root root = root_of (*site);
      roots.safe_push (root);
      // A compare-exchange stores either here or there.
      if (!leader && root.kind != object_root::VARIABLE
	  && !site->if_exchanged_p && !site->if_failed_p)
	leader = site;
    }
  if (!leader)
    for (unsigned i = 0; i < sites_.length () && !leader; i++)
      if (roots[i].kind == object_root::VARIABLE)
	leader = sites_[i];
  for (unsigned i = 0; i < sites_.length (); i++)
    {
      const access_site *site = sites_[i];
      const object_root &root = roots[i];
      const access_site *first = root.kind == object_root::NONE ? site
				 : root.kind == object_root::VARIABLE
				   ? leader
				   : first_with (roots, root);
      if (first == site)
	reported.safe_push (*site);
      else
	covered_.safe_push (
	  { site, first,
	    root.kind == object_root::VARIABLE ? root.of : NULL_TREE });
    }
  sites_.truncate (0);
}

} // anonymous namespace

bool
targets_only_p ()
{
  return (options.events & MPRT_TARGETS)
	 && !(options.events & (MPRT_LOADS | MPRT_STORES))
	 && options.coalesce >= COALESCE_RANGE && options.mode == MODE_FULL;
}

void
find_covered_sites (const auto_vec<access_site> &sites,
		 auto_vec<covered_site> &covered,
		 auto_vec<access_site> &reported)
{
  stretch current (covered);
  unsigned next = 0;
  while (next < sites.length ())
    {
      basic_block bb = gimple_bb (sites[next].stmt);
      for (gimple_stmt_iterator gsi = gsi_start_nondebug_bb (bb);
	   !gsi_end_p (gsi); gsi_next_nondebug (&gsi))
	{
	  gimple *stmt = gsi_stmt (gsi);
	  unsigned end = next;
	  while (end < sites.length () && sites[end].stmt == stmt)
	    end++;
	  for (bool after : { false, true })
	    {
	      for (unsigned i = next; i < end; i++)
		if (sites[i].after_p == after)
		  current.add (sites[i]);
	      if (!after && boundary_p (stmt))
		current.finish (reported);
	    }
	  next = end;
	}
      current.finish (reported);
    }
}

void
describe_covered_sites (const auto_vec<covered_site> &covered, unsigned first_site,
		     descriptor_table &descriptors)
{
  for (unsigned start = 0; start < covered.length ();
       start += MPRT_MAX_ENTRIES)
    {
      unsigned end = MIN (start + MPRT_MAX_ENTRIES, covered.length ());
      auto_vec<tree> descriptor;
      descriptor.safe_push (word_constant (
	MPRT_DESC (MPRT_DESC_COVERED, 0, end - start, 1, MPRT_NO_LOOP)));
      for (unsigned i = start; i < end; i++)
	{
	  const covered_site &c = covered[i];
	  descriptor.safe_push (word_constant (
	    MPRT_ENTRY (first_site + c.site->ordinal,
			c.variable ? MPRT_BASE_ABSOLUTE : 0, 0, c.site->kind,
			first_site + c.leader->ordinal)));
	  descriptor.safe_push (c.variable ? address_word (c.variable, 0)
					   : word_constant (0));
	}
      descriptors.add (descriptor, 1);
    }
}

} // namespace memprof::plugin
