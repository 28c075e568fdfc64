# analysis.py - the profile of a run, worked out from every single access.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Brute force, one access at a time, one byte at a time; shares nothing with
# runtime/backend.  What it computes, by the definitions of doc/:
#
#   executions    of each site; invocations and iterations of each loop
#   dependences   the last writer of each byte, with the clock of its store.
#                 The clock counts iteration starts.  The carrying loop is the
#                 innermost active one that was entered before the store, the
#                 distance is the number of its iterations begun since.  One
#                 execution counts once per row (source, sink, loop), and once
#                 per row and distance in the histogram
#   strides       from one execution of a site to the next, over everything and
#                 within one object
#   points-to     executions per site and group of objects
#
# Sites and loops are any hashable names; 0 is no loop, the whole program.
from bisect import bisect_right, insort

CAP = 5          # distances from here on share a bucket
DISTINCT = 4096  # strides of a site that are counted one by one


class Row:
    __slots__ = ("count", "iters", "intra", "carried", "lo", "hi", "hist")

    def __init__(self):
        self.count = self.iters = self.intra = self.carried = 0
        self.lo, self.hi = 1 << 62, 0
        self.hist = [0] * (CAP + 1)

    def numbers(self):
        return {"count": self.count, "iters": self.iters, "intra": self.intra,
                "carried": self.carried, "min": self.lo, "max": self.hi,
                "histogram": self.hist}


class Active:
    """A loop on the stack of active loops."""
    __slots__ = ("loop", "entered", "starts", "seen", "owner")

    def __init__(self, loop, entered, owner):
        self.loop, self.entered, self.owner = loop, entered, owner
        self.starts = []
        self.seen = set()  # rows met in this iteration


class Histogram:
    """Strides in the order in which they occur."""
    __slots__ = ("counts", "other", "last", "repeats")

    def __init__(self):
        self.counts = {}
        self.other = self.repeats = 0
        self.last = None

    def add(self, stride):
        if stride == self.last:
            self.repeats += 1
        self.last = stride
        counts = self.counts
        if stride in counts:
            counts[stride] += 1
        elif len(counts) < DISTINCT:
            counts[stride] = 1
        else:
            self.other += 1

    def summary(self, executions, repeats=True):
        """Sixteen most frequent strides, the dominant one, its class.

        Without `repeats' the class is none, constant or ssst."""
        order = sorted(self.counts.items(), key=lambda c: (-c[1], c[0]))
        shown = order[:8]
        dominant, n = order[0] if order else (0, 0)
        share = n / executions if executions else 0
        top4 = sum(c for _, c in order[:4])
        if share >= 0.70:
            name = "ssst" if dominant else "constant"
        elif executions and top4 / executions > 0.60 \
                and repeats and self.repeats / executions > 0.40:
            name = "pmst"
        elif share > 0.25 and repeats and self.repeats / executions > 0.10:
            name = "wsst"
        else:
            name = "none"
        return {"histogram": [list(c) for c in shown], "dominant": dominant,
                "share": share, "class": name, "repeats": self.repeats,
                "other": self.other + sum(c for _, c in order[8:])}


class Object:
    __slots__ = ("base", "end", "group", "serial", "alive")

    def __init__(self, base, size, group, serial):
        self.base, self.end = base, base + size
        self.group, self.serial, self.alive = group, serial, True


