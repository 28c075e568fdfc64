#!/bin/sh
# streams-expand.sh [NAME...] - whole streams of real programs give back every access: `memprof
# streams --expand' and a recording of the same run are equal, byte for byte.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# gzip and lua5.4 are Debian's sources; health is testsuite/bench/kernels/health.c, with more than
# 10^8 accesses; threads and fortran are written here. The two texts have some GB each, so only their
# sums are compared. A last comparison, of a text with one access changed, shows that a difference
# would be seen.
. "$(dirname "$0")/real-program.inc"
backend=$MEMPROF_BUILDDIR/memprof-backend
generate="-specs=$specs -O2 -g -w -fprofile-mem-generate -fprofile-mem-mode=full -fprofile-mem-modules=whole_stream"

compile () # NAME
{
  MPRT_OPTIONS=off=1; export MPRT_OPTIONS
  case $1 in
    threads)
      # shellcheck disable=SC2086
      "$cc" $generate threads.c -o threads -pthread ;;
    fortran)
      # shellcheck disable=SC2086
      "$fortran" $generate fortran.f90 -o fortran ;;
    gzip) build_program gzip generate -specs="$specs" -fprofile-mem-generate -fprofile-mem-mode=full -fprofile-mem-modules=whole_stream
	  mv gzip.generate gzip ;;
    lua)
      lua_source=$(source_of lua5.4) || exit
      mkdir -p lua.include
      echo '#define LUA_MULTIARCH "any"
#define DEB_HOST_MULTIARCH "any"' >lua.include/lua5.4-deb-multiarch.h
      set --
      for f in "$lua_source"/src/*.c; do case $f in */luac.c) ;; *) set -- "$@" "$f" ;; esac; done
      # shellcheck disable=SC2086
      "$cc" $generate -DLUA_USE_POSIX -Ilua.include "$@" -o lua -lm ;;
    health)
      # shellcheck disable=SC2086
      "$cc" $generate "$MEMPROF_SRCDIR/testsuite/bench/kernels/health.c" -o health ;;
  esac
  unset MPRT_OPTIONS
}

execute () # NAME
{
  case $1 in
    gzip) ./gzip -c input ;;
    lua) ./lua script.lua ;;
    health) ./health 6 400 ;;
    threads | fortran) "./$1" ;;
  esac >/dev/null
}

sum_of () # FILTER COMMAND...: of its output after FILTER; two commands that fail are not equal
{
  filter=$1; shift
  { "$@" || echo "$1 fails"; } | sed "$filter" | md5sum
}

equal () # FILTER: of what is expanded
{
  [ "$(sum_of '' "$backend" --accesses record)" = "$(sum_of "$1" "$memprof" streams --expand p.memprof.json)" ]
}

check () # NAME LEAST
{
  compile "$1" || fail "$1 does not compile"
  MPRT_OPTIONS=file=record:modules=whole_stream execute "$1" || fail "$1 fails"
  "$backend" --from record --output p.memprof.json || fail "$1: no profile"
  accesses=$("$memprof" streams --sizes p.memprof.json | sed -n '1s/ accesses.*//p' | tr -d ,)
  [ "$accesses" -ge "$2" ] || fail "$1: only $accesses accesses"
  equal '' || fail "$1: other accesses than were recorded"
  [ "$1" != gzip ] || ! equal '100000s/$/0/' || fail "a wrong address was not noticed"
  rm -f record p.memprof.*
  ok "$1: $accesses accesses, equal"
}

cat >threads.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long key; };
static struct node *shared;
static struct node *
list (int n)
{
  struct node *all = NULL;
  for (int i = 0; i < n; i++)
    {
      struct node *fresh = malloc (sizeof *fresh);
      fresh->key = i;
      fresh->next = all;
      all = fresh;
    }
  return all;
}
static void *
walk (void *sum)
{
  struct node *own = list (500);
  for (int i = 0; i < 200; i++)
    for (struct node *n = i % 3 ? own : shared; n; n = n->next)
      *(long *) sum += n->key;
  while (own)
    {
      struct node *next = own->next;
      free (own);
      own = next;
    }
  return NULL;
}
int
main (void)
{
  pthread_t threads[4];
  static long sums[4][16];
  shared = list (1000);
  for (int i = 0; i < 4; i++)
    pthread_create (&threads[i], NULL, walk, sums[i]);
  for (int i = 0; i < 4; i++)
    pthread_join (threads[i], NULL);
  printf ("%ld\n", sums[0][0] + sums[3][0]);
}
END
cat >fortran.f90 <<'END'
program relax
  implicit none
  integer, parameter :: n = 120
  real(8), allocatable :: now(:,:), next(:,:)
  integer :: order(n), i, j, round
  allocate (now(n,n), next(n,n))
  do i = 1, n
    order(i) = mod(i * 37, n) + 1
    now(:,i) = real(order(i), 8)
  end do
  next = now
  do round = 1, 20
    do i = 2, n - 1
      do j = 2, n - 1
        next(j,order(i)) = 0.25d0 * (now(j-1,i) + now(j+1,i) + now(j,i-1) + now(j,i+1))
      end do
    end do
    now = next
  end do
  print *, sum(now)
end program
END
head -c 200000 "$MEMPROF_SRCDIR/COPYING" >input
cat >script.lua <<'END'
local t = {}
for i = 1, 4000 do t[i] = tostring((i * 7919) % 10009) end
table.sort(t)
local words = {}
for r = 1, 3 do
  for i, s in ipairs(t) do words[s] = (words[s] or "") .. i % 7 end
end
END
fortran=${MEMPROF_FC:-gfortran}
for name in ${*:-gzip lua threads fortran health}; do
  case $name in
    health) check health 100000000 ;;
    *) check "$name" 500000 ;;
  esac
done
