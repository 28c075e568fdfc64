/* veto.cc - what the user does not want to be transformed.
   SPDX-License-Identifier: GPL-3.0-or-later

   -fprofile-mem-veto=FILE.  One entry per line, blanks around it and lines that
   start with # do not count:

     search                  a function, by its name in the source or in the
     std::vector<*>::*       object file; shell patterns are allowed
     struct order            a type whose fields must stay where they are
     bfs.c:161               accesses on a line of a source file; a folder at the
     src/bfs.c:161:9         front and a column at the end make it narrower

     @prefetch search        one transformation only: prefetch, versioning,
			    huge-pages, co-allocation, field-order

   An entry that ends in a colon and a number is a place, any other a function;
   it is about the code that was inlined into that function as well, and, as far
   as debug information tells (-g), about the function where it was inlined.

   The environment variable MPRT_VETO names another file, for `memprof verify',
   which leaves the build files as they are.  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/tables/source_text.h"
#include "plugin/sites/source_place.h"
#include "plugin/use/veto.h"

#include <fnmatch.h>

namespace memprof::plugin {

namespace {

struct entry
{
  const char *kind;	 // transformation; null: each
  const char *name;	 // pattern of a function, or file
  unsigned line, column; // of a place; 0: a function, any column
  char *origin;		 // FILE:LINE of the entry itself
};

auto_vec<entry> entries;

/* Whether E is about TRANSFORMATION.  */

bool
about_p (const entry &e, decide::Transformation transformation)
{
  for (const decide::TransformationWord &row : decide::k_transformation_words)
    if (e.kind && row.transformation == transformation
	&& strcmp (e.kind, row.word) == 0)
      return true;
  return !e.kind;
}

/* If TEXT ends in a colon and a number, cuts that off and returns the number,
   else 0.  */

unsigned
cut_number (char *text)
{
  char *colon = strrchr (text, ':');
  if (!colon || !colon[1] || colon[1 + strspn (colon + 1, "0123456789")])
    return 0;
  *colon = '\0';
  return strtoul (colon + 1, nullptr, 10);
}

void
add_entry (const char *path, const char *text, size_t length, unsigned line)
{
  const char *kind = nullptr;
  size_t word = *text == '@' ? strcspn (text, " \t") : 0;
  if (word && word < length)
    {
      kind = xstrndup (text + 1, word - 1);
      word += strspn (text + word, " \t");
      text += word;
      length -= word;
    }
  char *name = xstrndup (text, length);
  entry added = { kind, name, cut_number (name), 0, nullptr };
  if (added.line)
    if (unsigned before = cut_number (name))
      {
	added.column = added.line;
	added.line = before;
      }
  added.origin = xasprintf ("%s:%u", path, line);
  entries.safe_push (added);
}

/* Whether FILE is WANTED or ends in /WANTED.  */

bool
names_file_p (const char *file, const char *wanted)
{
  size_t all = strlen (file), part = strlen (wanted);
  return all >= part && strcmp (file + all - part, wanted) == 0
	 && (all == part || file[all - part - 1] == '/');
}

bool
names_function_p (tree decl, const char *pattern)
{
  return fnmatch (pattern, printable_name (decl), 0) == 0
	 || fnmatch (pattern, IDENTIFIER_POINTER (DECL_ASSEMBLER_NAME (decl)),
		     0) == 0;
}

/* Whether STMT is in a function of that name, or was before inlining.  */

bool
in_function_p (gimple *stmt, const char *pattern)
{
  if (names_function_p (current_function_decl, pattern))
    return true;
  for (tree block = gimple_block (stmt); block && TREE_CODE (block) == BLOCK;
       block = BLOCK_SUPERCONTEXT (block))
    if (inlined_function_outer_scope_p (block))
      {
	tree origin = block_ultimate_origin (block);
	if (origin && TREE_CODE (origin) == FUNCTION_DECL
	    && names_function_p (origin, pattern))
	  return true;
      }
  return false;
}

void
read_file (const char *path)
{
  FILE *file = fopen (path, "r");
  char *line = nullptr;
  size_t size = 0;
  for (unsigned number = 1; file && getline (&line, &size, file) >= 0; number++)
    {
      const char *start = line + strspn (line, " \t");
      size_t rest = strlen (start);
      while (rest && ISSPACE (start[rest - 1]))
	rest--;
      if (rest && *start != '#')
	add_entry (path, start, rest, number);
    }
  if (!file || ferror (file))
    error ("memprof: cannot read %qs, the file of %<-fprofile-mem-veto%>: %m",
	   path);
  free (line);
  if (file)
    fclose (file);
}

} // anonymous namespace

void
read_vetoes ()
{
  const char *more = getenv ("MPRT_VETO");
  if (options.veto)
    read_file (options.veto);
  if (more && *more)
    read_file (more);
}

bool
switched_off_p (decide::Transformation transformation)
{
  for (const decide::TransformationWord &row : decide::k_transformation_words)
    if (row.transformation == transformation
	&& matches_glob_list (row.word, options.use_no))
      return true;
  return false;
}

const char *
vetoed_by (gimple *stmt, decide::Transformation transformation)
{
  expanded_location where = expand_location (source_place (stmt));
  for (const entry &e : entries)
    if (!about_p (e, transformation))
      continue;
    else if (!e.line ? in_function_p (stmt, e.name)
		: where.file && where.line == int (e.line)
		    && (!e.column || where.column == int (e.column))
		    && names_file_p (where.file, e.name))
      return e.origin;
  return nullptr;
}

const char *
definition_vetoed_by (const char *name, location_t place,
		      decide::Transformation transformation)
{
  expanded_location where = expand_location (place);
  const char *tag = startswith (name, "struct ") ? name + 7 : name;
  for (const entry &e : entries)
    if (!about_p (e, transformation))
      continue;
    else if (!e.line ? fnmatch (e.name, name, 0) == 0
			 || fnmatch (e.name, tag, 0) == 0
		     : where.file && where.line == int (e.line)
			 && names_file_p (where.file, e.name))
      return e.origin;
  return nullptr;
}

} // namespace memprof::plugin
