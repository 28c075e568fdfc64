# pages-pagemap.sh - pages:pagemap has the kernel's frames, memprof trace tells them.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
enum { N = 4 << 20 };
char array[1 << 16] __attribute__ ((aligned (4096)));
static void
say (int fd, char *p)
{
  uint64_t entry = 0;
  if (pread (fd, &entry, 8, (uintptr_t) p / 4096 * 8) == 8)
    printf ("%lx %lx\n", (long) p / 4096, (long) (entry & ((1ul << 55) - 1)));
}
int
main (void)
{
  char *block = aligned_alloc (2 << 20, N);
  madvise (block, N, MADV_HUGEPAGE);
  for (int i = 0; i < N; i += 256)
    block[i] = 1;
  for (int i = 0; i < sizeof array; i += 64)
    array[i] = 1;
  int fd = open ("/proc/self/pagemap", O_RDONLY);
  for (int i = 0; i < sizeof array; i += 4096)
    say (fd, array + i);
  say (fd, block + 4096 * 3);
  return 0;
}
END
compile_gen -O1 -fprofile-mem-modules=whole_stream,pages:pagemap a.c -o a
# A recorded run has no kernel that could be asked: the model's figures, and one message.
run -o file=record ./a
run "$(plugin_argument backend)" --from record --output from.memprof.json
expect err 'pages:pagemap: the kernel shows no frames'
[ ! -e from.memprof.frames ] || fail "frames of a program that does not run"
expect_json from.memprof.json <<'END'
check(all(r["source"] == "model" for r in p["pages"]), p["pages"])
END
MPRT_OPTIONS=merge=0 ./a >said 2>err || fail "pages:pagemap ends the program"
if grep -q 'shows no frames' err; then
  # A user who may not read frames has the model's figures.
  run "$memprof" validate a.memprof.json
  expect_json a.memprof.json <<'END'
check(p["pages"] and all(r["source"] == "model" for r in p["pages"]), p["pages"])
END
  [ ! -e a.memprof.frames ] || fail "frames that were not read"
  exit 0
fi
run "$memprof" validate a.memprof.json
expect_json a.memprof.json <<'END'
check(p["pages"] and all(r["source"] == "pagemap" for r in p["pages"]), p["pages"])
check(p["run"]["pages"].startswith("sizes=pagemap,"), p["run"])
END
run "$memprof" show --pages a.memprof.json
expect out ' pagemap +all '
run "$memprof" trace a.memprof.json
mv out trace
cat >check.py <<'END'
said = dict(tuple(int(x, 16) for x in l.split()) for l in open("said"))
rows = [l.split(" ", 7) for l in open("trace") if l[0] != "#"]
seen = {}
for paddr, rw, time, pid, thread, vaddr, walk, name in rows:
    page = int(vaddr, 16) >> 12
    if walk == "0" and page in said:
        seen[page] = int(paddr, 16) >> 12
        assert int(pid) > 0 and int(paddr, 16) % 4096 == int(vaddr, 16) % 4096
# The kernel may move a page between the two questions; frames do not agree by chance.
same = sum(seen.get(page) == frame for page, frame in said.items())
assert len(said) == 17 and same >= 4, (said, seen)
runs = [l.split() for l in open("a.memprof.frames") if l[0] != "#"]
# A walk of a huge page reads nothing of the lowest level.
lowest = [r for r in rows if r[6] == "1" and "alloc" in r[7]]
assert not lowest if sum(int(r[2]) for r in runs if r[3] == "2M") >= 1024 else lowest, lowest[:3]
END
run "$PYTHON" check.py
echo '1 2 3' >>a.memprof.frames
run -s 2 "$memprof" trace a.memprof.json
expect err 'a.memprof.frames:line [0-9]*: expected'
rm a.memprof.frames
run -s 2 "$memprof" trace a.memprof.json
expect err 'a.memprof.frames: '
