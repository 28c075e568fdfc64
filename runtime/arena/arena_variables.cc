// arena_variables.cc - huge pages for large variables of the program.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// Problem: variables that are zero at first get pages of 4 KB, one page fault each, unless the
// program asks for huge pages before it touches them.
//
// The units of a program have a table of the variables for which the profile says so
// (plugin/use/objects/apply_variable_pages.cc).  Before main and before the constructors of the
// program:
//
//   table    {grid, 3 MB} {sum, 600 KB} {count, 6 MB}
//   memory   |.data |...grid.....|..|.sum.|..|....count.....|....|
//   2 MB     |      |      |      |      |      |      |      |
//   asked    ........^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//
// A variable begins and ends inside a huge page, so what is asked for are whole ones, with what lies
// between: else there would be small pages at both ends of each.  Not beyond the variables that are zero
// at first, which the linker puts side by side: before them are pages of the file, after
// them is the heap.
//
// Nothing else of the library is needed for that, and programs that need nothing else
// have nothing else of it.

#include "runtime/arena/arena.h"

#include <stdio.h>
#include <unistd.h>

namespace mprt_arena {

namespace {

struct hot_variable
{
  uintptr_t address;
  size_t bytes;
};

} // anonymous namespace

extern "C"
{
// What takes this file into a program.
extern int __mprt_variables_wanted;
int __mprt_variables_wanted = 1;
// By the linker: the table, and the memory of the variables that are zero at first.
extern __attribute__ ((weak)) const hot_variable __start_mprt_hot_variables[],
  __stop_mprt_hot_variables[];
extern __attribute__ ((weak)) char __bss_start[], _end[];
}

namespace {

size_t
advise_variable (const hot_variable &variable)
{
  uintptr_t begin = variable.address & -k_slab_bytes;
  uintptr_t end = (variable.address + variable.bytes + k_slab_bytes - 1) & -k_slab_bytes;
  const uintptr_t first = reinterpret_cast<uintptr_t> (__bss_start);
  const uintptr_t last = reinterpret_cast<uintptr_t> (_end);
  if (begin < first)
    begin = first;
  if (end > last)
    end = last;
  return end > begin ? advise_pages (reinterpret_cast<void *> (begin), end - begin) : 0;
}

// 101: the first that is not for the system.
__attribute__ ((constructor (101))) void
advise_variables ()
{
  const user_options options = read_options ();
  if (options.off)
    return;
  size_t bytes = 0, variables = 0;
  for (const hot_variable *v = __start_mprt_hot_variables; v < __stop_mprt_hot_variables;
       v++, variables++)
    bytes += advise_variable (*v);
  if (!options.report)
    return;
  char line[100];
  const int n = snprintf (line, sizeof line, "memprof arena: %zu variables, %zu MB advised\n",
			  variables, bytes >> 20);
  if (write (2, line, n) != n)
    return;
}

} // anonymous namespace

} // namespace mprt_arena
