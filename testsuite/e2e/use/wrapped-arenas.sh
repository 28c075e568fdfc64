# use/wrapped-arenas.sh - objects of wrappers get arenas by the call of the wrapper, also across
# units: the malloc in it takes the caller's hint. Pools of the program are left alone.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

grep -qv '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null \
  || skip "no transparent huge pages"
cat >x.c <<'END'
#include <stdlib.h>
WRAPPER void *get (size_t n)
{
  void *p = HOW;
  if (!p)
    abort ();
  return p;
}
END
cat >get.h <<'END'
#include <stddef.h>
WRAPPER void *get (size_t);
END
cat >key.c <<'END'
long *make_key (long value)
{
  long *key = get (24);
  key[0] = key[1] = value;
  return key;
}
END
cp "$MEMPROF_SRCDIR/testsuite/e2e/src/entries.c" a.c
for how in 'malloc(n)' 'calloc(1,n)' 'realloc(NULL,n)'; do
  for wrapper in '__attribute__((malloc))' ''; do
    rm -f a.memprof.json
    flags="-DGET=get -include get.h -DHOW=$how -DWRAPPER=$wrapper" named=
    [ "$wrapper" ] || named=-fprofile-mem-alloc-fn=get:1
    # shellcheck disable=SC2086
    compile_plain $flags a.c key.c x.c -o plain
    # shellcheck disable=SC2086
    compile_gen $flags -fprofile-mem-modules=co_access $named a.c key.c x.c -o a
    MPRT_OPTIONS=cache=L1=32K/8,L2=256K/8,LLC=4M/16 run ./a
    # shellcheck disable=SC2086
    compile_use $flags -fchecking a.c key.c x.c -o use -fopt-info 2>info
    expect info '^a.c:12:.*optimized: memprof: get: arena shared with key.c:3'
    expect info '^key.c:3:.*optimized: memprof: get: arena shared with a.c:12'
    same_output ./plain ./use
    run ./use 1
    expect out '^32$' # a key lies directly after its entry
    # Only the caller, or only the wrapper, is rebuilt: as it was.
    # shellcheck disable=SC2086
    compile_use $flags -c a.c -o a.o
    # shellcheck disable=SC2086
    compile_use $flags -c key.c -o key.o
    # shellcheck disable=SC2086
    compile_plain $flags -c x.c -o x.o
    compile -specs="$specs" -fprofile-mem-use a.o key.o x.o -o half
    same_output ./plain ./half
  done
done
