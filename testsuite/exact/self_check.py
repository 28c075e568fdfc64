#!/usr/bin/env python3
# self_check.py - the analysis of the exactness test against worked examples.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The examples are small enough to be checked by hand.
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from analysis import Analysis, Lmads, Stream  # noqa: E402
from observers import DeadStores, Lifetimes, Sharing, fields  # noqa: E402

checks = 0


def equal(actual, expected):
    global checks
    checks += 1
    if actual != expected:
        sys.exit(f"self_check: {actual!r} instead of {expected!r}")


def play(events, kinds="raw", watch=()):
    a = Analysis(kinds)
    a.observers = [w(a) for w in watch]
    for e in events:
        kind, args = e[0], e[1:]
        {"E": a.enter, "I": a.iteration, "X": a.leave, "L": a.load, "S": a.store,
         "A": a.birth, "F": a.death, "T": a.switch, "Z": a.end_thread,
         "C": a.call, "R": a.unwind}[kind](*args)
    return a


def rows(a):
    return {k[1:4]: (n["count"], n["iters"], n["min"], n["histogram"])
            for k, n in ((k, r.numbers()) for k, r in a.rows.items())}


def loop(number, bodies):
    yield ("E", number)
    for body in bodies:
        yield ("I",)
        yield from body
    yield ("X",)


# Loop 7, i = 0..4: A[i] = (1); if (i) .. = A[i - 1] (2); .. = A[i] (3).
a = play(loop(7, [[("S", 1, 1000 + 4 * i, 4)]
                  + ([("L", 2, 996 + 4 * i, 4)] if i else [])
                  + [("L", 3, 1000 + 4 * i, 4)] for i in range(5)]))
equal(rows(a), {(1, 2, 7): (4, 4, 1, [0, 4, 0, 0, 0, 0]),
                (1, 3, 7): (5, 5, 0, [5, 0, 0, 0, 0, 0])})
equal(a.iterations, {7: 5})
equal(a.strides[1].summary(5)["histogram"], [[4, 4]])
equal(a.strides[1].summary(5)["share"], 0.8)

# Outer loop 1 (2 iterations) around loop 2 (3): .. = G (2); G = .. (1).
inner = list(loop(2, [[("L", 2, 500, 4), ("S", 1, 500, 4)]] * 3))
a = play(loop(1, [inner, inner]))
equal(rows(a), {(1, 2, 2): (4, 4, 1, [0, 4, 0, 0, 0, 0]),
                (1, 2, 1): (1, 1, 1, [0, 1, 0, 0, 0, 0])})

# Bytes: an 8-byte store, its upper half read, both halves overwritten.
a = play([("S", 1, 0, 8), ("L", 2, 4, 4), ("S", 3, 0, 4), ("S", 4, 4, 4),
          ("L", 5, 0, 8)])
equal(rows(a), {k: (1, 1, 0, [0] * 6)
                for k in [(1, 2, 0), (3, 5, 0), (4, 5, 0)]})

# A reused address has no writer.
a = play([("A", "g", 64, 8), ("S", 1, 64, 8), ("F", 64), ("A", "g", 64, 8),
          ("L", 2, 64, 8)])
equal(rows(a), {})
equal(a.points_to, {(1, "g"): 1, (2, "g"): 1})
equal(a.groups["g"][:4], [2, 16, 8, 8])

# Distance 7 goes to the last bucket, and is kept as minimum.
a = play(loop(3, [[("S", 1, 100 + 8 * i, 8)]
                  + ([("L", 2, 44 + 8 * i, 8)] if i >= 7 else [])
                  for i in range(10)]))
equal(rows(a), {(1, 2, 3): (3, 3, 7, [0, 0, 0, 0, 0, 3])})

# Written before the loop: no loop has both.
a = play([("S", 9, 0, 4), *loop(4, [[("L", 2, 0, 4)]] * 2)])
equal(a.rows["raw", 9, 2, 0, ()].numbers(),
      {"count": 2, "iters": 1, "intra": 0, "carried": 0, "no_loop": 2, "concurrent": 0,
       "min": 0, "max": 0, "histogram": [0] * 6})

# Two distances in one execution: counted once, in both buckets.
a = play(loop(5, [[("S", 1, 0, 4)], [("S", 1, 4, 4)], [("L", 2, 0, 8)]]))
equal(a.rows["raw", 1, 2, 5, ()].numbers(),
      {"count": 1, "iters": 1, "intra": 0, "carried": 1, "no_loop": 0, "concurrent": 0, "min": 1, "max": 2,
       "histogram": [0, 1, 1, 0, 0, 0]})

# Strides across and within objects.
a = play([("A", "g", 0, 64), ("A", "g", 100, 64)]
         + [("L", 1, b + 8 * i, 8) for b in (0, 100) for i in range(4)])
equal(a.strides[1].counts, {8: 6, 76: 1})
equal(a.within[1].counts, {8: 6})
equal(a.within[1].summary(8)["class"], "ssst")


def stream(points, limit=30):
    s = Stream(limit)
    for t, p in enumerate(points):
        s.add(p if isinstance(p, tuple) else (p,), t)
    return s


def flat(s):
    return [(*start, *stride, n) for start, stride, n in s.lmads]


