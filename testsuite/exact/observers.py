# observers.py - oracles of the modules that look at objects and at memory.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# analysis.py reports to each what happens, one access at a time, and works byte by
# byte; by the definitions of doc/, not as the backend does it:
#
#   Lifetimes   objects per group, innermost loop in one iteration of which they were
#               born and died, and innermost call; `always': all objects of the group
#   DeadStores  executions of stores whose bytes are all overwritten or freed
#               before any of them was read
#   Sharing     for each thread and line a copy; accesses with a copy in which
#               another thread has written since (same bytes, or others)
#   Privatisation   what the iterations of a loop read and write: see there
#   Pointers    what a pointer points to that is loaded, stored, passed or returned
#   Fields      how often a field is accessed, and with which others in one place:
#               an innermost loop, or what stands in no loop of the function

from bisect import bisect_right


class Observer:
    def birth(self, o): pass
    def death(self, o): pass
    def forget(self, base, size): pass
    def local(self, base, size): pass
    def store(self, site, address, size): pass
    def load(self, site, address, size): pass
    def external(self, address, size): pass
    def end_thread(self, number): pass
    def pointer(self, place, value): pass


def iterations(analysis):
    """Where the thread is: each active loop, and in its how many-th iteration."""
    return [(active, len(active.starts)) for active in analysis.thread.stack]


def common(before, now):
    """The places in which both were: the first ones."""
    n = 0
    while n < min(len(before), len(now)) and before[n] == now[n]:
        n += 1
    return now[:n]


class Lifetimes(Observer):
    def __init__(self, analysis):
        self.a = analysis
        self.alive = {}    # object -> (time, thread, loops, calls)
        self.rows = {}     # (group, loop, function) -> [objects, total, min, max, alive]
        self.chains = {}   # group -> loops of each object, outermost first

    def birth(self, o):
        self.alive[o] = (self.a.time, self.a.thread.number, iterations(self.a),
                         list(self.a.thread.calls))

    def death(self, o):
        born, thread, loops, calls = self.alive.pop(o)
        local, function = [], 0
        if thread == self.a.thread.number:
            local = [active.loop for active, _ in common(loops, iterations(self.a))]
            here = common(calls, self.a.thread.calls)
            function = here[-1][1] if here else 0
        self.chains.setdefault(o.group, []).append(local)
        row = self.row(o.group, local[-1] if local else 0, function)
        life = self.a.time - born
        row[2] = life if not row[0] else min(row[2], life)
        row[3] = max(row[3], life)
        row[0] += 1
        row[1] += life

    def row(self, *key):
        return self.rows.setdefault(key, [0, 0, 0, 0, 0])

    def finish(self):
        """{(group, loop, function): {field: value}}"""
        for o in self.alive:
            self.row(o.group, 0, 0)[4] += 1
            self.chains.setdefault(o.group, []).append([])
        always = set()
        for group, chains in self.chains.items():
            shared = chains[0]
            for c in chains[1:]:
                shared = common(shared, c)
            if shared:
                always.add((group, shared[-1]))
                if not any(key[:2] == (group, shared[-1]) for key in self.rows):
                    self.row(group, shared[-1], 0)
        return {key: {"objects": r[0], "total": r[1], "min": r[2], "max": r[3],
                      "alive": r[4], "always": key[:2] in always}
                for key, r in self.rows.items()}


class Privatisation(Observer):
    """By loop and group: loads and stores in the loop; exposed: loads of a byte that
    the iteration has neither written nor brought to life; rewritten: stores to a byte
    that an earlier iteration of this invocation was the last to write; live_out:
    loads of what the loop wrote in an invocation that is over."""
    FIELDS = ("loads", "stores", "exposed", "rewritten", "live_out")

    def __init__(self, analysis):
        self.a = analysis
        self.written = {}  # byte -> (thread, places, loops)
        self.born = {}     # byte -> (thread, places)
        self.rows = {}

    def count(self, loop, address, field):
        o = self.a.find(address)
        if o is not None:
            row = self.rows.setdefault((loop, o.group), dict.fromkeys(self.FIELDS, 0))
            row[field] += 1

    def active(self):
        """Innermost first, recursive loops once."""
        loops = {}
        for place in reversed(iterations(self.a)):
            loops.setdefault(place[0].loop, place)
        return loops

    def load(self, site, address, size):
        if not size:
            return
        me, over = self.a.thread.number, set()
        here = iterations(self.a)
        running = {p[0] for p in here}
        exposed = set()
        active = self.active()
        for b in range(address, address + size):
            thread, places, loops = self.written.get(b) or (*self.born.get(b, (me, ())), ())
            mine = places if thread == me else ()
            exposed |= {loop for loop, place in active.items() if place not in mine}
            still = {p[0].loop for p in places if p[0] in running} if thread == me else set()
            over |= set(loops) - still
        for loop in active:
            self.count(loop, address, "loads")
        for loop in exposed:
            self.count(loop, address, "exposed")
        for loop in over:
            self.count(loop, address, "live_out")

    def store(self, site, address, size):
        if not size:
            return
        me, again = self.a.thread.number, set()
        here = iterations(self.a)
        iteration = dict(here)
        for b in range(address, address + size):
            thread, places, _ = self.written.get(b) or (None, (), ())
            if thread == me:
                shared = [p for p in places if p[0] in iteration]
                if shared and iteration[shared[-1][0]] != shared[-1][1]:
                    again.add(shared[-1][0].loop)
        me = (me, here, [p[0].loop for p in here])
        for b in range(address, address + size):
            self.written[b] = me
        for loop in self.active():
            self.count(loop, address, "stores")
        for loop in again:
            self.count(loop, address, "rewritten")

    def external(self, address, size):
        for b in range(address, address + size):
            self.written[b] = (self.a.thread.number, iterations(self.a), [])

    def forget(self, base, size):
        for b in range(base, base + size):
            self.written.pop(b, None)
            self.born.pop(b, None)

    def local(self, base, size):
        me = (self.a.thread.number, iterations(self.a))
        for b in range(base, base + size):
            self.born[b] = me

    def birth(self, o):
        self.local(o.base, o.end - o.base)


