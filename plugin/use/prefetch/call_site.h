/* call_site.h - a call, with what the function called computes from its arguments.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_CALL_SITE_H
#define MEMPROF_CALL_SITE_H

#include "plugin/use/prefetch/callee_loads.h"

namespace memprof::plugin {

/* Writes expressions of a callee before a call; see callee_loads.cc.  */
class call_site
{
public:
  call_site (gcall *call, const callee_loads *callee) : call_ (call), callee_ (callee) {}

  gcall *call () const { return call_; }
  const callee_loads &callee () const { return *callee_; }
  /* What LOAD loads, as a reference before the call.  */
  tree reference (const callee_load &load);
  /* Removes what was written and is not used, the last first.  */
  void remove_unused ();

  /* Whether LOAD, which reference () wrote, is performed by some calls only.  */
  bool conditional_p (gimple *load) const;
  /* Whether what the conditions of LOAD compare stays the same in LOOP.  */
  bool steady_p (const callee_load &load, class loop *loop) const;
  /* A name that is 1 if the conditions of LOAD hold; null: it has none.  */
  tree condition (const callee_load &load);
  /* Whether a call for which LOAD's conditions hold returns, and leaves what is loaded from
     REF as it is.  */
  bool leaves_p (const callee_load &load, tree ref) const;

private:
  tree argument (tree parameter) const;
  tree value (tree expression);
  tree written_value (tree expression);
  tree append (gassign *stmt);

  gcall *call_;
  const callee_loads *callee_;
  hash_map<tree, tree> written_values_; // names of expressions
  auto_vec<gimple *> written_;
  hash_set<gimple *> conditional_;
};

/* A load of a callee as seen from a call.  */
struct called_load
{
  call_site *site;
  const callee_load *load;
};

} // namespace memprof::plugin

#endif
