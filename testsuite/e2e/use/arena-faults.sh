# arena-faults.sh - each rule that makes arenas right, left out of the library on
# purpose, is noticed.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
. "$MEMPROF_SRCDIR/testsuite/e2e/faults.inc"

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
[ -f "$MEMPROF_SRCDIR/runtime/arena/arena.h" ] || skip "no sources of the library"
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/arena_churn.cc" \
  "$MEMPROF_SRCDIR/testsuite/e2e/src/arena.h" .
cat >own_delete.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <new>
#include "arena.h"
FALLBACK (Znwm, _Znwm);
static cell here;
void *operator new (std::size_t n) { return (long *) std::malloc (n + 16) + 2; }
void operator delete (void *p) noexcept { if (p) std::free ((long *) p - 2); }
void operator delete (void *p, std::size_t) noexcept { operator delete (p); }
int main ()
{
  delete (long *) __mprt_hot_Znwm (sizeof (long), &here);
  std::puts ("all right");
}
END
cat >own_free.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include "arena.h"
FALLBACK (malloc, malloc);
static cell here;
alignas (16) static char pool[1 << 20];
static std::size_t used;
extern "C" void *malloc (std::size_t n)
{
  char *p = pool + used;
  *(long *) p = 4711;
  used += (n + 31) & -16;
  return p + 16;
}
extern "C" void *calloc (std::size_t n, std::size_t m) { return malloc (n * m); }
extern "C" void free (void *p) { if (p && ((long *) p)[-2] != 4711) abort (); }
int main ()
{
  std::free (__mprt_hot_malloc (40, &here));
  std::puts ("all right");
}
END
# 20 MB in objects of one size; all die; 20 MB in objects of another.
cat >growth.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "arena.h"
FALLBACK (malloc, malloc);
static cell here;
int main ()
{
  std::vector<void *> all;
  for (std::size_t bytes : { 1000, 2000 })
    {
      for (std::size_t done = 0; done < 20000000; done += bytes)
        all.push_back (__mprt_hot_malloc (bytes, &here));
      for (void *p : all) std::free (p);
      all.clear ();
    }
  std::puts ("all right");
}
END
# Objects of 48 bytes in a shared arena; one in 20 lives on; then objects of 96.
cat >mixed_growth.cc <<'END'
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "arena.h"
FALLBACK (malloc, malloc);
static cell here = SHARED;
int main ()
{
  std::vector<void *> all;
  for (int i = 0; i < 400000; i++) all.push_back (__mprt_hot_malloc (48, &here));
  for (int i = 0; i < 400000; i++) if (i % 20) std::free (all[i]);
  std::size_t in_line = 0; // after what is left of the last slab
  for (int i = 0; i < 21000; i++)
    {
      char *a = (char *) __mprt_hot_malloc (96, &here), *b = (char *) __mprt_hot_malloc (80, &here);
      in_line += i > 20000 && b == a + 96;
    }
  if (in_line) return std::puts ("still grows"), 1;
  std::puts ("all right");
}
END
for program in arena_churn growth mixed_growth own_delete own_free; do
  compile_plain -c $program.cc -o $program.o
done
link () # PROGRAM FAULT
{
  objects=
  for part in arena_calls arena_family arena_heap arena_hints arena_new arena_options arena_setup arena_slabs; do
    "$MEMPROF_LIBRARY_CXX" -std=gnu++20 -O1 -nostdinc++ -fno-exceptions -fno-rtti \
      -fasynchronous-unwind-tables -fno-builtin -ftls-model=initial-exec \
      -fvisibility=hidden -fno-threadsafe-statics -fPIC -I"$MEMPROF_SRCDIR" \
      -DMPRT_ARENA_FAULT="$2" -c "$MEMPROF_SRCDIR/runtime/arena/$part.cc" -o $part.o
    objects="$objects $part.o"
  done
  # shellcheck disable=SC2086
  COMPILER=$CXX compile "$1.o" $objects -o a -pthread
}
MEMPROF_LIBRARY_CXX=${CXX%% *}
for program in arena_churn growth mixed_growth own_delete own_free; do
  link $program none
  run ./a
  expect out '^all right$'
done
# The most slabs at a time.
peak () # MPRT_ARENA
{
  MPRT_ARENA=$1 ./a 2>&1 >/dev/null | sed -n 's/.*(peak \([0-9]*\)).*/\1/p'
}
within () # FAULT SLABS MPRT_ARENA
{
  link growth none
  [ "$(peak "$3")" -le "$2" ] || fail "growth takes $(peak "$3") slabs, not $2 at most"
  link growth "$1"
  [ "$(peak "$3")" -gt "$2" ] || fail "growth does not notice $1"
}
noticed () # FAULT PROGRAM
{
  case $1 in
    no_limit) within "$1" 4 report:limit=8388608 ;;
    kept_slabs) within "$1" 12 report ;;
    *) link "$2" "$1"
       if CHURN_SECONDS=20 ./a >out 2>err; then fail "$2 does not notice $1"; fi ;;
  esac
  passed
}
each_fault runtime/arena/faults.def
