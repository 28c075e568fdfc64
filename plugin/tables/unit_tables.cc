/* unit_tables.cc - the tables in which a unit describes itself to the backend.
   SPDX-License-Identifier: GPL-3.0-or-later

   Adds the rows while functions are compiled; unit_writer.cc writes them.  Rows are plain
   integers in malloc memory.  */

#include "plugin/gcc-common.h"
#include "plugin/tables/unit_tables.h"
#include "plugin/sites/source_place.h"
#include "plugin/tables/allocated_type.h"
#include "plugin/tables/effective_type.h"
#include "plugin/tables/source_text.h"
#include "plugin/tables/unit_rows.h"
#include "plugin/tables/wrapper_shape.h"

namespace memprof::plugin::unit_tables {

unit_rows rows;

namespace {

uint32_t
intern (const char *s)
{
  return rows.strings.add (s);
}

uint32_t
intern (const text &t)
{
  return rows.strings.add (t.c_str ());
}

/* WHERE as a row of the function ROW says it: FILE is "" if it is that of the function.  */

void
place (location_t where, const mprt_function &row, uint32_t *file, uint32_t *line,
       uint32_t *column)
{
  expanded_location at = expand_location (where);
  *file = at.file ? intern (remap_debug_filename (at.file)) : 0;
  if (*file == row.file)
    *file = 0;
  *line = at.line;
  if (column)
    *column = at.column;
}

/* The same for the current function.  */

void
place (location_t where, uint32_t *file, uint32_t *line, uint32_t *column)
{
  place (where, rows.functions.last (), file, line, column);
}

/* The frame of the code in BLOCK of the current function, with rows for it and those around it: the
   call that it was inlined with.  0: it is the function's own.  */

unsigned
frame_of (tree block)
{
  while (block && TREE_CODE (block) == BLOCK && !inlined_function_outer_scope_p (block))
    block = BLOCK_SUPERCONTEXT (block);
  if (!block || TREE_CODE (block) != BLOCK)
    return 0;
  if (const unsigned *known = rows.frame_of.get (block))
    return *known;
  mprt_inlined row = {};
  row.frame = frame_of (BLOCK_SUPERCONTEXT (block));
  row.name = intern (printable_name (BLOCK_ABSTRACT_ORIGIN (block)));
  place (BLOCK_SOURCE_LOCATION (block), &row.file, &row.line, &row.column);
  rows.frames.safe_push (row);
  const unsigned number = ++rows.functions.last ().frames;
  rows.frame_of.put (block, number);
  return number;
}

/* "FILE:LINE:COLUMN" of WHERE.  */

unsigned
place_text (location_t where)
{
  const expanded_location at = expand_location (where);
  char *const text = xasprintf ("%s:%d:%d", remap_debug_filename (at.file), at.line, at.column);
  const unsigned offset = intern (text);
  free (text);
  return offset;
}

/* Whether no row has the identity of ROW.  */

bool
unique_p (const mprt_function &row)
{
  for (const mprt_function &other : rows.functions)
    if (other.file == row.file && other.linkage_name == row.linkage_name)
      return false;
  return true;
}

} // anonymous namespace

void
begin_function (function *fun, const function_key &key)
{
  mprt_function row = {};
  row.file = intern (key.file);
  row.name = intern (printable_name (fun->decl));
  row.linkage_name = intern (key.linkage_name);
  place (function_place (fun), row, &row.line_file, &row.line, nullptr);
  row.checksum = key.checksum;
  if (DECL_COMDAT (fun->decl) || DECL_WEAK (fun->decl))
    row.flags |= MPRT_FN_COMDAT;
  if (!TREE_PUBLIC (fun->decl))
    row.flags |= MPRT_FN_STATIC;
  row.first_loop = rows.loops.length ();
  row.first_site = rows.sites.length ();
  row.first_frame = rows.frames.length ();
  rows.frame_of.empty ();
  if (flag_checking)
    gcc_assert (unique_p (row));
  rows.functions.safe_push (row);
}

unsigned
this_function ()
{
  return rows.functions.length () - 1;
}

unsigned
next_site ()
{
  return rows.sites.length ();
}

unsigned
next_loop ()
{
  return rows.loops.length ();
}

bool
full_p (unsigned more)
{
  return rows.sites.length () + more > MPRT_MAX_SITES;
}

void
add_loop (location_t where, unsigned parent_row)
{
  mprt_loop row = {};
  row.function = rows.functions.length () - 1;
  row.parent = parent_row;
  place (where, &row.file, &row.line, &row.column);
  row.frame = frame_of (LOCATION_BLOCK (where));
  rows.loops.safe_push (row);
  rows.functions.last ().loops++;
}

void
add_site (const access_site &site, unsigned loop_row)
{
  mprt_site row = {};
  const location_t where = source_place (site.stmt), code = code_place (site.stmt);
  row.function = rows.functions.length () - 1;
  row.kind = site.kind;
  place (where, &row.file, &row.line, &row.column);
  row.width = site.width;
  row.loop = loop_row;
  row.frame = frame_of (LOCATION_BLOCK (code));
  if (where != code)
    row.header = place_text (code);
  text expression, record, field;
  expression_text (site, &expression);
  row.expression = intern (expression);
  if (site.ref)
    {
      field_text (site.ref, &record, &field);
      rows.types.note (rows.strings, site.ref);
    }
  row.type = intern (record);
  row.field = intern (field);
  set_effective_type (site, &row);
  row.flags = (site.volatile_p ? MPRT_SITE_VOLATILE : 0)
	      | (site.atomic_p ? MPRT_SITE_ATOMIC : 0)
	      | (moves_pointer_p (site) ? MPRT_SITE_POINTER : 0);
  rows.sites.safe_push (row);
  rows.functions.last ().sites++;
}

void
mark_sampled (const access_site &site)
{
  rows.sites[rows.functions.last ().first_site + site.ordinal].flags |= MPRT_SITE_SAMPLED;
}

unsigned
add_local (tree decl, location_t where)
{
  mprt_local row = {};
  row.function = this_function ();
  row.line = LOCATION_LINE (where);
  if (decl)
    {
      text type;
      type_text (TREE_TYPE (decl), &type);
      row.type = intern (type);
      row.name = intern (DECL_NAME (decl)
			   ? IDENTIFIER_POINTER (DECL_NAME (decl))
			   : "");
      unsigned HOST_WIDE_INT bytes = tree_to_uhwi (DECL_SIZE_UNIT (decl));
      row.bytes_low = bytes;
      row.bytes_high = bytes >> 32;
    }
  else
    row.name = intern ("alloca");
  rows.locals.safe_push (row);
  return rows.locals.length () - 1;
}

unsigned
add_callee (tree decl, unsigned flags)
{
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl));
  mprt_callee row = { intern (name + (*name == '*')), flags };
  for (unsigned i = 0; i < rows.callees.length (); i++)
    if (rows.callees[i].name == row.name)
      {
	rows.callees[i].flags |= flags;
	return i;
      }
  rows.callees.safe_push (row);
  return rows.callees.length () - 1;
}

