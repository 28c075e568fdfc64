# use/auto-profile.sh - together with -fauto-profile: what it inlines is found again, and gets its
# prefetch.  AutoFDO's file is written here, as perf and create_gcov would, for lines of a.c.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"
need python3
export MPRT_OPTIONS=cache=L1=32K/8,L2=256K/8,LLC=8M/16 # decisions do not depend on this machine
cat >a.c <<'END'
#include <stdio.h>
#include <stdlib.h>
enum { N = 1 << 20, ROUNDS = 1 << 16 };
long
value (long *a, unsigned i)
{
  long v = a[i];
  if (v > 2)
    for (int k = 0; k < 2; k++)
      v = v * 3 % 1001 * (i | 1) % 77 + v * i % 13 + (v ^ i) % 17 + v % 9;
  if (v == -1)
    printf ("%ld %u %ld\n", v, i, v * i % 19 + v / 3 + (v << 3) % 11);
  return v;
}
static long
gather (long *a, unsigned *b)
{
  long sum = 0;
  for (int i = 0; i < ROUNDS; i++)
    if (value (a, b[i]))
      sum += i;
  return sum;
}
int
main (void)
{
  long *a = calloc (N, sizeof *a);
  unsigned *b = malloc (ROUNDS * sizeof *b), x = 1;
  for (int i = 0; i < N; i++)
    a[i] = i & 7;
  for (int i = 0; i < ROUNDS; i++)
    b[i] = (x = x * 1664525 + 1013904223) >> 12;
  printf ("%ld\n", gather (a, b));
  return 0;
}
END
cat >afdo.py <<'END'
"""AutoFDO's file: numbers of 32 bits, counts of two; names, functions, modules (none)."""
import struct

def words(*numbers):
    return struct.pack(f"<{len(numbers)}I", *numbers)

def count(n):
    return words(n & 0xffffffff, n >> 32)

def name(text):
    text = text.encode() + b"\0"
    text += b"\0" * (-len(text) % 4)
    return words(len(text)) + text

def function(number, lines, inlined=()):
    """LINES: (after that of the name, count); INLINED: (line, function)."""
    return (words(number, len(lines), len(inlined))
            + b"".join(words(line << 16, 0) + count(n) for line, n in lines)
            + b"".join(words(line << 16) + f for line, f in inlined))

def section(tag, content):
    return words(tag, len(content) // 4) + content

NAMES = ["gather", "main", "value"]
value = function(2, [(3, 65536), (4, 65536), (5, 40000), (6, 65536)])
gather = function(0, [(3, 65536), (4, 65536), (5, 57344)], [(4, value)])
main = function(1, [(6, 1048576), (8, 65536), (9, 1)])
with open("a.afdo", "wb") as file:
    file.write(struct.pack("<I", 0x67636461) + words(2, 0)
               + section(0xaa000000, words(len(NAMES)) + b"".join(map(name, NAMES)))
               + section(0xac000000, words(2) + count(1) + gather + count(1) + main)
               + section(0xae000000, words(0)))
END
python3 afdo.py
compile_plain a.c -o plain
compile_plain -fauto-profile=a.afdo a.c -o plain.afdo || skip "this compiler reads another version of the file"
compile_gen a.c -o a
same_output ./plain ./a
for level in -O2 -O3; do
  rm -f remarks
  compile_use $level -fchecking -fauto-profile=a.afdo a.c -o use -fprofile-mem-remarks=remarks \
    -fdump-tree-optimized-blocks-details=dump 2>err
  expect_not err 'fauto-profile'
  same_output ./plain ./use
  grep -q '(auto FDO)' dump || fail "GCC does not use its profile"
  "$memprof" check a.memprof.json remarks >out || fail "nothing is found"
  expect out '^100.0 % of '
  expect remarks '"line":7,.*"kind":"prefetch","taken":true,'
done