class DeadStores(Observer):
    def __init__(self, _):
        self.owner = {}  # byte -> [site, bytes left, read]
        self.dead = {}   # site -> executions
        self.places = {}  # site -> bytes that it has accessed

    def give_up(self, base, size):
        for b in range(base, base + size):
            w = self.owner.pop(b, None)
            if w:
                w[1] -= 1
                if not w[1] and not w[2]:
                    self.dead[w[0]] = self.dead.get(w[0], 0) + 1

    forget = external = give_up

    def load(self, site, address, size):
        self.places.setdefault(site, set()).update(range(address, address + size))
        for b in range(address, address + size):
            if b in self.owner:
                self.owner[b][2] = True

    def store(self, site, address, size):
        self.give_up(address, size)
        w = [site, size, False]
        self.places.setdefault(site, set()).update(range(address, address + size))
        for b in range(address, address + size):
            self.owner[b] = w


class Sharing(Observer):
    LINE = 64

    def __init__(self, analysis):
        self.a = analysis
        self.wrote = {}    # line -> [(thread, site, bytes)], oldest first
        self.looked = {}   # (line, thread) -> writes that it has seen
        self.several = False
        self.rows = {}     # (site, store) -> [same bytes, other bytes]

    def lines(self, address, size):
        b = address
        while b < address + size:
            end = min(address + size, (b // self.LINE + 1) * self.LINE)
            yield b // self.LINE, set(range(b, end))
            b = end

    def access(self, site, address, size, store):
        me = self.a.thread.number
        self.several |= me != 0
        if not self.several:
            return
        for line, touched in self.lines(address, size):
            wrote = self.wrote.setdefault(line, [])
            stale, writer, mine = set(), None, set()
            for i, (thread, source, written) in enumerate(wrote):
                if thread == me:
                    stale -= written
                elif i >= self.looked.get((line, me), 0):
                    stale |= written
            for thread, source, written in wrote:
                writer = (thread, source)
            if stale:
                row = self.rows.setdefault((site, writer[1]), [0, 0])
                row[0 if stale & touched else 1] += 1
            if store:
                wrote.append((me, site, touched))
            self.looked[line, me] = len(wrote)

    def load(self, site, address, size):
        self.access(site, address, size, False)

    def store(self, site, address, size):
        self.access(site, address, size, True)

    def forget(self, base, size):
        for line, gone in self.lines(base, size):
            self.wrote[line] = [(t, s, w - gone) for t, s, w in self.wrote.get(line, [])]


class Pointers(Observer):
    """By place, calling context and target: [executions, those one past the end]."""
    MOST = 64

    def __init__(self, analysis):
        self.a = analysis
        self.born = {}     # object -> context of its birth
        self.targets = {}  # (place, context) -> {target: [count, ends]}

    def birth(self, o):
        self.born[o] = self.a.thread.functions[-1][1]

    def near(self, value):
        """Objects that may hold the address or end there."""
        a = self.a
        i = bisect_right(a.bases, value)
        yield from (a.objects[b] for b in a.bases[max(i - 2, 0):i])
        yield from (t.memory for t in a.threads.values())
        i = bisect_right(a.fixed, value, key=lambda f: f[0])
        yield from (o for _, o in a.fixed[max(i - 2, 0):i])

    def pointer(self, place, value):
        if 0 < value < 4096:
            return
        targets = self.targets.setdefault((place, self.a.thread.functions[-1][1]), {})
        found = []
        for o in self.near(value) if value else ():
            name = ("object", o.group, self.born.get(o, ()))
            if o.base <= value < o.end:
                found.append((name, 0))
            elif o.base < value == o.end:
                found.append((name, 1))
        if not found:
            found.append((("unknown" if value else "null", None, ()), 0))
        for name, end in found:
            row = targets.setdefault(name, [0, 0])
            row[0] += 1
            row[1] += end
        targets[None] = targets.get(None, 0) + 1  # all

    def finish(self):
        """{(place, context, target): [count, ends]}"""
        rows = {}
        for (place, context), targets in self.targets.items():
            every = targets.pop(None)
            if len(targets) > self.MOST:
                targets = {("many", None, ()): [every, 0]}
            for name, row in targets.items():
                rows[place, context, name] = row
        return rows


def fields(functions, executions):
    """{(type, field): {...}} of FUNCTIONS, rows of the profile, whose sites and
    loops say what is accessed where; EXECUTIONS of a site by its id."""
    uses = {}
    for f in functions:
        places = {}
        for s in f.get("sites", []):
            if not s.get("type") or not s.get("field"):
                continue
            name = s["field"].split(".")[0]
            u = uses.setdefault((s["type"], name),
                                {"loads": 0, "stores": 0, "visits": 0, "together": {}})
            n = executions(s["id"])
            u["loads" if s["kind"] == "load" else "stores"] += n
            here = places.setdefault((s.get("loop"), s["type"]), {})
            here[name] = max(here.get(name, 0), n)
        for (_, record), here in places.items():
            for name, n in here.items():
                u = uses[record, name]
                u["visits"] += n
                for other, m in here.items():
                    if other > name:
                        u["together"][other] = u["together"].get(other, 0) + min(n, m)
    return uses
