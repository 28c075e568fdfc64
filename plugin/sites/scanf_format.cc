/* scanf_format.cc - what scanf and its relatives write, from their format.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/gcc-common.h"
#include "plugin/sites/scanf_format.h"

namespace memprof::plugin {

bool
scanf_p (built_in_function code, unsigned *format, unsigned *first)
{
  switch (code)
    {
    case BUILT_IN_SCANF:
      *format = 0, *first = 1;
      return true;
    case BUILT_IN_FSCANF:
    case BUILT_IN_SSCANF:
      *format = 1, *first = 2;
      return true;
    case BUILT_IN_VSCANF:
    case BUILT_IN_VFSCANF:
    case BUILT_IN_VSSCANF:
      *format = 0, *first = 0;
      return true;
    default:
      return false;
    }
}

namespace {

/* A conversion of a format.  */
struct conversion
{
  bool assigns;			/* not %% or %*d */
  bool counts;			/* not %n */
  length_rule length;
  unsigned bytes;
};

/* The bytes of a number of conversion C with MODIFIER ("hh", "l", ...); 0: there is no such
   one.  */

unsigned
number_bytes (char c, const char *modifier)
{
  auto is = [modifier] (const char *m) { return strcmp (modifier, m) == 0; };
  if (strchr ("aefgAEFG", c))
    return is ("") ? 4 : is ("l") ? 8 : is ("L") ? 16 : 0;
  if (!strchr ("dioxXun", c))
    return 0;
  return is ("hh")	       ? 1
	 : is ("h")	       ? 2
	 : is ("")	       ? 4
	 : is ("l") || is ("ll") || is ("q") || is ("L") || is ("j") || is ("z") || is ("t")
	   ? 8
	   : 0;
}

/* Reads the conversion at *P, after its '%', and moves *P to its end.  */

bool
read_conversion (const char **p, conversion *result)
{
  *result = { true, true, LENGTH_IF_RESULT, 0 };
  if (**p == '%')
    {
      result->assigns = false;
      ++*p;
      return true;
    }
  result->assigns = **p != '*';
  *p += !result->assigns;
  unsigned width = 0;
  for (; ISDIGIT (**p); ++*p)
    width = width * 10 + (**p - '0');
  bool allocates = **p == 'm';
  *p += allocates;
  char modifier[3] = {};
  for (unsigned i = 0; i < 2 && **p && strchr ("hlqLjzt", **p); i++)
    modifier[i] = *(*p)++;
  char c = *(*p)++;
  if (c == 0 || (*modifier && strchr ("sc[", c)))
    return false;
  if (c == '[')
    {
      *p += **p == '^';
      *p += **p == ']';
      while (**p && **p != ']')
	++*p;
      if (!*(*p)++)
	return false;
    }
  result->counts = c != 'n';
  if (allocates || c == 'p')
    result->bytes = 8;
  else if (c == 's' || c == '[')
    result->length = LENGTH_STRING_IF_RESULT;
  else if (c == 'c')
    result->bytes = MAX (width, 1);
  else if (!(result->bytes = number_bytes (c, modifier)))
    return false;
  return true;
}

/* Appends the rows of FORMAT for a function with CODE whose arguments begin at FIRST.  */

bool
rows_of_format (const char *format, built_in_function code, unsigned first,
		vec<memory_function> &rows)
{
  unsigned argument = first, assigned = 0;
  for (const char *p = format; *p;)
    {
      if (*p++ != '%')
	continue;
      conversion c;
      if (!read_conversion (&p, &c))
	return false;
      if (!c.assigns)
	continue;
      assigned += c.counts;
      unsigned a = c.length == LENGTH_IF_RESULT ? c.bytes : argument;
      rows.safe_push ({ code, nullptr, MPRT_OP_EXTERNAL_STORE, ADDRESS_ARG, argument, c.length, a,
			assigned });
      argument++;
    }
  return true;
}

} // anonymous namespace

const memory_function *
scanf_rows (gcall *call, built_in_function code)
{
  /* Kept for all formats that were met: a row lives as long as what it describes.  */
  static hash_map<nofree_string_hash, const memory_function *> known;
  unsigned number, first;
  if (!scanf_p (code, &number, &first) || first == 0 || number >= gimple_call_num_args (call))
    return nullptr;
  const char *format = c_getstr (gimple_call_arg (call, number));
  if (!format)
    return nullptr;
  char *key = xasprintf ("%d %s", int (code), format);
  bool existed;
  const memory_function *&rows = known.get_or_insert (key, &existed);
  if (existed)
    free (key);
  else
    {
      auto_vec<memory_function> found;
      rows = nullptr;
      if (rows_of_format (format, code, first, found) && !found.is_empty ())
	{
	  found.safe_push (memory_function ());
	  memory_function *copy = XNEWVEC (memory_function, found.length ());
	  memcpy (copy, found.address (), found.length () * sizeof (memory_function));
	  rows = copy;
	}
    }
  for (const memory_function *row = rows; row && row->code == code; row++)
    if (row->argument >= gimple_call_num_args (call)
	|| !POINTER_TYPE_P (TREE_TYPE (gimple_call_arg (call, row->argument))))
      return nullptr;
  return rows;
}

} // namespace memprof::plugin
