#!/bin/sh
# external-writes.sh - what library functions write through a pointer argument.
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
# Functions with several such arguments, and one of another library with such a name.
cat >b.c <<'END'
#define _GNU_SOURCE
#include <iconv.h>
#include <math.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
static double sine, cosine, whole;
static int sign, power;
static char *from, *to, in[4] = "abc", out[8];
static size_t before, after;
static struct tm day;
static unsigned seed;
__attribute__ ((noipa)) int
calls (double x)
{
  sine = cosine = whole = 0, sign = power = 0, seed = 1;
  sincos (x, &sine, &cosine);
  modf (x, &whole), frexp (x, &power), lgamma_r (x, &sign);
  from = in, to = out, before = 3, after = 8;
  iconv_t how = iconv_open ("UTF-8", "ASCII");
  iconv (how, &from, &before, &to, &after);
  time_t t = 1;
  day.tm_year = 0;
  gmtime_r (&t, &day);
  rand_r (&seed);
  int sum = sine + cosine + whole + sign + power;
  sum += from - in;
  sum += to - out;
  sum += before + after;
  sum += day.tm_year;
  return sum + seed;
}
int main (int c, char **v) { (void) v; return calls (c * 2.5) == 12345; }
END
compile_gen -O1 b.c -lm -o b
run ./b
expect_json b.memprof.json <<'END'
for name in ("whole", "sign", "power", "from", "to", "before", "after",
             "day.tm_year", "seed"):
    loads = [s for s in sites(kind="load") if s["expression"] == name and s["line"] >= 27]
    check(loads, name)
    equal({d["source"] for s in loads for d in deps(sink=s)}, {"external"}, name)
END
cat >c.c <<'END'
int iconv (int *x);
int main (void) { int x = 5; return iconv (&x) + x; }
END
compile_gen -O1 -c c.c
