/* apply_field_order.cc - moves the fields of records.
   SPDX-License-Identifier: GPL-3.0-or-later

   Before:				After, same size and alignment:

     struct order			  struct order
     {					  {
       char name[120];	    // 0	    char name[120];	  // 24
       int price;	    // 120	    int price;		  // 8
       char note[60];	    // 124	    char note[60];	  // 144
       struct order *next;  // 184	    struct order *next;	  // 0
     };					  };

   The list of fields stays as it is, so that initialisers and constructors mean
   what they did; only the places change, as soon as the definition has been
   read: nothing has asked for them yet, so that offsetof, the debug information
   and all code have the new ones, and so does what -flto passes on.

   Constants of the type, which C++ may have, list values in the order of the
   fields; varasm.cc wants the order of the places.

   All units of the program must agree.  They do if they use the same profile, because the type is known
   there by its whole definition; the link compares what they say (layout_notes.h).  */

#include "plugin/gcc-common.h"
#include "plugin/use/objects/apply_field_order.h"
#include "plugin/use/bridge.h"
#include "plugin/options.h"
#include "plugin/tables/record_types.h"
#include "plugin/use/objects/layout_notes.h"
#include "plugin/use/remarks.h"
#include "plugin/tables/source_text.h"
#include "plugin/use/objects/unit_findings.h"
#include "plugin/use/match/unit_profile.h"
#include "plugin/use/veto.h"

