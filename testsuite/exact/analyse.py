#!/usr/bin/env python3
# analyse.py - compares a profile with the oracle's log of the same run.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   analyse.py --map MAP --log LOG --program PROG --profile JSON
#              [--loads N --stores N]
#
# MAP is what the oracle plugin wrote at compile time, LOG what its runtime
# wrote; PROG is read with nm for the addresses of global variables.  --loads
# and --stores are totals that the generator knows from the C source.
#
# Rows are matched by identity, never by position in the file: a function by
# its linkage name, a site by its ordinal, a loop by the sites that it holds, a
# group by the line of the allocation or the variable's name.  Every difference
# is one line on stdout; exit 0 when there is none, 1 otherwise.
import argparse
import array
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from analysis import Analysis, Lmads, Row  # noqa: E402
from module_tables import ModuleTables  # noqa: E402

ACCESS, ENTER, BLOCK, AGAIN, LOCAL, BIRTH, DEATH, STACK, EXTERNAL = range(1, 10)
LEAVE, END, POINTER = 12, 13, 14
CLONE = re.compile(r"\.(constprop|isra|part|lto_priv|cold)(\.\d+)?|(?<=\._omp_fn)\.\d+|#\d+$")
NUMBER = re.compile(r"(\.(constprop|isra|part|lto_priv|cold))\.\d+")
MOST = 40  # differences printed
# Variables of oracle_runtime.c and of the start of programs: no compiler instruments them.
RUNTIME = {"__oracle_base", "_IO_stdin_used", "at_end", "completed.0", "pointers", "records",
           "threads", "values"}


class Function:
    def __init__(self, name, file):
        self.name, self.file = CLONE.sub("", name), file
        self.sites, self.loops = [], {}  # loops: id -> id of the outer one


class Site:
    def __init__(self, ident, ordinal, kind, width, line, loop, atomic):
        self.id, self.ordinal, self.kind = ident, ordinal, kind
        self.width, self.line, self.loop, self.atomic = width, line, loop, atomic


class Map:
    """The static side: functions, sites, loops, blocks, allocations."""

    def __init__(self, path):
        self.functions, self.sites, self.names = [], {}, {}
        self.blocks, self.outer, self.allocs = {}, {}, {}
        self.places = {}  # of pointers: number -> (function, argument)
        with open(path, encoding="utf-8") as f:
            for text in f:
                w = text.split()
                if w[0] == "function":
                    current = Function(w[2], w[3])
                    self.functions.append(current)
                    self.names[int(w[1])] = NUMBER.sub(r"\1", w[2])
                elif w[0] == "loop":
                    current.loops[int(w[1])] = self.outer[int(w[1])] = int(w[2])
                elif w[0] == "site":
                    s = Site(int(w[1]), int(w[2]), w[3], int(w[4]), int(w[5]), int(w[6]),
                             w[7] == "1")
                    current.sites.append(s)
                    self.sites[s.id] = s
                elif w[0] == "block":
                    self.blocks[int(w[1])] = (int(w[2]), w[3] == "1")
                elif w[0] == "pointer":
                    self.places[int(w[1])] = (int(w[2]), int(w[3]))
                elif w[0] == "alloc":
                    self.allocs[int(w[1])] = ("heap", int(w[3]))

    def chain(self, loop):
        """The loop and those around it, outermost first."""
        c = []
        while loop:
            c.append(loop)
            loop = self.outer[loop]
        return c[::-1]


def symbols(program, base):
    """(name, address, bytes) of the program's variables."""
    text = subprocess.run(["nm", "-S", "--defined-only", program], text=True,
                          check=True, capture_output=True).stdout
    rows, slide = [], None
    for line in text.splitlines():
        w = line.split()
        if w[-1] == "__oracle_base":
            slide = base - int(w[0], 16)
        if w[-1] in RUNTIME:
            continue
        if len(w) == 4 and w[2] in "bBdDrRgGsSvV" and "@" not in w[3]:
            rows.append((re.sub(r"\.\d+$", "", w[3]), int(w[0], 16), int(w[1], 16)))
    return [(n, a + slide, s) for n, a, s in rows if s]


