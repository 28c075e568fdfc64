#!/bin/sh
# rt/unknown-callees.sh - functions that are not instrumented: how often they were called, and
# what they may have written.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
cat >a.c <<'END'
#include <stdlib.h>
struct row { long key, sum; };
void fill (struct row *r);
void look (const struct row *r);
void known (struct row *r);
int quiet (void);
int other (void);
static struct row global;
int
main (void)
{
  struct row *heap = malloc (sizeof *heap), local;
  volatile long s = 0;
  for (int i = 0; i < 10; i++)
    {
      heap->key = i;
      s += heap->key;
      fill (heap);
      s += heap->key;
      global.sum = i;
      look (&global);
      s += global.sum;
      local.sum = i;
      known (&local);
      s += local.sum;
    }
  local.key = 1;
  fill (&local);
  s += local.key;
  quiet (), other ();
  return s == 0;
}
END
cat >b.c <<'END'
struct row { long key, sum; };
void fill (struct row *r) { r->sum++; }
void look (const struct row *r) { (void) r; }
END
cat >c.c <<'END'
struct row { long key, sum; };
void known (struct row *r) { r->sum++; }
int quiet (void) { return 3; }
int other (void) __attribute__ ((alias ("quiet")));
END
compile_gen -O1 -c a.c c.c
$CC -O1 -c b.c
compile_gen a.o b.o c.o -o a
run ./a
expect_json a.memprof.json <<'END'
equal(p["run"]["external_calls"], 21)
equal(p["run"]["external_functions"], [{"name": "fill", "calls": 11}, {"name": "look", "calls": 10}])
def uncertain(line):
    load, = [s for s in sites(line=line, kind="load") if "." in s["expression"] or ">" in s["expression"]]
    row, = deps(sink=load)
    return row["count"], row.get("uncertain", 0)
equal(uncertain(19), (10, 10), "after the call")
equal(uncertain(22), (10, 0), "a pointer to const")
equal(uncertain(25), (10, 0), "an instrumented function")
equal(uncertain(29), (1, 1), "a local variable")
END
"$memprof" validate a.memprof.json
"$memprof" show a.memprof.json >out
expect out '^21 calls of functions that are not instrumented .*: fill 11, look 10$'

cat >d.c <<'END'
#define _GNU_SOURCE
#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
static int number = 1, seen, unread = 7, two[2];
static char word[16], letters[3], head[4], tail[8];
static regmatch_t match[2];
__attribute__ ((noipa)) int
main (void)
{
  int n = sscanf ("12 abc xyz", "%d %15s%*c%3c%n %d", &number, word, letters, &seen, &unread);
  int sum = number;
  sum += word[1];
  sum += letters[2];
  sum += seen;
  sum += unread;
  int ends[2];
  pipe (ends);
  write (ends[1], "abcdefg", 7);
  memset (tail, 1, sizeof tail);
  struct iovec list[] = { { head, 4 }, { tail, 8 } };
  readv (ends[0], list, 2);
  sum += head[3];
  sum += tail[2];
  sum += tail[3];
  socketpair (AF_UNIX, SOCK_DGRAM, 0, ends);
  write (ends[1], "hijk", 4);
  struct msghdr message = { .msg_iov = list, .msg_iovlen = 1 };
  recvmsg (ends[0], &message, 0);
  sum += head[1];
  socklen_t bytes = sizeof two[0];
  getsockopt (ends[0], SOL_SOCKET, SO_TYPE, two, &bytes);
  sum += two[0];
  regex_t b;
  regcomp (&b, "b", 0);
  regexec (&b, "abc", 2, match, 0);
  sum += match[0].rm_so;
  return n == 3 && sum == 'b' + 'z' + 10 + 12 + 7 + 'd' + 'g' + 1 + 'i' + 2 + 1 ? 0 : 1;
}
END
compile_gen -O1 d.c -o d
run ./d
expect_json d.memprof.json <<'END'
def source(line):
    found = {d["source"] for s in sites(line=line, kind="load")
             if s["expression"] != "sum" for d in deps(sink=s)}
    return "external" if found == {"external"} else "store" if found else "none"
for line in 15, 16, 17, 18, 26, 27, 33, 36, 40:
    equal(source(line), "external", line)
equal(source(19), "none", "a conversion that did not come")
equal(source(28), "store", "beyond what was read")
END
