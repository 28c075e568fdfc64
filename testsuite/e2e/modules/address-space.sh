# address-space.sh - modules that know each byte need no more addresses than others.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <stdlib.h>
#include <sys/mman.h>
int main (int argc, char **argv)
{
  size_t bytes = argc > 1 ? 64ul << 30 : 1 << 20;
  for (int k = 0; k < 2; k++)
    {
      char *p = mmap (0, bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p == MAP_FAILED)
	return 77;
      p[0] = 1;
      p[bytes - 1] = argv == 0;
      munmap (p, bytes);
    }
  return 0;
}
END
for module in dead_store silent_store; do
  compile_gen -fprofile-mem-modules=$module a.c -o a
  (ulimit -v 6500000 && ./a)  # limits.md
  validate a.memprof.json
  expect_json a.memprof.json 'equal(p["run"]["complete"], True)'
  # Objects of 64 GB that are hardly touched.
  s=0; timeout 60 ./a large || s=$?
  [ $s = 0 ] || [ $s = 77 ] || fail "status $s"
  validate a.memprof.json
done
