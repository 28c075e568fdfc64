/* record_types.cc - the record types that the unit defines.
   SPDX-License-Identifier: GPL-3.0-or-later

   The compile that is profiled and the one that uses the profile have to speak
   about the same type, in every unit of the program.  Both see a definition at
   the same place: when the front end has finished it and tells the writer of
   debug information about it.  (PLUGIN_FINISH_TYPE comes too early in C++, misses
   instances of templates, and what it changes is not in the debug information.)  */

#include "plugin/gcc-common.h"
#include "plugin/tables/record_types.h"
#include "plugin/tables/cxx_class.h"
#include "plugin/options.h"
#include "plugin/tables/source_text.h"


namespace memprof::plugin {

namespace {

auto_vec<void (*) (tree, const char *)> watchers;
/* Main variants whose definition was seen.  */
hash_set<tree> *seen;
const gcc_debug_hooks *next_hooks;
gcc_debug_hooks own_hooks;

bool
cxx_p ()
{
  return startswith (lang_hooks.name, "GNU C++");
}

void
see_declaration (tree decl, int local)
{
  if (decl && TREE_CODE (decl) == TYPE_DECL)
    {
      tree type = TREE_TYPE (decl);
      if (type && type != error_mark_node && RECORD_OR_UNION_TYPE_P (type)
	  && COMPLETE_TYPE_P (type))
	{
	  text tag;
	  type_text (type, &tag);
	  // In C it may get its name from the typedef that it is in, and only then
	  // other places.
	  if (options.use && !cxx_p () && !DECL_NAME (decl) && !*tag.c_str ())
	    return;
	  if (!seen)
	    seen = new hash_set<tree>;
	  seen->add (TYPE_MAIN_VARIANT (type));
	  for (auto watcher : watchers)
	    watcher (TYPE_MAIN_VARIANT (type),
		     DECL_NAME (decl) ? IDENTIFIER_POINTER (DECL_NAME (decl))
				      : tag.c_str ());
	}
    }
  next_hooks->type_decl (decl, local);
}

void
start_unit (void *, void *)
{
  next_hooks = debug_hooks;
  own_hooks = *next_hooks;
  own_hooks.type_decl = see_declaration;
  debug_hooks = &own_hooks;
}

const char *
fixed_field (tree f)
{
  if (DECL_BIT_FIELD_TYPE (f))
    return "bit-fields";
  if (DECL_ARTIFICIAL (f) || !DECL_NAME (f))
    return "a field without a name";
  if (!DECL_SIZE_UNIT (f) || !tree_fits_uhwi_p (DECL_SIZE_UNIT (f))
      || integer_zerop (DECL_SIZE_UNIT (f))
      || TREE_CODE (DECL_FIELD_OFFSET (f)) != INTEGER_CST)
    return "an array without a length";
  if (TREE_THIS_VOLATILE (f) || TYPE_VOLATILE (TREE_TYPE (f)))
    return "volatile fields";
  if (DECL_PACKED (f) || DECL_USER_ALIGN (f)
      || DECL_ALIGN (f) != TYPE_ALIGN (TREE_TYPE (f)))
    return "fields with an alignment of their own";
  if (cxx_p () && empty_class_p (strip_array_types (TREE_TYPE (f))))
    return "empty fields";
  return nullptr;
}

/* Whether an object of TYPE may be larger or smaller than TYPE at its end, since the last thing
   in it is an array: malloc (sizeof *p + n) for char text[1], or sizeof *p - 64 + n for
   char text[64].  What the system's headers define is not used so.  */

bool
open_end_p (tree type)
{
  if (TREE_CODE (type) == ARRAY_TYPE)
    return true;
  if (!RECORD_OR_UNION_TYPE_P (type)
      || in_system_header_at (definition_place (TYPE_MAIN_VARIANT (type))))
    return false;
  tree last = NULL_TREE;
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    if (TREE_CODE (f) == FIELD_DECL)
      {
	if (TREE_CODE (type) != RECORD_TYPE && open_end_p (TREE_TYPE (f)))
	  return true;
	last = f;
      }
  return last && open_end_p (TREE_TYPE (last));
}

class fnv
{
public:
  void
  add (const char *s)
  {
    for (; *s; s++)
      add_byte (*s);
    add_byte (0);
  }
  void
  add (unsigned HOST_WIDE_INT n)
  {
    for (unsigned i = 0; i < 8; i++)
      add_byte (n >> 8 * i);
  }
  uint32_t value () const { return state_ ? state_ : 1; }

private:
  void
  add_byte (unsigned char c)
  {
    state_ = (state_ ^ c) * 0x01000193;
  }
  uint32_t state_ = 0x811c9dc5;
};

void
hash_field (tree f, fnv &hash)
{
  hash.add (DECL_NAME (f) ? IDENTIFIER_POINTER (DECL_NAME (f)) : "");
  hash.add (TREE_CODE (DECL_FIELD_OFFSET (f)) == INTEGER_CST
	      ? int_bit_position (f)
	      : 0);
  hash.add (DECL_SIZE (f) && tree_fits_uhwi_p (DECL_SIZE (f))
	      ? tree_to_uhwi (DECL_SIZE (f))
	      : 0);
  hash.add (DECL_ALIGN (f));
  tree type = TREE_TYPE (f);
  hash.add (TREE_CODE (type));
  while (POINTER_TYPE_P (type) || TREE_CODE (type) == ARRAY_TYPE)
    type = TREE_TYPE (type);
  text name;
  type_text (type, &name);
  hash.add (name.c_str ());
}

} // anonymous namespace

location_t
definition_place (tree type)
{
  tree decl = TYPE_STUB_DECL (type) ? TYPE_STUB_DECL (type) : TYPE_NAME (type);
  if (!decl || !DECL_P (decl))
    return UNKNOWN_LOCATION;
  return DECL_SOURCE_LOCATION (decl);
}

const char *
definition_file (tree type)
{
  const char *file = LOCATION_FILE (definition_place (type));
  return file ? lbasename (file) : "";
}

uint32_t
definition_key (tree type)
{
  if (!COMPLETE_TYPE_P (type))
    return 0;
  fnv hash;
  text name;
  type_text (type, &name);
  hash.add (name.c_str ());
  hash.add (definition_file (type));
  hash.add (LOCATION_LINE (definition_place (type)));
  hash.add (tree_fits_uhwi_p (TYPE_SIZE_UNIT (type))
	      ? tree_to_uhwi (TYPE_SIZE_UNIT (type))
	      : 0);
  hash.add (TYPE_ALIGN (type));
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    if (TREE_CODE (f) == FIELD_DECL)
      hash_field (f, hash);
  return hash.value ();
}

bool
user_record_p (tree type)
{
  if (TREE_CODE (type) != RECORD_TYPE)
    return false;
  text name;
  type_text (type, &name);
  if (!*name.c_str () || name.full_p ())
    return false;
  // What the compiler makes for itself has no place.
  location_t place = definition_place (type);
  return place > BUILTINS_LOCATION && !in_system_header_at (place);
}

const char *
fixed_layout (tree type)
{
  if (!tree_fits_uhwi_p (TYPE_SIZE_UNIT (type)))
    return "variable size";
  if (TYPE_PACKED (type) || TYPE_USER_ALIGN (type))
    return "packed or aligned by an attribute";
  if (TYPE_REVERSE_STORAGE_ORDER (type) || TYPE_TRANSPARENT_AGGR (type))
    return "attributes";
  if (cxx_p ())
    if (const char *reason = fixed_class (type))
      return reason;
  for (tree v = TYPE_MAIN_VARIANT (type); v; v = TYPE_NEXT_VARIANT (v))
    if (TYPE_FIELDS (v) != TYPE_FIELDS (type))
      return "variants with fields of their own";
  for (tree f = TYPE_FIELDS (type); f; f = DECL_CHAIN (f))
    if (TREE_CODE (f) == FIELD_DECL)
      if (const char *reason = fixed_field (f))
	return reason;
  if (open_end_p (type))
    return "its last member is an array";
  return nullptr;
}

bool
definition_seen_p (tree type)
{
  return !in_lto_p && seen && seen->contains (type);
}

void
watch_definitions (const char *plugin_name,
		   void (*fn) (tree, const char *))
{
  watchers.safe_push (fn);
  if (watchers.length () > 1)
    return;
  register_callback (plugin_name, PLUGIN_START_UNIT, start_unit, nullptr);
}

} // namespace memprof::plugin