equal(flat(stream([0, 4, 8, 12, 16, 3, 6, 9])), [(0, 4, 5), (3, 3, 3)])
equal(flat(stream([2, 5, 8, 11, 40, 40, 40, 7])), [(2, 3, 4), (40, 0, 3), (7, 0, 1)])
equal(flat(stream([1, 2, 4, 8, 16])), [(1, 1, 2), (4, 4, 2), (16, 0, 1)])
s = stream([0, 8, 16, 100, 104, 108, 50, 20, 80, 110], 2)
equal((flat(s), s.low, s.high, s.steps, s.points, s.captured),
      ([(0, 8, 3), (100, 4, 3)], (20,), (110,), [30], 4, 6))
equal(flat(stream([(0, 8, 1), (1, 8, 4), (2, 8, 7), (3, 8, 10)])),
      [(0, 8, 1, 1, 0, 3, 4)])
l = Lmads()
for t in range(4):
    l.add("k", (0, 8 * t, 5 + t))
equal(flat(l.streams["k"]["v2"]), [(0, 0, 0, 8, 4)])

# All kinds: two sites read what 1 wrote, then 4 writes there.
a = play([("S", 1, 0, 4), ("L", 2, 0, 4), ("L", 3, 0, 4), ("S", 4, 0, 4), ("S", 4, 0, 4)],
         "readers")
equal({k[:3]: r.count for k, r in a.rows.items()},
      {("raw", 1, 2): 1, ("raw", 1, 3): 1, ("waw", 1, 4): 1, ("war", 2, 4): 1,
       ("war", 3, 4): 1, ("waw", 4, 4): 1})
# With contexts only the last read; recursion is where it was first.
a = play([("C", 1, "f"), ("S", 1, 0, 4), ("L", 2, 0, 4), ("C", 2, "g"), ("C", 3, "f"),
          ("L", 3, 0, 4), ("R", 1), ("S", 1, 0, 4)], "context")
equal(set(a.rows), {("raw", 1, 2, 0, (("f",), ("f",))), ("raw", 1, 3, 0, (("f",), ("f",))),
                    ("war", 3, 1, 0, (("f",), ("f",))), ("waw", 1, 1, 0, (("f",), ("f",)))})
# Between threads: no loop has both, also if the source ran during a loop of the sink.
a = play([("E", 1), ("I",), ("T", 1), ("S", 1, 0, 4), ("T", 0), ("L", 2, 0, 4), ("S", 3, 8, 4),
          ("T", 1), ("T", 0), ("L", 4, 8, 4), ("I",), ("L", 4, 8, 4), ("X",)])
equal({k[1:4]: [r.count, r.intra, r.carried, r.no_loop, r.concurrent]
       for k, r in a.rows.items()},
      {(1, 2, 0): [1, 0, 0, 1, 1], (3, 4, 1): [2, 1, 1, 0, 0]})
# Between threads: counted, in the loops of the reader; each has its own stride.
a = play([("S", 1, 0, 4), ("T", 1), ("L", 2, 0, 4), ("L", 2, 4, 4), ("T", 0), ("L", 2, 0, 4)])
equal((a.crossing, a.pairs), ({("raw", 1, 2, ())}, {("raw", 1, 2, ()): 2}))
equal(a.strides[2].counts, {4: 1})

# An object per iteration of loop 6 in loop 5, one of them freed outside of it.
a = play(loop(5, [[*loop(6, [[("A", "g", 64, 8), ("L", 1, 64, 8), ("F", 64)],
                             [("A", "g", 64, 8)]]), ("F", 64)]]), watch=[Lifetimes])
row = {"objects": 1, "total": 1, "min": 1, "max": 1, "alive": 0, "always": False}
equal(a.observers[0].finish(),
      {("g", 6, 0): row, ("g", 5, 0): row | {"total": 0, "min": 0, "max": 0, "always": True}})
# A store is dead when the last of its bytes is gone and none was read.
a = play([("S", 1, 0, 8), ("S", 2, 0, 4), ("S", 3, 4, 4), ("L", 9, 5, 1), ("S", 2, 0, 8)],
         watch=[DeadStores])
equal(a.observers[0].dead, {1: 1, 2: 1})
# Two threads on neighbours of a line; the first one ends.
a = play([("T", 1), ("S", 1, 0, 8), ("T", 2), ("S", 2, 8, 8), ("T", 1), ("L", 3, 0, 8),
          ("L", 4, 8, 8), ("S", 1, 0, 8), ("Z",), ("T", 2), ("L", 3, 0, 8)], watch=[Sharing])
equal(a.observers[0].rows, {(2, 1): [0, 1], (3, 2): [0, 1], (3, 1): [1, 0]})
equal(fields([{"sites": [{"id": i, "type": "t", "field": f, "kind": k, "loop": 1}
                         for i, f, k in ((1, "a", "load"), (2, "b.c", "store"))]}],
             {1: 5, 2: 3}.get),
      {("t", "a"): {"loads": 5, "stores": 0, "visits": 5, "together": {"b": 3}},
       ("t", "b"): {"loads": 0, "stores": 3, "visits": 3, "together": {}}})
print(f"self_check: {checks} checks passed")
