/* place_index.h - finds the row of an access by its place in the source.
   SPDX-License-Identifier: GPL-3.0-or-later

   A function that was inlined has its sites in the rows of its caller, or of several.  A
   rebuild that inlines differently has the sites elsewhere:

     profile                          rebuild
       main   a.c:9:12  load p->next    walk   a.c:9:12  load p->next
              a.c:20:3  store *q        main   a.c:20:3  store *q

   A place is file, line, column, kind, width and field.  Expressions do not count: inlining
   gives them other names.  Of several rows in one place, which are copies of one access, the
   one that was executed most is taken.

   It does not follow lines that moved; feedback/align.h does, within a function.  Standard
   containers, no GCC header.  */

#ifndef MEMPROF_PLACE_INDEX_H
#define MEMPROF_PLACE_INDEX_H

#include <optional>
#include <string>
#include <unordered_map>

#include "feedback/model.h"
#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* A site of a profile, and the function that has it.  */
struct site_row
{
  const feedback::Function *function;
  const feedback::Site *site;
};

class place_index
{
public:
  /* The sites of FUNCTION, which must outlive the index.  */
  void add (const feedback::Function &function);

  /* What was executed most in the place of SHAPE.  */
  std::optional<site_row> find (const site_shape &shape) const;

private:
  std::unordered_map<std::string, site_row> rows_;
};

} // namespace memprof::plugin

#endif