void
add_header_call (gcall *call)
{
  mprt_header_call row = {};
  row.function = this_function ();
  const char *name = IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (gimple_call_fndecl (call)));
  row.callee = intern (name + (*name == '*'));
  place (source_place (call), &row.file, &row.line, nullptr);
  for (unsigned i = rows.calls.length (); i-- > 0 && rows.calls[i].function == row.function;)
    if (rows.calls[i].callee == row.callee && rows.calls[i].line == row.line && rows.calls[i].file == row.file)
      return;
  rows.calls.safe_push (row);
}

tree
add_alloc_site (gcall *call, const char *allocator)
{
  mprt_alloc_site row = {};
  row.function = rows.functions.length () - 1;
  place (source_place (call), &row.file, &row.line, &row.column);
  row.allocator = intern (allocator);
  text type;
  allocated_type_text (call, &type);
  row.type = intern (type);
  text wrapper;
  wrapper_text (call, &wrapper);
  row.wrapper = intern (wrapper);
  rows.alloc_sites.safe_push (row);
  tree target = build2 (MEM_REF, unsigned_char_type_node,
			build_fold_addr_expr (alloc_site_names ()),
			build_int_cst (ptr_type_node,
				       rows.alloc_sites.length () - 1));
  return build1 (ADDR_EXPR, ptr_type_node, target);
}

void
add_obstacle (tree type, const char *kind, const char *detail, location_t where,
	      bool each)
{
  rows.types.add_obstacle (rows.strings, type, kind, detail, where, each);
}

} // namespace memprof::plugin::unit_tables
