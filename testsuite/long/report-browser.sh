#!/bin/sh
# report-browser.sh - the page of memprof report in headless Chromium, for four programs: each
# view by mouse and keyboard, numbers, widths; sizes and times; axe-core where npm has it.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# MEMPROF_SCREENSHOTS=DIR keeps a picture of each view in five forms. Needs Debian's chromium,
# chromium-driver and python3-selenium (the system's python3).
. "$(dirname "$0")/real-program.inc"
skip () { echo "SKIP: $*" >&2; exit 77; }
fail () { echo "report-browser: FAILED: $*" >&2; exit 1; }
for tool in chromium chromedriver; do
  command -v $tool >/dev/null || skip "$tool is not installed"
done
/usr/bin/python3 -c 'import selenium' 2>/dev/null || skip "python3-selenium is not installed"
axe=
if command -v npm >/dev/null && npm install --silent --prefix axe axe-core >/dev/null 2>&1; then
  axe=$work/axe/node_modules/axe-core/axe.min.js
else
  echo "axe-core cannot be had: accessibility is not checked" >&2
fi

# check NAME [REPORT-OPTION...]: NAME.memprof.json, its page, the browser.
check ()
{
  name=$1; shift
  "$memprof" report "$@" "$name.memprof.json" || fail "$name: no page"
  pictures=
  [ -z "${MEMPROF_SCREENSHOTS:-}" ] || { pictures=$MEMPROF_SCREENSHOTS/$name; mkdir -p "$pictures"; }
  timeout 1800 /usr/bin/python3 "$MEMPROF_SRCDIR/testsuite/long/report_browser.py" "$memprof" \
    "$name.memprof.json" "$name.memprof.html" "$pictures" $axe || fail "$name"
}
modules=-fprofile-mem-modules=default,lifetime,sharing,regularity,pages,whole_stream

cp "$MEMPROF_SRCDIR/examples/hashjoin.c" .
"$cc" -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full $modules hashjoin.c -o hashjoin
./hashjoin 16 >/dev/null
cp hashjoin.memprof.json old.json
./hashjoin 16 7 >/dev/null
check hashjoin --against=old.json

cat >threads.c <<'END'
#include <pthread.h>
#include <stdlib.h>
struct counter { long hits, misses; };
static struct counter counters[4];
static long *shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *
work (void *arg)
{
  struct counter *c = arg;
  for (int i = 0; i < 20000; i++)
    {
      if (shared[(i * 7) % 1000] & 1)
        c->hits++;
      else
        c->misses++;
      pthread_mutex_lock (&lock);
      shared[i % 1000] += i;
      pthread_mutex_unlock (&lock);
    }
  return NULL;
}
int
main (void)
{
  pthread_t t[4];
  shared = calloc (1000, sizeof *shared);
  for (int i = 0; i < 4; i++)
    pthread_create (&t[i], NULL, work, &counters[i]);
  for (int i = 0; i < 4; i++)
    pthread_join (t[i], NULL);
  free (shared);
  return 0;
}
END
"$cc" -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full $modules threads.c -o threads -lpthread
./threads
check threads

# Names that would end elements, turn the direction of writing, or are 10,000 characters long.
"${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/e2e/cli/report_data.py" make-hostile \
  threads.memprof.json hostile.memprof.json || fail "no hostile profile"
check hostile

fc=${MEMPROF_FC:-gfortran}
if command -v "${fc%% *}" >/dev/null; then
  cat >heat.f90 <<'END'
program heat
  implicit none
  integer, parameter :: n = 100
  real(8) :: a(n,n), b(n,n)
  integer :: i, j, t
  a = 0d0; a(1,:) = 1d0
  do t = 1, 10
    do j = 2, n-1
      do i = 2, n-1
        b(i,j) = 0.25d0*(a(i-1,j)+a(i+1,j)+a(i,j-1)+a(i,j+1))
      end do
    end do
    a(2:n-1,2:n-1) = b(2:n-1,2:n-1)
  end do
  print *, sum(a)
end program
END
  $fc -specs="$specs" -O2 -g -fprofile-mem-generate -fprofile-mem-mode=full $modules heat.f90 -o heat
  ./heat >/dev/null
  check heat
else
  echo "no Fortran compiler: heat is not checked" >&2
fi

# sqlite3, and its profile ten times as large.
source=$(source_of sqlite3) || exit
(mkdir sqlite && cd sqlite && "$source/configure" -q --disable-readline --disable-tcl \
   && make -s sqlite3.c shell.c) >sqlite.log 2>&1 || fail "sqlite3.c cannot be made: $(tail -n 3 sqlite.log)"
(cd sqlite && "$cc" -specs="$specs" -O1 -g -fprofile-mem-generate="$work" -fprofile-mem-mode=full -DSQLITE_THREADSAFE=0 \
   -DSQLITE_OMIT_LOAD_EXTENSION sqlite3.c shell.c -o sqlite3 -lm)
{
  echo "create table t (a integer primary key, b text, c real); create index tb on t (b); begin;"
  i=0
  while [ $i -lt 2000 ]; do
    echo "insert into t values ($i, 'x$((i * 7919 % 1000))', $((i * 31 % 977)));"
    i=$((i + 1))
  done
  echo "commit; select b, count (*), avg (c) from t group by b order by 2 desc limit 3;"
  echo "update t set c = c + 1 where b > 'x5'; delete from t where a % 3 = 0; vacuum;"
} | (cd sqlite && ./sqlite3 :memory:) >/dev/null
check sqlite3 --source=sqlite
"${MEMPROF_PYTHON:-python3}" "$MEMPROF_SRCDIR/testsuite/long/enlarge_profile.py" sqlite3.memprof.json large.json 10 \
  || fail "no large profile"
"$memprof" report --source=sqlite large.json || fail "large: no page"
size=$(wc -c <sqlite3.memprof.html) large=$(wc -c <large.html)
[ "$size" -le 10485760 ] || fail "the page of sqlite3 has $size bytes"
[ "$large" -le 12582912 ] || fail "a profile ten times as large makes a page of $large bytes"
/usr/bin/python3 "$MEMPROF_SRCDIR/testsuite/long/report_browser.py" "$memprof" - large.html
