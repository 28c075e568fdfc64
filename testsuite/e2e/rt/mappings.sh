# mappings.sh - small, fixed, partly unmapped and shared mappings are objects; an allocator's own are not.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/shm.h>
enum { P = 4096, READ_WRITE = PROT_READ | PROT_WRITE, OWN = MAP_PRIVATE | MAP_ANONYMOUS };
int main (void)
{
  volatile char *whole = mmap (0, 64 * P, READ_WRITE, OWN, -1, 0);
  volatile char *fixed = mmap ((char *) whole + 8 * P, 4 * P, READ_WRITE, OWN | MAP_FIXED, -1, 0);
  munmap ((char *) whole, P);
  munmap ((char *) whole + 40 * P, P);
  for (int i = 8 * P; i < 12 * P; i++)
    fixed[i - 8 * P] = 1;
  for (int i = 1 * P; i < 8 * P; i++)
    whole[i] = 1;
  for (int i = 41 * P; i < 64 * P; i++)
    whole[i] = 1;
  munmap ((char *) whole, 64 * P);
  volatile char *grows = mmap (0, P, READ_WRITE, OWN, -1, 0);
  grows = mremap ((char *) grows, P, 8 * P, MREMAP_MAYMOVE);
  for (int i = 0; i < 8 * P; i++)
    grows[i] = 1;
  int id = shmget (IPC_PRIVATE, 3 * P, 0600);
  volatile char *shared = shmat (id, 0, 0);
  shmctl (id, IPC_RMID, 0);
  for (int i = 0; i < 3 * P; i++)
    shared[i] = 1;
  return shmdt ((char *) shared);
}
END
compile_gen -fprofile-mem-mode=full a.c -o a
run ./a
run "$memprof" validate a.memprof.json
expect_json a.memprof.json <<'END'
found = {g["line"]: (g["kind"], g["objects"], g["accesses"]) for g in p["groups"] if "line" in g and g["kind"] == "mapped"}
equal(found[8], ("mapped", 1, 30 * 4096))
equal(found[9], ("mapped", 1, 4 * 4096))
equal(found[20], ("mapped", 1, 8 * 4096))
equal(found[24], ("mapped", 1, 3 * 4096))
check(not [g for g in p["groups"] if g["kind"] == "unknown" and g.get("accesses")], p["groups"])
END
# What an allocator maps inside of malloc is not what malloc hands out.
cat >pool.c <<'END'
#include <stddef.h>
#include <sys/mman.h>
static char *next;
void *malloc (size_t bytes)
{
  if (!next)
    next = mmap (0, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char *p = next;
  next += (bytes + 15) & ~15ul;
  return p;
}
void free (void *p) { (void) p; }
void *calloc (size_t n, size_t bytes) { return malloc (n * bytes); }
END
cat >b.c <<'END'
#include <stdlib.h>
int *volatile last;
int main (void)
{
  for (int i = 0; i < 100; i++)
    *(last = malloc (16)) = i;
  return 0;
}
END
"$CC" -O2 -fPIC -shared -fno-builtin pool.c -o libpool.so
compile_gen -fprofile-mem-mode=full b.c -o b
runtime=$(ldd ./b | sed -n 's/.*=> \(.*libmemprof_rt[^ ]*\) .*/\1/p')
LD_PRELOAD=$runtime:$PWD/libpool.so run ./b
expect_json b.memprof.json <<'END'
equal([(g["kind"], g["objects"]) for g in p["groups"] if g.get("line") == 6], [("heap", 100)])
END