def replay(log, static, program, kinds="raw", watch=()):
    """WATCH: classes of observers.py; they become attributes of the analysis."""
    words = array.array("Q")
    with open(log, "rb") as f:
        words.frombytes(f.read(24))
        n, base = words[1], words[2]
        words.frombytes(f.read(24 * (n - 1)))
    a = Analysis(kinds)
    a.lmads = Lmads()
    a.set_globals(symbols(program, base))
    a.observers = [w(a) for w in watch]
    sites = {i: s.kind == "store" for i, s in static.sites.items()}
    chains = {b: (static.chain(loop), loop, header)
              for b, (loop, header) in static.blocks.items()}
    running = 0
    heads, first, second = words[3::3], words[4::3], words[5::3]
    for head, x, y in zip(heads, first, second):
        kind, ident, thread = head & 255, head >> 8 & 0xffffffffff, head >> 48
        if thread != running:
            running = thread
            a.switch(thread)
        if kind == ACCESS:
            (a.store if sites[ident] else a.load)(ident, x, y)
        elif kind == BLOCK:
            chain, loop, header = chains[ident]
            stack = a.stack
            a.unwind(x)
            while stack and stack[-1].owner == x and stack[-1].loop not in chain:
                a.leave()
            if header:
                if not (stack and stack[-1].owner == x and stack[-1].loop == loop):
                    a.enter(loop, x)
                a.iteration()
        elif kind == ENTER:
            a.call(x, ident)
        elif kind == LEAVE:
            a.unwind(x - 1)
        elif kind == AGAIN:
            a.unwind(x)
        elif kind == LOCAL:
            a.local(x, y)
        elif kind == BIRTH:
            a.birth(static.allocs[ident], x, y)
        elif kind == DEATH:
            a.death(x)
        elif kind == EXTERNAL:
            a.external_store(x, y)
        elif kind == STACK:
            a.thread.memory.base, a.thread.memory.end = x, y
        elif kind == POINTER:
            for o in a.observers:
                o.pointer(ident, x)
        elif kind == END:
            a.end_thread()
    return a


