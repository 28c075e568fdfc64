#!/bin/sh
# external-writes.sh - what library functions leave behind a pointer argument.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

cat >a.c <<'END'
#include <netdb.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static char *end;
static struct addrinfo *found;
static time_t now;
static int status;
int
main (void)
{
  end = 0, found = 0, now = 0, status = 0;
  long n = strtol ("12x", &end, 10) + (long) strtod ("3", NULL);
  if (*end != 'x' || n != 15)
    return 1;
  strtoull ("7y", &end, 10);
  if (*end != 'y')
    return 2;
  struct addrinfo hints = { .ai_flags = AI_NUMERICHOST };
  if (getaddrinfo ("127.0.0.1", NULL, &hints, &found))
    return 3;
  if (!found)
    return 4;
  time (&now);
  if (!now)
    return 5;
  pid_t child = fork ();
  if (child == 0)
    _exit (7);
  waitpid (child, &status, 0);
  return WEXITSTATUS (status) - 7;
}
END
compile_gen -O1 a.c -o a
run ./a
expect_json a.memprof.json <<'END'
for line, name in (15, "end"), (18, "end"), (23, "found"), (26, "now"), (32, "status"):
    loads = [s for s in sites(line=line, kind="load") if s["expression"] == name]
    equal([d["source"] for s in loads for d in deps(sink=s)], ["external"], name)
END
