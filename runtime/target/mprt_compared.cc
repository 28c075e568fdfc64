// mprt_compared.cc - __mprt_compared: what strcmp and its relatives read.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// They read both strings up to the first difference or the end of both; they do
// not return where that was, so it is found again.  With ANY_CASE as
// strcasecmp does in the C locale.

#include "mprt_internal.h"

static char
folded (char c)
{
  return c >= 'A' && c <= 'Z' ? static_cast<char> (c - 'A' + 'a') : c;
}

uint64_t
__mprt_compared (const char *x, const char *y, uint64_t limit,
		 uint64_t any_case)
{
  uint64_t n = 0;
  while (n < limit)
    {
      char c = x[n], d = y[n];
      n++;
      if (!c || (c != d && !(any_case && folded (c) == folded (d))))
	break;
    }
  return n;
}
