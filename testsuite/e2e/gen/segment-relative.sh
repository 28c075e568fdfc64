# segment-relative.sh - accesses relative to %fs, below the thread pointer and above it.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Their addresses are near 2^64 or small: they count, and belong to no object.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
only_for x86_64 "no segments"

cat >a.c <<'END'
#include <stdio.h>
static __thread long tls[8];
int main (void)
{
  long s = 0;
  for (int i = 0; i < 8; i++)
    tls[i] = i;
  long off = (long) tls - (long) __builtin_thread_pointer ();
  long __seg_fs *p = (long __seg_fs *) off;
  for (int k = 0; k < 50; k++)
    for (int i = 0; i < 8; i++)
      {
	p[i] += k;
	s += p[i] - *(long __seg_fs *) 0;
      }
  printf ("%d\n", s != 0);
  return 0;
}
END
for options in '-O0 silent_store' '-O2 silent_store' '-O2 dependence,stride,value' '-O3 points_to' \
	       '-O1 dead_store,cache,pages,sharing,lifetime'; do
  compile_gen ${options% *} -fprofile-mem-modules=${options#* } a.c -o a
  rm -f a.memprof.json
  run ./a
  expect_not err memprof
  expect_equal output "$(cat out)" 1
  validate a.memprof.json
  expect_json a.memprof.json <<'END'
equal(p["run"]["complete"], True)
equal(sum(s["executions"] for s in sites(line=13, kind="store")), 400)
END
done
