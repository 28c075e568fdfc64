/* type_finder.h - looks through a function for what type_facts.cc lists.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_TYPE_FINDER_H
#define MEMPROF_TYPE_FINDER_H

#include "plugin/tables/type_memory.h"

namespace memprof::plugin {

/* What a pointer leads to: a record through LEVELS more pointers (0: the record
   itself, or an array of it), or something else.  */
struct target
{
  tree record;
  unsigned levels;

  bool operator== (const target &other) const
  {
    return same_record_p (record, other.record) && (!record || levels == other.levels);
  }

private:
  /* With -flto, GCC gives types of parameters an incomplete copy of the record.  */
  static bool same_record_p (tree a, tree b);
};

target target_of (tree type);
target target_of_value (tree value);

/* What a function does with a pointer to a type that it does not know.  */
enum known_use
{
  USE_NONE,
  USE_OPAQUE,	/* they do not look at what it points to */
  USE_FILL,	/* memset */
  USE_COPY,	/* memcpy */
  USE_FIELD	/* they stay inside of the array or number they are given */
};

known_use use_of (tree callee);

class finder
{
public:
  explicit finder (function *fun) : fun_ (fun) {}
  void run ();

private:
  void obstacle (tree record, const char *kind, const char *detail = "",
		 bool each = false);
  void obstacle (const target &t, const char *kind, const char *detail = "");
  void statement (gimple *stmt);
  void assignment (gassign *stmt);
  void call (gcall *stmt);
  void argument (gcall *stmt, unsigned n, tree formal, known_use use);
  void filled (gcall *stmt, known_use use);
  void result (gcall *stmt);
  void return_value (greturn *stmt);
  void flow (tree to, tree value);
  void from_void (tree record, tree value);
  void pointers_in (tree record, const char *kind, const char *detail, hash_set<tree> &visited);
  void reference (tree ref);
  void memory (tree ref);
  void fields_of (tree ref, const char *kind);
  void field_address (tree address);
  bool field_use_p (gimple *use, tree name, tree ref);
  bool field_argument_p (gcall *stmt, tree argument, tree ref);
  void external (tree decl);
  void known_to (tree type, const char *kind, const char *detail, hash_set<tree> &visited);

  function *fun_;
  gimple *stmt_ = nullptr;
  new_memory new_;
  bool returns_new_ = true;	/* all that it returns is new memory */
  bool returns_ = false;
};

} // namespace memprof::plugin

#endif
