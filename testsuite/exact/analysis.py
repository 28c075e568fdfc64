# analysis.py - the profile of a run, worked out from every single access.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Brute force, one access at a time, one byte at a time; shares nothing with
# runtime/backend.  What it computes, by the definitions of doc/:
#
#   executions    of each site; invocations and iterations of each loop
#   dependences   of three kinds: a load depends on the last writers of its bytes
#                 (raw); a store depends on their last writers (waw) and on the
#                 sites that have read them since (war), or, with contexts, on
#                 the last one.  Each with the clock of its last access of the byte.
#                 The clock counts iteration starts.  The carrying loop is the
#                 innermost active one that was entered before the store, the
#                 distance is the number of its iterations begun since.  One
#                 execution counts once per row (source, sink, loop), and once
#                 per row and distance in the histogram
#   strides       from one execution of a site to the next, over everything and
#                 within one object
#   points-to     executions per site and group of objects
#
# Each thread has loops, functions and previous executions of its own; the clock
# and memory are everybody's.  Observers (observers.py) get what happens.
#
# Sites and loops are any hashable names; 0 is no loop, the whole program.
from bisect import bisect_right, insort

CAP = 5          # distances from here on share a bucket
DISTINCT = 4096  # strides of a site that are counted one by one


class Row:
    __slots__ = ("count", "iters", "intra", "carried", "no_loop", "concurrent",
                 "lo", "hi", "hist")

    def __init__(self):
        self.count = self.iters = self.intra = self.carried = 0
        self.no_loop = self.concurrent = 0
        self.lo, self.hi = 1 << 62, 0
        self.hist = [0] * (CAP + 1)

    def add(self, other):
        self.count += other.count
        self.iters += other.iters
        self.intra += other.intra
        self.carried += other.carried
        self.no_loop += other.no_loop
        self.concurrent += other.concurrent
        self.lo, self.hi = min(self.lo, other.lo), max(self.hi, other.hi)
        self.hist = [a + b for a, b in zip(self.hist, other.hist)]

    def numbers(self):
        return {"count": self.count, "iters": self.iters, "intra": self.intra,
                "carried": self.carried, "no_loop": self.no_loop,
                "concurrent": self.concurrent, "min": 0 if self.no_loop else self.lo,
                "max": self.hi, "histogram": self.hist}


class Active:
    """A loop on the stack of active loops."""
    __slots__ = ("loop", "entered", "starts", "seen", "owner")

    def __init__(self, loop, entered, owner):
        self.loop, self.entered, self.owner = loop, entered, owner
        self.starts = []
        self.seen = set()  # rows met in this iteration


class Histogram:
    """Strides in the order in which they occur."""
    __slots__ = ("counts", "other", "repeats")

    def __init__(self):
        self.counts = {}
        self.other = self.repeats = 0

    def add(self, stride, before=None):
        self.repeats += stride == before
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


class Thread:
    __slots__ = ("number", "root", "stack", "functions", "calls", "previous", "memory")

    def __init__(self, number, program):
        self.number = number
        self.root = Active(0, 0, 0)
        self.root.starts.append(0)
        self.root.seen = program    # is one iteration, whatever the thread
        self.stack = []
        self.functions = [(0, ())]  # (activation, functions from the outermost)
        self.calls = []             # (activation, function)
        self.previous = {}          # site -> (address, object, stride)
        self.memory = Object(0, 0, ("stack",), 0)


class Access:
    """The last writer or reader of a byte; `others': several threads did, any order."""
    __slots__ = ("site", "clock", "context", "thread", "others")

    def __init__(self, site, clock, context, thread):
        self.site, self.clock, self.context, self.thread = site, clock, context, thread
        self.others = False