class Comparison(ModuleTables):
    """ORDERED: all accesses of the program come in one order, whatever the threads
    do; otherwise what depends on which thread was first is left out."""

    def __init__(self, static, actual, profile, ordered=True):
        self.static, self.a, self.p = static, actual, profile
        self.ordered = ordered
        self.differences = []
        self.loops = True  # whether the profile has loops
        self.site_of, self.loop_of = {"external": "external"}, {0: None}  # oracle id -> profile id

    def differ(self, what, actual, expected):
        self.differences.append(f"{what}: profile {actual}, oracle {expected}")

    def same(self, what, actual, expected):
        if isinstance(expected, float) or isinstance(actual, float):
            equal = abs(actual - expected) <= 1e-5 + 1e-5 * abs(expected)
        else:
            equal = actual == expected
        if not equal:
            self.differ(what, actual, expected)

    def executions(self, site):
        return self.a.executions.get(site, 0)

    def everything(self, known=None):
        """All of the default modules; `known' is (loads, stores) or None.  Returns
        the groups of which the profile has several."""
        self.pair_functions()
        self.totals(known)
        several = self.groups()
        for section, compare in (("dependences", self.dependences),
                                 ("strides", self.strides),
                                 ("points_to", self.points_to),
                                 ("fields", self.fields),
                                 ("object_relative",
                                  lambda: self.object_relative(several))):
            if section in self.p:
                compare()
            else:
                self.differ(f"section {section}", "missing", "present")
        return several

    def targets(self, known=None):
        """Of points_to alone, as `everything'."""
        self.loops = False
        self.pair_functions()
        self.totals(known)
        self.groups()
        self.points_to()
        mine, theirs = {}, {}
        for (_, group), n in self.a.points_to.items():
            mine[group] = mine.get(group, 0) + n
        for g in self.p["groups"]:
            key = self.group_key(g)
            if key != ("unknown",):
                theirs[key] = theirs.get(key, 0) + g.get("accesses", 0)
        for key in sorted(set(mine) | set(theirs), key=str):
            self.same(f"group {key} accesses", theirs.get(key, 0), mine.get(key, 0))

    # ---- identity ----------------------------------------------------------
    def pair_functions(self):
        """Clones share a name: the pairing with the fewest differences wins."""
        mine = {}
        for f in self.static.functions:
            if any(self.executions(s.id) for s in f.sites) \
                    or self.loops and any(self.a.iterations.get(l) for l in f.loops):
                mine.setdefault(f.name, []).append(f)
        theirs = {}
        for m in self.p["modules"]:
            for f in m["functions"]:
                if f.get("sites") or any(l.get("iterations") for l in f.get("loops", [])):
                    name = CLONE.sub("", f.get("linkage_name") or f["name"])
                    theirs.setdefault(name, []).append((m, f))
        for name in sorted(set(mine) | set(theirs)):
            left, right = mine.get(name, []), theirs.get(name, [])
            while left and right:
                f, (m, g) = min(((f, r) for f in left for r in right),
                                key=lambda q: self.distance(*q))
                left.remove(f)
                right.remove((m, g))
                self.pair(f, m, g)
            for f in left:
                # A loop without accesses and calls has no rows.
                if f.sites:
                    self.differ(f"function {name}", "nothing", "executed sites "
                                f"{[s.ordinal for s in f.sites if self.executions(s.id)]}")
            for m, g in right:
                self.differ(f"function {name}", f"{len(g.get('sites', []))} sites", "nothing")

    def distance(self, f, module_row):
        """In how many ways the two are not the same function."""
        module, row = module_row
        by_ordinal = {s["ordinal"]: s for s in row.get("sites", [])}
        apart = os.path.basename(module["file"]) != os.path.basename(f.file)
        apart += len(f.sites) != len(by_ordinal) + row.get("never_executed", 0)
        for s in f.sites:
            t = by_ordinal.get(s.ordinal)
            if t is None:
                apart += self.executions(s.id) != 0
            else:
                apart += (t["kind"], t.get("width", 0), s.line and t.get("line", 0),
                          t["executions"]) != (s.kind, s.width, s.line,
                                               self.executions(s.id))
        return apart

    def pair(self, f, module, row):
        self.same(f"{f.name}: source file", module["file"], f.file)
        by_ordinal = {s["ordinal"]: s for s in row.get("sites", [])}
        never = 0
        for s in f.sites:
            where = f"{f.name} site {s.ordinal} (line {s.line}, {s.kind})"
            t = by_ordinal.pop(s.ordinal, None)
            n = self.executions(s.id)
            if not n:
                never += 1
            if t is None:
                if n:
                    self.differ(f"{where} executions", 0, n)
                continue
            self.site_of[s.id] = t["id"]
            self.same(f"{where} kind", t["kind"], s.kind)
            self.same(f"{where} executions", t["executions"], n)
            self.same(f"{where} width", t.get("width", 0), s.width)
            if s.line:
                self.same(f"{where} line", t.get("line", 0), s.line)
            else:  # of what is near the statement
                self.differ(f"{where} line", 0, "some") if not t.get("line") else None
        for ordinal, t in by_ordinal.items():
            self.differ(f"{f.name} site {ordinal} (line {t.get('line')}, {t['kind']})",
                        t["executions"], "no such site")
        self.same(f"{f.name}: sites never executed", row.get("never_executed", 0), never)
        self.pair_loops(f, row)

    def pair_loops(self, f, row):
        parent = {l["id"]: l.get("parent") for l in row.get("loops", [])}
        rows = {l["id"]: l for l in row.get("loops", [])}
        by_ordinal = {s["ordinal"]: s for s in row.get("sites", [])}
        used = set()
        for s in f.sites:
            t = by_ordinal.get(s.ordinal)
            if t is None:
                continue
            mine, theirs = s.loop, t.get("loop")
            while mine or theirs is not None:
                if not mine or theirs is None:
                    self.differ(f"{f.name} site {s.ordinal}: loop depth",
                                "less" if mine else "more", "other")
                    break
                if self.loop_of.setdefault(mine, theirs) != theirs:
                    self.differ(f"{f.name} site {s.ordinal}: loop", theirs,
                                self.loop_of[mine])
                used.add(theirs)
                mine, theirs = self.static.outer[mine], parent[theirs]

        if not self.loops:
            return

        # Loops without executed sites: those with equal counts.
        def counts(l):
            return (self.a.invocations.get(l, 0), self.a.iterations.get(l, 0))
        rest = [l for l in rows.values()
                if l["id"] not in used and l.get("iterations", 0)]
        for mine in f.loops:
            if mine in self.loop_of or not counts(mine)[1]:
                continue
            for l in rest:
                if (l.get("invocations", 0), l["iterations"]) == counts(mine):
                    self.loop_of[mine] = l["id"]
                    rest.remove(l)
                    break
        for l in rest:
            self.differ(f"{f.name}: loop at line {l.get('line')}", l, "no such loop")
        for mine in f.loops:
            if self.loop_of.get(mine) in used:
                l = rows[self.loop_of[mine]]
                what = f"{f.name} loop at line {l.get('line')}"
                self.same(f"{what} invocations", l.get("invocations", 0), counts(mine)[0])
                self.same(f"{what} iterations", l.get("iterations", 0), counts(mine)[1])

    # ---- sections ----------------------------------------------------------
    def totals(self, known):
        n = {"load": 0, "store": 0}
        for i, s in self.static.sites.items():
            n[s.kind] += self.executions(i)
        run = self.p["run"]
        self.same("run.loads", run["loads"], n["load"])
        self.same("run.stores", run["stores"], n["store"])
        self.same("run.accesses", run["accesses"], sum(n.values()))
        self.same("run.complete", run["complete"], True)
        self.same("run.events_lost", run["events_lost"], 0)
        if known:
            self.same("loads and stores, known from the source",
                      (run["loads"], run["stores"]), tuple(known))

    def name(self, site):
        for f in self.static.functions:
            for s in f.sites:
                if self.site_of.get(s.id, s.id) == site:
                    return f"{f.name}:{s.line}#{s.ordinal}"
        return str(site)

    def dependences(self):
        theirs = {}
        for r in self.p["dependences"]:
            key = (r["kind"], r["source"], r["sink"], r.get("context"), r.get("loop"))
            if key in theirs:
                self.differ(f"dependence {key}", "twice", "once")
            theirs[key] = r
        mine = {}
        for (kind, source, sink, loop, contexts), row in self.a.rows.items():
            key = (*self.pair_of(kind, source, sink, contexts), self.loop_of.get(loop, f"?{loop}"))
            if key not in mine:
                mine[key] = (Row(), sink)
            elif not contexts:  # in contexts, clones have one name
                self.differ(f"dependence {key}", "one loop", "two loops")
            mine[key][0].add(row)
            mine[key][0].iters = min(mine[key][0].iters, mine[key][0].count) if loop else 1
        if not self.ordered:
            self.between_threads(mine, theirs)
        for key in sorted(set(mine) | set(theirs), key=str):
            what = (f"{key[0]} dependence {self.name(key[1])} -> {self.name(key[2])}, "
                    f"loop {key[4]}{', ' + key[3] if key[3] else ''}")
            r = theirs.get(key)
            row, sink = mine.get(key, (None, None))
            if r is None or row is None:
                self.differ(what, r, row.numbers() if row else None)
                continue
            d = r.get("distance") or one_distance(r)
            actual = {k: r.get(k, 0) for k in ("count", "iters", "intra", "carried",
                                                "no_loop", "concurrent")}
            actual |= {"min": d.get("min", 0), "max": d.get("max", 0),
                       "histogram": d.get("histogram", [0] * 6)}
            self.same(what, actual, row.numbers())
            self.same(f"{what} frequency", r["frequency"],
                      row.count / self.executions(sink))

    def pair_of(self, kind, source, sink, contexts):
        return (kind, self.site_of.get(source, f"?{source}"),
                self.site_of.get(sink, f"?{sink}"),
                " -> ".join(" < ".join(self.static.names[f] for f in reversed(c))
                            for c in contexts) if contexts else None)

    def between_threads(self, mine, theirs):
        """Takes the rows away whose loop and distance depend on which thread was first, and
        compares what does not: their counts, added up over the loops.  It is not known
        in which order atomic accesses come, nor reads of several threads: where these
        have several sites, the counts are added up over them, too."""
        atomic = {self.site_of.get(i) for i, s in self.static.sites.items() if s.atomic}
        unordered = {self.site_of.get(i) for i in self.a.unordered}
        # By sink: the sites of the last reads, in the oracle or in the profile, and how
        # many there are more in the oracle.
        readers, more = {}, {}
        both = [(self.pair_of(*p), n) for p, n in self.a.pairs.items()]
        both += [(key, -r["count"]) for key, r in theirs.items()]
        for (kind, source, sink, *_), n in both:
            if kind == "war" and sink in unordered:
                readers.setdefault(sink, set()).add(source)
                more[sink] = more.get(sink, 0) + n
        several = {sink for sink, sites in readers.items()
                   if len(sites) > 1 or self.a.kinds == "context"}
        crossing = {self.pair_of(*p) for p in self.a.crossing}
        crossing = {pair: sum(n for p, n in self.a.pairs.items() if self.pair_of(*p) == pair)
                    for pair in crossing}
        sums = dict.fromkeys(crossing, 0)

        def unknown(pair):
            return bool(atomic & {pair[1], pair[2]}) \
                or pair[0] == "war" and pair[2] in several
        for rows in mine, theirs:
            for key in list(rows):
                if key[:4] in crossing or unknown(key):
                    r = rows.pop(key)
                    if rows is theirs and key[:4] in crossing:
                        sums[key[:4]] += r["count"]
        for pair, n in crossing.items():
            if not unknown(pair):
                self.same(f"{pair[0]} dependence between threads {self.name(pair[1])} -> "
                          f"{self.name(pair[2])}{', ' + pair[3] if pair[3] else ''}",
                          sums[pair], n)
        for sink in several - atomic if self.a.kinds == "all" else ():
            self.same(f"war dependences of {self.name(sink)}: the oracle's less the profile's",
                      more[sink], 0)

    def strides(self):
        theirs = {r["site"]: r for r in self.p["strides"]}
        for site, n in self.a.executions.items():
            ident = self.site_of.get(site)
            row = theirs.pop(ident, None)
            h = self.a.strides.get(site)
            if row is None:
                if h is not None and ident is not None:
                    self.differ(f"stride {self.name(ident)}", None, h.summary(n))
                continue
            what = f"stride {self.name(ident)}"
            if h is None:
                self.same(what, row["histogram"], [])
                continue
            self.same(f"{what} executions", row["executions"], n)
            self.summary(what, row, h.summary(n), True)
            w = self.a.within.get(site)
            inner = row.get("within_object") or {}
            if inner.get("all"):  # the row's own
                own = {k: row[k] for k in ("dominant", "share", "histogram", "other")
                       if k in row}
                inner = own | inner
            if w is not None:
                self.summary(f"{what} within object", inner, w.summary(n, False), False)
            else:
                self.same(f"{what} within object", inner.get("histogram", []), [])
        for ident in theirs:
            self.differ(f"stride of site {ident}", theirs[ident], "nothing")

    def summary(self, what, row, want, repeats):
        for key, value in want.items():
            if key != "repeats" or repeats:
                self.same(f"{what} {key}", row.get(key, type(value)()), value)

    def group_key(self, g):
        if g["kind"] == "heap":
            return ("heap", g.get("line", 0))
        if g["kind"] == "global":
            return ("global", re.sub(r"\.\d+$", "", g["function"]))
        return (g["kind"],)

    def points_to(self):
        groups = {g["id"]: self.group_key(g) for g in self.p["groups"]}
        theirs = {}
        for r in self.p["points_to"]:
            for g, n in r["groups"]:
                key = (r["site"], groups[g])
                theirs[key] = theirs.get(key, 0) + n
        mine = {}
        for (site, group), n in self.a.points_to.items():
            key = (self.site_of.get(site, f"?{site}"), group)
            mine[key] = mine.get(key, 0) + n
        for key in sorted(set(mine) | set(theirs), key=str):
            self.same(f"points-to {self.name(key[0])} -> {key[1]}",
                      theirs.get(key, 0), mine.get(key, 0))

    def groups(self):
        theirs, several = {}, set()
        for g in self.p["groups"]:
            key = self.group_key(g)
            if key in theirs:
                several.add(key)
            theirs.setdefault(key, []).append(g)
        for key, (objects, size, _, peak, _) in self.a.groups.items():
            rows = theirs.get(key)
            touched = any(k[1] == key for k in self.a.points_to)
            if not rows:
                if touched:
                    self.differ(f"group {key}", None, objects)
                continue
            self.same(f"group {key} objects", sum(g.get("objects", 0) for g in rows), objects)
            self.same(f"group {key} bytes", sum(g.get("bytes", 0) for g in rows), size)
            if key not in several and self.ordered:
                self.same(f"group {key} span", rows[0].get("span", 0), peak)
        return several

    def object_relative(self, several):
        if not self.ordered:
            return
        for r in self.p["object_relative"]:
            expand(r)
        groups = {g["id"]: self.group_key(g) for g in self.p["groups"]}
        theirs = {(r["site"], groups[r["group"]]): r
                  for r in self.p["object_relative"]}
        mine = {(self.site_of.get(site, f"?{site}"), group): streams
                for (site, group), streams in self.a.lmads.streams.items()}
        for key in sorted(set(mine) | set(theirs), key=str):
            if key[1] in several:
                continue  # inlined copies of one allocation: serials differ
            what = f"object-relative {self.name(key[0])} -> {key[1]}"
            row, streams = theirs.get(key), mine.get(key)
            if row is None or streams is None:
                self.differ(what, "a row" if row else None, "a row" if streams else None)
                continue
            for view, s in streams.items():
                r = row.get(view) or {}
                flat = [x for start, stride, n in s.lmads for x in (*start, *stride, n)]
                self.same(f"{what} {view}", r.get("lmads", []), flat)
                self.same(f"{what} {view} captured", r.get("captured", 0), s.captured)
                o = r.get("overflow")
                self.same(f"{what} {view} overflow",
                          o and (o["min"], o["max"], o["granularity"], o["count"],
                                 o.get("t_closed", 0)),
                          (list(s.low), list(s.high), s.steps, s.points, s.closed_at)
                          if s.closed else None)


