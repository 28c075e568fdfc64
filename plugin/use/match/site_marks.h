/* site_marks.h - which statement of the function at hand is which site.
   SPDX-License-Identifier: GPL-3.0-or-later

   Sites are matched after tsan; transformations come many passes later.  In
   between statements are rewritten, copied and freed, so a mark is found again
   by the statement's address only if it still looks the same, and otherwise,
   for copies that loop passes made, by location and type.  */

#ifndef MEMPROF_SITE_MARKS_H
#define MEMPROF_SITE_MARKS_H

#include "plugin/use/bridge.h"

namespace memprof::plugin {

struct site_mark
{
  unsigned ordinal;
  bool load;
  site_counts counts;
  // What the statement looked like; compared, never followed.
  tree lhs;
  location_t location;
  location_t place;		/* never unknown: source_place */
  machine_mode mode;
};

class site_marks
{
public:
  /* Forgets everything and starts with FUN, whose rows are PROFILE.  */
  void start (function *fun, const function_profile *profile);
  void add (gimple *stmt, tree ref, unsigned ordinal, bool load);
  /* A load by STMT that is no assignment, or volatile: it has counts, and no mark.  */
  void add_other_load (gimple *stmt, unsigned ordinal);
  /* The mark of STMT, an assignment that accesses REF, or null.  */
  const site_mark *find (gimple *stmt, tree ref, bool load) const;
  /* The same; STMT may also be a vector of what it was.  */
  const site_mark *find_scalar (gimple *stmt, tree ref, bool load) const;
  /* The marks of all loads, in the order of their ordinals.  */
  const vec<site_mark> &loads () const { return loads_; }
  /* Iterations of the loop of some site that has most.  */
  uint64_t longest_loop () const { return longest_loop_; }
  /* The rows of FUN, or null when it has no profile.  */
  const function_profile *profile_of (function *fun) const;

private:
  const site_mark *find (gimple *stmt, machine_mode mode, bool load) const;

  struct place
  {
    site_mark mark;
    bool ambiguous;
  };

  tree decl_ = NULL_TREE;
  const function_profile *profile_ = nullptr;
  uint64_t longest_loop_ = 0;
  auto_vec<site_mark> loads_;
  hash_map<gimple *, site_mark> by_stmt_[2];
  hash_map<int_hash<location_t, 0, UINT_MAX>, place> by_location_[2];
};

/* The function that went through memprof_use last.  */
extern site_marks current_marks;

/* Appends to *LOADS the loads of registers in FUN that have a mark and were executed.  */
void list_marked_loads (function *fun, vec<gimple *> *loads);

} // namespace memprof::plugin

#endif