class Analysis:
    """KINDS: raw; all, with the last read of a byte; context, the same by calling
    contexts; readers, all with each site's last read since the last write."""

    def __init__(self, kinds="raw"):
        self.kinds = kinds
        self.clock = 1
        self.time = 0
        self.threads, self.seen = {}, set()
        self.switch(0)
        self.writers, self.readers = {}, {}
        self.executions = {}
        self.rows = {}             # (kind, source, sink, loop, contexts) -> Row
        self.pairs = {}            # the same without loops -> executions
        self.crossing = set()      # pairs between threads
        self.unordered = set()     # stores, after reads in any order
        self.invocations, self.iterations = {}, {}
        self.strides, self.within = {}, {}
        self.points_to = {}        # (site, group) -> count
        self.bases, self.objects = [], {}
        self.fixed = []            # (base, Object), globals
        self.groups = {}           # group -> [objects, bytes, alive, peak, accesses]
        self.lmads = None
        self.observers = []

    # ---- context -----------------------------------------------------------
    def switch(self, number):
        thread = self.threads.get(number)
        if thread is None:
            thread = self.threads[number] = Thread(number, self.seen)
        self.thread, self.stack = thread, thread.stack

    def end_thread(self):
        for o in self.observers:
            o.end_thread(self.thread.number)
        self.thread.memory = Object(0, 0, ("stack",), 0)

    def call(self, activation, function):
        self.thread.calls.append((activation, function))
        functions = self.thread.functions
        path = functions[-1][1]
        # Recursion comes back to the context of the first activation.
        path = path[:path.index(function) + 1] if function in path else path + (function,)
        functions.append((activation, path))

    def unwind(self, activation):
        """The thread goes on in this activation, called or left by longjmp."""
        while self.stack and self.stack[-1].owner > activation:
            self.leave()
        while self.thread.functions[-1][0] > activation:
            self.thread.functions.pop()
            self.thread.calls.pop()

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
        o = self.objects[base] = Object(base, size, group, g[0])
        insort(self.bases, base)
        g[0] += 1
        g[1] += size
        g[2] += size
        g[3] = max(g[3], g[2])
        self.forget(base, size)
        for w in self.observers:
            w.birth(o)

    def death(self, base):
        o = self.objects.pop(base, None)
        if o is None:
            return
        o.alive = False
        self.bases.remove(base)
        self.groups[o.group][2] -= o.end - o.base
        for w in self.observers:
            w.death(o)
        self.forget(base, o.end - o.base)

    def forget(self, base, size):
        for table in self.writers, self.readers:
            for b in range(base, base + size):
                table.pop(b, None)
        for w in self.observers:
            w.forget(base, size)

    def local(self, base, size):
        """A local variable comes to life."""
        self.forget(base, size)
        for w in self.observers:
            w.local(base, size)

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
        for t in self.threads.values():
            if t.memory.base <= address < t.memory.end:
                return t.memory
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
        old = self.thread.previous.get(site)
        stride = None
        if old is None:
            o = self.find(address) if size else None
        else:
            before, last, stride_before = old
            if last is not None and last.alive and size \
                    and last.base <= address < last.end:
                o = last
            else:
                o = self.find(address) if size else None
            h = self.strides.get(site)
            if h is None:
                h = self.strides[site] = Histogram()
            stride = address - before
            h.add(stride, stride_before)
            if o is not None and o is last:
                w = self.within.get(site)
                if w is None:
                    w = self.within[site] = Histogram()
                w.add(stride)
        self.thread.previous[site] = (address, o, stride)
        if o is not None:
            key = (site, o.group)
            p = self.points_to
            p[key] = p.get(key, 0) + 1
            if self.lmads is not None and o.group != ("stack",):
                self.lmads.add(key, (o.serial, address - o.base, self.time))
        self.time += 1

    def store(self, site, address, size):
        self.access(site, address, size)
        for w in self.observers:
            w.store(site, address, size)
        me = Access(site, self.clock, self.thread.functions[-1][1], self.thread.number)
        if self.kinds != "raw":
            self.depend("waw", site, {self.writers.get(b) for b in range(address, address + size)})
            found = set()
            for b in range(address, address + size):
                readers = self.readers.pop(b, None)
                if readers:
                    found.update(readers.values())
            self.depend("war", site, found)
        for b in range(address, address + size):
            self.writers[b] = me

    def external_store(self, address, size):
        """Code that is not instrumented writes."""
        me = Access("external", self.clock, self.thread.functions[-1][1], self.thread.number)
        for b in range(address, address + size):
            self.writers[b] = me
            self.readers.pop(b, None)
        for w in self.observers:
            w.external(address, size)

    def load(self, site, address, size):
        self.access(site, address, size)
        for w in self.observers:
            w.load(site, address, size)
        get = self.writers.get
        self.depend("raw", site, {get(b) for b in range(address, address + size)})
        if self.kinds != "raw":
            self.read(site, address, size)

    def read(self, site, address, size):
        context, thread = self.thread.functions[-1][1], self.thread.number
        key = site if self.kinds == "readers" else "last"
        me = Access(site, self.clock, context, thread)
        mixed = None
        for b in range(address, address + size):
            readers = self.readers.setdefault(b, {})
            old = readers.get(key)
            if old is not None and (old.others or old.thread != thread):
                if mixed is None:
                    mixed = Access(site, self.clock, context, thread)
                    mixed.others = True
                readers[key] = mixed
            else:
                readers[key] = me

    def depend(self, kind, sink, found):
        """One execution of SINK depends on the accesses FOUND."""
        found.discard(None)
        if not found:
            return
        thread, met, pairs = self.thread, {}, set()
        to = thread.functions[-1][1]
        for a in found:
            contexts = (a.context, to) if self.kinds == "context" else ()
            pair = (kind, a.site, sink, contexts)
            if a.others:
                self.unordered.add(sink)
            if a.others or a.thread != thread.number:
                self.crossing.add(pair)
            pairs.add(pair)
            carrier = thread.root
            for active in reversed(self.stack):
                if active.entered < a.clock:
                    carrier = active
                    break
            if carrier.loop == 0:
                distance = False
            elif a.thread != thread.number:  # in no iteration of this thread
                carrier, distance = thread.root, True
            else:
                starts = carrier.starts
                distance = len(starts) - bisect_right(starts, a.clock)
            met.setdefault((kind, a.site, sink, carrier.loop, contexts), set()).add(
                (distance, carrier))
        for pair in pairs:
            self.pairs[pair] = self.pairs.get(pair, 0) + 1
        for key, places in met.items():
            row = self.rows.get(key)
            if row is None:
                row = self.rows[key] = Row()
            row.count += 1
            distances = {d for d, _ in places}
            if key[3] == 0:  # no loop has both
                row.no_loop += 1
                row.concurrent += any(distances)
            else:
                row.intra += not any(distances)
                row.carried += any(distances)
                row.lo = min(row.lo, *distances)
                row.hi = max(row.hi, *distances)
                for bucket in {min(d, CAP) for d in distances}:
                    row.hist[bucket] += 1
            for _, carrier in places:
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
