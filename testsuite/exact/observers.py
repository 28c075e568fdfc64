# observers.py - oracles of the modules that look at objects and at memory.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Each is told by analysis.py what happens, one access at a time, and works byte by
# byte; by the definitions of doc/, not as the backend does it:
#
#   Lifetimes   objects per group and innermost loop in one iteration of which
#               they were born and died; `always': all objects of the group
#   DeadStores  executions of stores whose bytes are all overwritten or freed
#               before any of them was read
#   Sharing     for each thread and line a copy; accesses with a copy in which
#               another thread has written since (same bytes, or others)
#   Fields      how often a field is accessed, and with which others in one place:
#               an innermost loop, or what stands in no loop of the function


class Observer:
    def birth(self, o): pass
    def death(self, o): pass
    def forget(self, base, size): pass
    def store(self, site, address, size): pass
    def load(self, site, address, size): pass
    def external(self, address, size): pass
    def end_thread(self, number): pass


class Lifetimes(Observer):
    def __init__(self, analysis):
        self.a = analysis
        self.alive = {}    # object -> (time, thread, [(loop, iteration)])
        self.rows = {}     # (group, loop) -> [objects, total, min, max, alive]
        self.chains = {}   # group -> loops of each object, outermost first

    def iterations(self):
        t = self.a.thread
        # The same iteration: of the same invocation, with as many starts.
        return [(active, len(active.starts)) for active in t.stack]

    def birth(self, o):
        self.alive[o] = (self.a.time, self.a.thread.number, self.iterations())

    def death(self, o):
        born, thread, then = self.alive.pop(o)
        local = []
        if thread == self.a.thread.number:
            for before, now in zip(then, self.iterations()):
                if before != now:
                    break
                if before[1]:
                    local.append(before[0].loop)
        self.chains.setdefault(o.group, []).append(local)
        row = self.row(o.group, local[-1] if local else 0)
        life = self.a.time - born
        row[2] = life if not row[0] else min(row[2], life)
        row[3] = max(row[3], life)
        row[0] += 1
        row[1] += life

    def row(self, group, loop):
        return self.rows.setdefault((group, loop), [0, 0, 0, 0, 0])

    def finish(self):
        """{(group, loop): {field: value}}"""
        for o in self.alive:
            self.row(o.group, 0)[4] += 1
            self.chains.setdefault(o.group, []).append([])
        always = set()
        for group, chains in self.chains.items():
            common = chains[0]
            for c in chains[1:]:
                n = 0
                while n < min(len(common), len(c)) and common[n] == c[n]:
                    n += 1
                common = common[:n]
            if common:
                always.add((group, common[-1]))
                self.row(group, common[-1])
        return {key: {"objects": r[0], "total": r[1], "min": r[2], "max": r[3],
                      "alive": r[4], "always": key in always}
                for key, r in self.rows.items()}


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
        self.ended = set()
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
            if stale and writer[0] not in self.ended:
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

    def end_thread(self, number):
        self.ended.add(number)


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
