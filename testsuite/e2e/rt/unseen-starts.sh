#!/bin/sh
# rt/unseen-starts.sh - one line where another malloc comes first, or constructors are not run.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >other.c <<'END'
#include <stddef.h>
static char area[1 << 20];
static size_t used;
void *malloc (size_t n)
{
  void *p = area + used;
  used += (n + 15) / 16 * 16;
  return used <= sizeof area ? p : NULL;
}
void free (void *p) { (void) p; }
void *calloc (size_t n, size_t m) { return malloc (n * m); }
void *realloc (void *p, size_t n)
{
  char *q = malloc (n);
  for (size_t i = 0; q && p && i < n; i++) q[i] = ((char *) p)[i];
  return q;
}
END
cat >a.c <<'END'
#include <stdlib.h>
int main (void)
{
  int *a = malloc (400);
  for (int i = 0; i < 100; i++) a[i] = i;
  return a[3] - 3;
}
END
$CC -O1 -shared -fPIC -fno-builtin other.c -o other.so
compile_gen a.c -o a
run ./a
[ ! -s err ] || fail "a line without reason: $(cat err)"
expect_json a.memprof.json 'equal(p["run"]["objects"] >= 1, True)'
rm a.memprof.json
LD_PRELOAD=$PWD/other.so; export LD_PRELOAD
run ./a
unset LD_PRELOAD
expect_equal "lines about the other malloc" "$(wc -l <err)" 1
expect err "^memprof: malloc is that of .*/other.so"
expect_json a.memprof.json 'equal(p["run"]["stores"], 100)'
compile_gen a.c other.c -fno-builtin -o own
run ./own
expect err "^memprof: malloc is that of .*own"

cat >start.c <<'END'
#include <unistd.h>
#include <sys/syscall.h>
static int a[100];
__attribute__ ((force_align_arg_pointer, used)) void _start (void)
{
  for (int i = 0; i < 100; i++) a[i] = i;
  syscall (SYS_exit_group, a[7]);
}
END
compile_gen start.c -nostartfiles -o start
run -s 7 ./start
expect_equal "lines about _start" "$(wc -l <err)" 1
expect err "^memprof: the program has a _start of its own"
[ ! -f start.memprof.json ] || fail "a profile of code that is not known"
