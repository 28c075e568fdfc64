/* covered_sites.h - accesses that another access of their block speaks for.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_COVERED_SITES_H
#define MEMPROF_COVERED_SITES_H

#include "plugin/sites/access_sites.h"

namespace memprof::plugin {

class descriptor_table;

/* A site without records: it is executed as often as another one.  */
struct companion
{
  const access_site *site;
  const access_site *leader;
  /* The variable that it touches; null: what the leader does.  */
  tree variable;
};

/* Whether of accesses nothing is needed but how often which object is touched,
   and may be told in any order.  */
bool targets_only_p ();

/* Appends the companions among SITES, which are in the order of the code, to
   COMPANIONS, and the others to REPORTED.  */
void find_companions (const auto_vec<access_site> &sites,
		      auto_vec<companion> &companions,
		      auto_vec<access_site> &reported);

/* Adds what the backend must know of COMPANIONS to DESCRIPTORS.  Row FIRST_SITE
   belongs to the first site of the function.  */
void describe_companions (const auto_vec<companion> &companions,
			  unsigned first_site, descriptor_table &descriptors);

} // namespace memprof::plugin

#endif
