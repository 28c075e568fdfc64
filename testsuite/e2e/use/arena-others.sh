# arena-others.sh - the arena gives way to an allocator of the program's own, and
# keeps away from objects of operators that are replaced; a library that is
# opened later takes the arenas of the program.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/arena.h" .
cat >main.cc <<'END2'
#include <cstdio>
#include <cstdlib>
#include <new>
#include <dlfcn.h>
#include "arena.h"
FALLBACK (malloc, malloc);
FALLBACK (Znwm, _Znwm);
static cell here;
#ifdef OWN_FREE
extern "C" void free (void *) {}
#endif
#ifdef OWN_DELETE
void *operator new (std::size_t n) { return (long *) std::malloc (n + 16) + 2; }
void operator delete (void *p) noexcept { if (p) std::free ((long *) p - 2); }
void operator delete (void *p, std::size_t) noexcept { operator delete (p); }
#endif
int main (int argc, char **argv)
{
  dlsym (RTLD_DEFAULT, "no such"); // the first free has its message to free
  std::free (__mprt_hot_malloc (40, &here));
  delete (long *) __mprt_hot_Znwm (sizeof (long), &here);
  if (argc > 1)
    {
      void *lib = dlopen (argv[1], RTLD_NOW);
      auto make = (char *(*) (void)) dlsym (lib, "make");
      std::free (make ());
    }
  std::puts ("done");
}
END2
cat >lib.c <<'END2'
#include <stdlib.h>
#include "arena.h"
FALLBACK (malloc, malloc);
static struct cell there;
char *make (void) { return __mprt_hot_malloc (50, &there); }
END2
report () # TEXT COMMAND...
{
  want=$1; shift
  MPRT_ARENA=report run "$@"
  expect out '^done$'
  expect err "^memprof arena: $want$"
}
compile_use main.cc -o main
report '1 sites, 2 slabs .* advised' ./main
compile_use -DOWN_FREE main.cc -o own
report '0 sites, 0 slabs .* advised, no region' ./own
compile_use -DOWN_DELETE main.cc -o own
report '1 sites, 1 slabs .* advised, not for operator new' ./own
compile_use main.cc -o own -Wl,--exclude-libs,ALL
report '0 sites, 0 slabs .* advised, no region' ./own
compile_use -static-libstdc++ main.cc -o own
report '1 sites, 2 slabs .* advised' ./own
compile_use -shared -fPIC lib.c -o lib.so
report '2 sites, 3 slabs .*' ./main ./lib.so
# A library beside a program without the arenas.
compile_plain main.cc -o plain
run ./plain ./lib.so
expect_equal "standard error" "$(cat err)" ""
# A sanitizer's program has no arenas.
compile_use -fsanitize=address main.cc -o asan 2>/dev/null || exit 0
ASAN_OPTIONS=detect_leaks=0; export ASAN_OPTIONS # which needs ptrace
MPRT_ARENA=report run ./asan
expect_equal "standard error" "$(cat err)" ""
if compile_use -static -DOWN_DELETE main.cc -o own 2>/dev/null; then
  report '1 sites, 1 slabs .* advised, not for operator new' ./own
fi
