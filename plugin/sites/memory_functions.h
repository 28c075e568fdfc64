/* memory_functions.h - what library functions do to memory.
   SPDX-License-Identifier: GPL-3.0-or-later

   Rows of memory_functions.def for the call at hand.  A built-in function has
   one row per load or store that counts as an access; a library function that
   GCC does not know (read, getline) has rows with MPRT_OP_EXTERNAL_STORE: its
   result is in memory, but no instrumented access stored it.  */

#ifndef MEMPROF_MEMORY_FUNCTIONS_H
#define MEMPROF_MEMORY_FUNCTIONS_H

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

/* The first row for CALL, or null; the next one of the same function.  */
const memory_function *first_memory_function (gcall *call);
const memory_function *next_memory_function (const memory_function *row);

/* The pointer argument that ROW's address rule names; null for the result.  */
tree memory_function_address (gcall *call, const memory_function *row);

/* The length when it is an argument or a constant, otherwise null.  */
tree memory_function_length (gcall *call, const memory_function *row);

/* What an atomic built-in does to the memory its first argument points to.  */
struct atomic_access
{
  HOST_WIDE_INT width;
  bool loads, stores;
  bool if_exchanged;		/* the store depends on the comparison */
  /* Argument 1 points to what it is compared with, which is loaded before, and
     stored to if they differ.  */
  bool expected;
};

bool atomic_access_p (gcall *call, atomic_access *access);

/* Whether CALL, an atomic access or a fence, orders this thread's accesses
   with those of others: before it, after it.  */
struct atomic_order
{
  bool release, acquire;
};

atomic_order atomic_order_of (gcall *call);

/* The guard if STMT looks whether another thread has made a local static; or null.
   It is no such access, but what follows may be ordered by it (thread_order.h).  */
tree guard_looked_at (gimple *stmt);

} // namespace memprof::plugin

#endif
