/* memory_row.h - one access of a library function, as memory_functions.def says it.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_MEMORY_ROW_H
#define MEMPROF_MEMORY_ROW_H

#include "runtime/wire/record.h"

namespace memprof::plugin {

/* How many bytes an access covers.  A and B are the row's numbers.  */
enum length_rule
{
  LENGTH_CONSTANT,	   /* A bytes */
  LENGTH_ARG,		   /* argument A */
  LENGTH_PRODUCT,	   /* arguments A * B */
  LENGTH_VA_LIST,	   /* a va_list */
  /* What is read of arguments 0 and 1, both strings, to find whether they are
     equal: at most argument A bytes if A is not 0; B: in any case of letters. */
  LENGTH_COMPARED,
  LENGTH_STRING,	   /* the string in argument A, with its NUL */
  LENGTH_STRING_MAX,	   /* the same, at most argument B bytes */
  /* The rest is known when the call has returned.  */
  LENGTH_STRING_AFTER,	   /* the string there, if the result is not 0 */
  LENGTH_RESULT,	   /* the result, if it is positive */
  LENGTH_RESULT_NUL,	   /* result + 1, if the result is not negative */
  LENGTH_RESULT_NUL_MAX,   /* the same, at most argument B */
  LENGTH_RESULT_TIMES,	   /* result * argument A */
  LENGTH_TO_RESULT,	   /* from argument A to the result, which it points
			      to; all of the string if the result is 0 */
  LENGTH_TO_RESULT_MAX,	   /* the same; argument B bytes if it is 0 */
  LENGTH_RESULT_MAX,	   /* the result, if it is positive, at most argument B */
  LENGTH_RESULT_NUL_TIMES, /* A times result + 1, at most argument B; the result is
			      unsigned, -1 for an error */
  LENGTH_IF_NO_ERROR,	   /* argument A times B, if the result is 0 */
  LENGTH_IF_RESULT,	   /* A bytes if the result is at least B */
  LENGTH_STRING_IF_RESULT, /* the string in argument A, with its NUL, if the result
			      is at least B */
  LENGTH_TO_MATCH	   /* from argument A to the end of the string in argument
			      B that the result points to; all of the string
			      if the result is 0 */
};

/* Where an access begins.  */
enum address_rule
{
  ADDRESS_ARG,		   /* argument N */
  ADDRESS_STRING_END,	   /* the NUL of the string in argument N */
  ADDRESS_POINTEE,	   /* *argument N, when the call has returned */
  ADDRESS_RESULT	   /* the result */
};

struct memory_function
{
  int code;			/* enum built_in_function, or END_BUILTINS */
  const char *name;		/* without a code: the assembler name */
  mprt_op op;
  address_rule address;
  unsigned argument;		/* N of the address rule */
  length_rule length;
  unsigned a, b;

  bool
  after_p () const
  {
    return (op == MPRT_OP_EXTERNAL_STORE || length >= LENGTH_STRING_AFTER
	    || address >= ADDRESS_POINTEE);
  }

  bool
  needs_result_p () const
  {
    return length >= LENGTH_STRING_AFTER || address == ADDRESS_RESULT;
  }
};

} // namespace memprof::plugin

#endif