def one_distance(row):
    """The file leaves distance out when all executions are at 0, or all at 1, or have none."""
    if "loop" not in row:
        return {}
    at = 1 if row.get("carried", 0) else 0
    histogram = [0] * 6
    histogram[at] = row["count"]
    return {"min": at, "max": at, "histogram": histogram}


def expand(row):
    """Starts as they are; and what the file leaves out because it follows: v2
    when it is v3 without times, v1 and o1 when v2 stays in one object."""
    for name, d in ("v3", 3), ("v2", 2), ("v1", 1), ("o1", 1):
        lmads = row.get(name, {}).get("lmads", [])
        for i in range(2 * d + 1, len(lmads), 2 * d + 1):
            for k in range(d):
                lmads[i + k] += lmads[i + k - 2 * d - 1]
    v3 = row.get("v3")
    if "v2" not in row and v3 and "overflow" not in v3:
        row["v2"] = {"lmads": [x for i, x in enumerate(v3["lmads"])
                               if i % 7 not in (2, 5)],
                     "captured": v3["captured"]}
    v2 = row.get("v2")
    if not v2:
        return
    lmads, o = v2["lmads"], v2.get("overflow")
    objects = set(lmads[0::5])
    if o:
        objects |= {o["min"][0], o["max"][0]}
    if len(objects) != 1 or any(lmads[2::5]):
        return
    if "v1" not in row:
        row["v1"] = {"lmads": [x for i, x in enumerate(lmads) if i % 5 in (1, 3, 4)],
                     "captured": v2["captured"]}
        if o:
            row["v1"]["overflow"] = dict(
                o, **{k: o[k][1:] for k in ("min", "max", "granularity")})
    if "o1" not in row:
        n = v2["captured"] + (o["count"] if o else 0)
        row["o1"] = {"lmads": [objects.pop(), 0, n], "captured": n}


def main():
    parser = argparse.ArgumentParser()
    for name in ("map", "log", "program", "profile"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--loads", type=int)
    parser.add_argument("--stores", type=int)
    args = parser.parse_args()
    static = Map(args.map)
    actual = replay(args.log, static, args.program)
    with open(args.profile, encoding="utf-8") as f:
        profile = json.load(f)
    c = Comparison(static, actual, profile)
    known = None if args.loads is None else (args.loads, args.stores)
    c.everything(known)
    for d in c.differences[:MOST]:
        print(d)
    if len(c.differences) > MOST:
        print(f"... and {len(c.differences) - MOST} more")
    if not c.differences:
        print(f"equal: {actual.time} accesses, {len(actual.executions)} sites, "
              f"{len(actual.rows)} dependences, {len(actual.points_to)} points-to, "
              f"{len(actual.lmads.streams)} object-relative")
    return 1 if c.differences else 0


if __name__ == "__main__":
    sys.exit(main())
