# specs/static.sh - static and static-pie programs are profiled.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
int main (void)
{
  int *p = malloc (100 * sizeof *p), s = 0;
  for (int i = 0; i < 100; i++) p[i] = i;
  for (int i = 0; i < 100; i++) s += p[i];
  free (p);
  return s != 4950;
}
END
for mode in -static -static-pie; do
  $CC $mode a.c -o probe 2>/dev/null || { echo "no $mode on this machine"; continue; }
  compile_gen $mode a.c -o prog
  file_type=$(readelf -d prog 2>/dev/null | grep -c NEEDED || true)
  expect_equal "$mode: shared libraries needed" "$file_type" 0
  rm -f prog.memprof.json
  run ./prog
  expect_json prog.memprof.json <<'END'
check(p["run"]["accesses"] >= 200, "accesses")
equal(len(groups(kind="heap", line=4)), 1)
END
done