class Analysis:
    def __init__(self):
        self.clock = 1
        self.time = 0
        self.root = Active(0, 0, 0)
        self.root.starts.append(0)
        self.stack = []
        self.shadow = {}
        self.executions = {}
        self.rows = {}
        self.invocations, self.iterations = {}, {}
        self.previous = {}         # site -> (address, object)
        self.strides, self.within = {}, {}
        self.points_to = {}        # (site, group) -> count
        self.bases, self.objects = [], {}
        self.fixed = []            # (base, Object), globals
        self.stack_range = (0, 0)
        self.stack_object = Object(0, 0, ("stack",), 0)
        self.groups = {}           # group -> [objects, bytes, alive, peak, accesses]
        self.lmads = None

    # ---- context -----------------------------------------------------------
    def enter(self, loop, owner=0):
        self.stack.append(Active(loop, self.clock, owner))
        self.invocations[loop] = self.invocations.get(loop, 0) + 1

    def iteration(self):
        self.clock += 1
        top = self.stack[-1]
        top.starts.append(self.clock)
        top.seen = set()
        self.iterations[top.loop] = self.iterations.get(top.loop, 0) + 1

    def leave(self):
        self.stack.pop()

    # ---- objects -----------------------------------------------------------
    def birth(self, group, base, size):
        i = bisect_right(self.bases, base)
        while i and self.objects[self.bases[i - 1]].end > base:
            i -= 1
        overlapped = []
        while i < len(self.bases) and self.bases[i] < base + max(size, 1):
            overlapped.append(self.bases[i])
            i += 1
        for b in overlapped:
            self.death(b)
        g = self.groups.setdefault(group, [0, 0, 0, 0, 0])
        self.objects[base] = Object(base, size, group, g[0])
        insort(self.bases, base)
        g[0] += 1
        g[1] += size
        g[2] += size
        g[3] = max(g[3], g[2])
        self.forget(base, size)

    def death(self, base):
        o = self.objects.pop(base, None)
        if o is None:
            return
        o.alive = False
        self.bases.remove(base)
        self.groups[o.group][2] -= o.end - o.base
        self.forget(base, o.end - o.base)

    def forget(self, base, size):
        pop = self.shadow.pop
        for b in range(base, base + size):
            pop(b, None)

    def set_globals(self, symbols):
        for name, base, size in symbols:
            self.fixed.append((base, Object(base, size, ("global", name), 0)))
        self.fixed.sort(key=lambda f: f[0])

    def find(self, address):
        """The live object that holds the address, or None."""
        i = bisect_right(self.bases, address)
        if i:
            o = self.objects[self.bases[i - 1]]
            if address < o.end:
                return o
        lo, hi = self.stack_range
        if lo <= address < hi:
            return self.stack_object
        i = bisect_right(self.fixed, address, key=lambda f: f[0])
        if i:
            o = self.fixed[i - 1][1]
            if address < o.end:
                return o
        return None

    # ---- accesses ----------------------------------------------------------
    def access(self, site, address, size):
        """What loads and stores share.  No bytes are bytes of no object."""
        n = self.executions
        n[site] = n.get(site, 0) + 1
        old = self.previous.get(site)
        if old is None:
            o = self.find(address) if size else None
        else:
            before, last = old
            if last is not None and last.alive and size \
                    and last.base <= address < last.end:
                o = last
            else:
                o = self.find(address) if size else None
            h = self.strides.get(site)
            if h is None:
                h = self.strides[site] = Histogram()
            h.add(address - before)
            if o is not None and o is last:
                w = self.within.get(site)
                if w is None:
                    w = self.within[site] = Histogram()
                w.add(address - before)
        self.previous[site] = (address, o)
        if o is not None:
            key = (site, o.group)
            p = self.points_to
            p[key] = p.get(key, 0) + 1
            if self.lmads is not None and o is not self.stack_object:
                self.lmads.add(key, (o.serial, address - o.base, self.time))
        self.time += 1

    def store(self, site, address, size):
        self.access(site, address, size)
        writer = (site, self.clock)
        shadow = self.shadow
        for b in range(address, address + size):
            shadow[b] = writer

    def external_store(self, address, size):
        """Code that is not instrumented writes."""
        writer = ("external", self.clock)
        for b in range(address, address + size):
            self.shadow[b] = writer

    def load(self, site, address, size):
        self.access(site, address, size)
        get = self.shadow.get
        writers = {get(b) for b in range(address, address + size)}
        writers.discard(None)
        if not writers:
            return
        met = {}
        for source, clock in writers:
            carrier = self.root
            for active in reversed(self.stack):
                if active.entered < clock:
                    carrier = active
                    break
            starts = carrier.starts
            distance = len(starts) - bisect_right(starts, clock)
            met.setdefault((source, site, carrier.loop), []).append((distance, carrier))
        for key, found in met.items():
            row = self.rows.get(key)
            if row is None:
                row = self.rows[key] = Row()
            row.count += 1
            distances = [d for d, _ in found]
            if 0 in distances:
                row.intra += 1
            if any(distances):
                row.carried += 1
            row.lo = min(row.lo, *distances) if len(distances) > 1 \
                else min(row.lo, distances[0])
            row.hi = max(row.hi, max(distances))
            for bucket in {min(d, CAP) for d in distances}:
                row.hist[bucket] += 1
            for _, carrier in found:
                if key not in carrier.seen:
                    carrier.seen.add(key)
                    row.iters += 1


class Lmads:
    """LEAP's streams, for one site and group at a time; at most 30 LMADs."""
    VIEWS = {"v3": (0, 1, 2), "v2": (0, 1), "v1": (1,), "o1": (0,)}

    def __init__(self, limit=30):
        self.limit = limit
        self.streams = {}

    def add(self, key, point):
        streams = self.streams.get(key)
        if streams is None:
            streams = self.streams[key] = {v: Stream(self.limit) for v in self.VIEWS}
        for view, dims in self.VIEWS.items():
            streams[view].add(tuple(point[d] for d in dims), point[2])


class Stream:
    def __init__(self, limit):
        self.limit = limit
        self.lmads = []        # [start, stride, count]
        self.closed = None     # first dropped point
        self.points, self.closed_at = 0, 0
        self.low = self.high = self.steps = None
        self.captured = 0

    def add(self, v, time):
        if self.closed is None:
            if self.lmads:
                c = self.lmads[-1]
                if c[2] == 1:
                    c[1] = tuple(a - b for a, b in zip(v, c[0]))
                    c[2] = 2
                elif v == tuple(s + c[2] * d for s, d in zip(c[0], c[1])):
                    c[2] += 1
                elif len(self.lmads) < self.limit:
                    self.lmads.append([v, (0,) * len(v), 1])
                else:
                    self.closed, self.closed_at = v, time
            else:
                self.lmads.append([v, (0,) * len(v), 1])
            if self.closed is None:
                self.captured += 1
                return
            self.low = self.high = v
            self.steps = [0] * len(v)
        self.points += 1
        self.low = tuple(map(min, self.low, v))
        self.high = tuple(map(max, self.high, v))
        self.steps = [gcd(g, abs(a - b)) for g, a, b in
                      zip(self.steps, v, self.closed)]


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a
