#!/usr/bin/env python3
# generate.py - random C programs for the exactness test.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   generate.py SEED                     one program on stdout
#   generate.py --features FIRST COUNT   how many of these have each feature
#
# A program is a deck of kernels (kernels.py) drawn so that all come equally
# often, each with random shapes, called a few times from main, which prints a
# checksum.  Every program is valid C without undefined behaviour: what it
# computes depends neither on addresses nor on what the compiler makes of it.
#
# With -DCOUNT the macro C (loads, stores) adds up how many accesses the
# statement beside it performs at -O0, as the generator knows them from the
# source; finish () then prints both sums on standard error.
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from kernels import KERNELS  # noqa: E402
from pointer_kernels import POINTER_KERNELS  # noqa: E402

PROLOGUE = """\
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#define NOINLINE __attribute__ ((noinline))
#ifdef COUNT
static u64 n_loads, n_stores;
#define C(l, s) (n_loads += (l), n_stores += (s))
#else
#define C(l, s) ((void) 0)
#endif

NOINLINE static void
finish (u64 sum)
{
#ifdef COUNT
  fprintf (stderr, "%llu %llu\\n", (unsigned long long) n_loads,
           (unsigned long long) n_stores);
#endif
  printf ("%016llx\\n", (unsigned long long) sum);
  exit ((int) (sum & 3));
}
"""


def program(seed, pointers=False):
    """(text, features): kernels from a deck that is shuffled once a round; POINTERS:
    some more of pointer_kernels.py."""
    per_program = 6
    rounds, cards = [], []
    # The deck of seed n continues that of seed n - 1.
    first = seed * per_program
    deck_number = first // len(KERNELS)
    while len(cards) < per_program:
        deck = sorted(KERNELS)
        random.Random(f"deck {deck_number}").shuffle(deck)
        skip = first - deck_number * len(deck) if not rounds else 0
        rounds.append(deck_number)
        cards += deck[skip:]
        deck_number += 1
    rng = random.Random(f"program {seed}")
    text, features, calls = [PROLOGUE], set(), []
    for k, name in enumerate(cards[:per_program]):
        code, call, has = KERNELS[name](rng, f"k{k}")
        text.append(f"/* {name} */\n{code}")
        features |= has
        calls.append(call)
    for p in POINTER_KERNELS if pointers else []:
        code, call = p(rng, f"p{len(calls)}")
        text.append(code)
        calls.append(call)
    rng.shuffle(calls)
    text.append("int\nmain (void)\n{\n  u64 sum = 1;")
    several = rng.random() < 0.7
    if several:
        n = rng.randint(2, 4)
        text.append(f"  for (u32 round = 0; round < {n}; round++)\n    {{")
    else:
        text.append("  u32 round = 1;\n    {")
    for call in calls:
        text.append(f"      sum = sum * 31 + {call};")
    text.append("    }\n  finish (sum);\n  return 0;\n}")
    return "\n".join(text) + "\n", features


def main():
    if sys.argv[1] == "--features":
        first, count = int(sys.argv[2]), int(sys.argv[3])
        total = {}
        for seed in range(first, first + count):
            for f in program(seed)[1]:
                total[f] = total.get(f, 0) + 1
        for f in sorted(total):
            print(f"{total[f]:5} {f}")
        return
    sys.stdout.write(program(int(sys.argv[1]))[0])


if __name__ == "__main__":
    main()
