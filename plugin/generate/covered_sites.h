/* covered_sites.h - accesses that the record of another one represents.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_COVERED_SITES_H
#define MEMPROF_COVERED_SITES_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

class descriptor_table;

/* A site without records: it is executed as often as its leader.  */
struct covered_site
{
  const access_site *site;
  const access_site *leader;
  /* The variable that it accesses; null: the object that the leader accesses.  */
  tree variable;
};

/* Whether all that is needed of accesses is how often each object is accessed, and in
   any order.  */
bool targets_only_p ();

/* Appends the covered sites among SITES, which are in the order of the code, to COVERED,
   and the others to REPORTED.  */
void find_covered_sites (const auto_vec<access_site> &sites,
		      auto_vec<covered_site> &covered,
		      auto_vec<access_site> &reported);

/* Adds a descriptor of COVERED to DESCRIPTORS.  Row FIRST_SITE belongs to the first site
   of the function.  */
void describe_covered_sites (const auto_vec<covered_site> &covered,
			  unsigned first_site, descriptor_table &descriptors);

} // namespace memprof::plugin

#endif
