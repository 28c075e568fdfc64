# A mapping of more than any machine has, as of a database or an allocator: what is not
# touched costs the backend nothing.
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdio.h>
#include <sys/mman.h>
int main (void)
{
  const unsigned long size = 1UL << 46, step = size / 10;
  char *p = mmap (NULL, size, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return 77;
  int sum = 0;
  for (unsigned long i = 0; i < 10; i++) p[i * step] = (char) i;
  for (unsigned long i = 0; i < 10; i++) sum += p[i * step];
  printf ("%d\n", sum);
  return munmap (p, size);
}
END
compile_plain a.c -o plain
./plain >/dev/null || skip "no program may map 64 TB here"
for mode in full sample objects; do
  compile_gen -fprofile-mem-mode=$mode a.c -o a
  MPRT_OPTIONS=verbose=1 run ./a
  expect_equal "what $mode prints" "$(cat out)" 45
  kilobytes=$(sed -n 's/.*used \([0-9]*\) kB.*/\1/p' err)
  [ "$kilobytes" -lt 100000 ] || fail "$mode: $kilobytes kB for one mapping"
  passed
  expect_json a.memprof.json 'equal(p["run"]["complete"], True)' \
    'equal([g["bytes"] for g in p["groups"] if g["kind"] == "mapped"], [1 << 46])'
  rm a.memprof.json
done