namespace memprof::plugin {

namespace {

struct remark
{
  location_t where;
  const decision_view *decision;
};

auto_vec<remark> remarks;
hash_set<tree> *decided, *moved; /* main variants */
tree kept;			/* a list of them */

const ggc_root_tab roots[] = { { &kept, 1, sizeof (tree),
				 &gt_ggc_mx_tree_node, &gt_pch_nx_tree_node },
			       LAST_GGC_ROOT_TAB };

unsigned
count_fields (tree type)
{
  unsigned n = 0;
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    n += TREE_CODE (f) == FIELD_DECL;
  return n;
}

/* As place_field writes it: a multiple of the greatest alignment that an offset
   can be known to have, and the rest in bits.  */

void
move_field (tree f, unsigned HOST_WIDE_INT offset)
{
  const unsigned unit = BIGGEST_ALIGNMENT / BITS_PER_UNIT;
  DECL_FIELD_OFFSET (f) = size_int (offset / unit * unit);
  SET_DECL_OFFSET_ALIGN (f, BIGGEST_ALIGNMENT);
  DECL_FIELD_BIT_OFFSET (f) = bitsize_int (offset % unit * BITS_PER_UNIT);
}

void
move_fields (tree type, const uint64_t *offsets)
{
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    if (TREE_CODE (f) == FIELD_DECL)
      move_field (f, *offsets++);
}

bool
same_places_p (tree a, tree b)
{
  tree f = TYPE_FIELDS (a), g = TYPE_FIELDS (b);
  for (; f && g; f = DECL_CHAIN (f), g = DECL_CHAIN (g))
    if (TREE_CODE (f) == FIELD_DECL && TREE_CODE (g) == FIELD_DECL
	&& !tree_int_cst_equal (bit_position (f), bit_position (g)))
      return false;
  return true;
}

/* Moves the fields of the canonical type of TYPE to the same places.  Since GCC 15 C's front end makes
   it as a copy of the first of all equal records, with fields of its own.  Where it is the copy of
   another one, whose fields lie elsewhere, TYPE becomes its own canonical type.  */

void
follow_in_canonical (tree type)
{
  tree canonical = TYPE_CANONICAL (type);
  if (!canonical || canonical == type || same_places_p (canonical, type))
    return;
  tree f = TYPE_FIELDS (canonical), g = TYPE_FIELDS (type);
  if (f && DECL_CONTEXT (f) == type)
    {
      for (; f && g; f = DECL_CHAIN (f), g = DECL_CHAIN (g))
	if (TREE_CODE (f) == FIELD_DECL)
	  move_field (f, int_byte_position (g));
    }
  else
    for (tree variant = type; variant; variant = TYPE_NEXT_VARIANT (variant))
      TYPE_CANONICAL (variant) = type;
}

/* Why this compile cannot move the fields of TYPE, or null.  */

const char *
obstacle_of (tree type)
{
  bool overlooked = options.ignored_obstacle
		    && strcmp (options.ignored_obstacle, "fixed") == 0;
  return overlooked ? nullptr : fixed_layout (type);
}

/* The decision about TYPE, of which the profile and this compile's code know CODE; null if it has none.  */

const decision_view *
decision_about (tree type, decide::RecordCode &code, location_t where)
{
  profile *from = opened_profile (remap_debug_filename (main_input_filename));
  const decide::Candidate candidate
    = definition_candidate (where, code.name, decide::Transformation::field_order);
  const decision_view *decision = profile_decide_field_order (from, candidate, code);
  if (!decision || !decision->take)
    return decision;
  code.obstacle = profile_knows_source (from, remap_debug_filename (main_input_filename))
		    ? unit_obstacle (type)
		    : "this unit is not in the profile";
  return code.obstacle ? profile_decide_field_order (from, candidate, code) : decision;
}

/* Decides on TYPE, whose definition has the key KEY, and moves its fields.  Returns the hash of their
   places, 0 if they stay.  */

uint32_t
decide_definition (tree type, uint32_t key)
{
  text name;
  type_text (type, &name);
  decide::RecordCode code;
  code.name = name.c_str ();
  code.key = key;
  code.fields = count_fields (type);
  code.obstacle = obstacle_of (type);
  location_t where = definition_place (type);
  const decision_view *decision = decision_about (type, code, where);
  if (!decision || looking_p ())
    return 0;
  decided->add (type);
  kept = tree_cons (NULL_TREE, type, kept);
  if (switched_off_p (decide::Transformation::field_order))
    return 0;
  if (decision->take)
    {
      move_fields (type, decision->offsets);
      if (!moved)
	moved = new hash_set<tree>;
      moved->add (type);
    }
  remarks.safe_push ({ where, decision });
  return decision->take ? decision->hash : 0;
}

/* A definition has been read.  */

void
see_definition (tree type, const char *)
{
  if (in_lto_p)
    return;
  if (!decided)
    decided = new hash_set<tree>;
  if (!decided->contains (type))
    {
      uint32_t key = definition_key (type);
      note_layout (type, key, user_record_p (type) ? decide_definition (type, key) : 0);
    }
  if (user_record_p (type))
    follow_in_canonical (type);
}

int
compare_places (const void *a, const void *b)
{
  const constructor_elt *x = static_cast<const constructor_elt *> (a);
  const constructor_elt *y = static_cast<const constructor_elt *> (b);
  HOST_WIDE_INT i = int_byte_position (x->index);
  HOST_WIDE_INT j = int_byte_position (y->index);
  return i < j ? -1 : i > j;
}

tree
sort_constant (tree *at, int *, void *)
{
  tree value = *at;
  if (TREE_CODE (value) != CONSTRUCTOR || !TREE_TYPE (value)
      || !decided->contains (TYPE_MAIN_VARIANT (TREE_TYPE (value)))
      || CONSTRUCTOR_NELTS (value) < 2)
    return NULL_TREE;
  unsigned i;
  tree field, element;
  FOR_EACH_CONSTRUCTOR_ELT (CONSTRUCTOR_ELTS (value), i, field, element)
    if (!field || TREE_CODE (field) != FIELD_DECL)
      return NULL_TREE;
  CONSTRUCTOR_ELTS (value)->qsort (compare_places);
  return NULL_TREE;
}

/* PLUGIN_ALL_IPA_PASSES_START.  */

void
sort_constants (void *, void *)
{
  if (!decided || in_lto_p)
    return;
  varpool_node *node;
  FOR_EACH_VARIABLE (node)
    if (DECL_INITIAL (node->decl)
	&& DECL_INITIAL (node->decl) != error_mark_node)
      walk_tree_without_duplicates (&DECL_INITIAL (node->decl), sort_constant,
				    nullptr);
}

} // anonymous namespace

bool
moved_field_p (tree ref)
{
  if (moved)
    for (; ref && handled_component_p (ref); ref = TREE_OPERAND (ref, 0))
      if (TREE_CODE (ref) == COMPONENT_REF
	  && moved->contains (
	    TYPE_MAIN_VARIANT (TREE_TYPE (TREE_OPERAND (ref, 0)))))
	return true;
  return false;
}

bool
moved_fields_p (const vec<access_site> &sites)
{
  for (const access_site &site : sites)
    if (moved_field_p (site.ref))
      return true;
  return false;
}

void
emit_field_order_remarks ()
{
  for (const remark &r : remarks)
    emit_remark (dump_user_location_t::from_location_t (r.where), *r.decision);
  remarks.truncate (0);
}

void
register_field_order (const char *plugin_name)
{
  if (options.move_fields)
    {
      register_unit_findings (plugin_name);
      register_layout_notes (plugin_name);
    }
  watch_definitions (plugin_name, see_definition);
  register_callback (plugin_name, PLUGIN_REGISTER_GGC_ROOTS, nullptr,
		     const_cast<ggc_root_tab *> (roots));
  register_callback (plugin_name, PLUGIN_ALL_IPA_PASSES_START, sort_constants,
		     nullptr);
}

} // namespace memprof::plugin
