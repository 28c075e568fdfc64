# module_tables.py - comparing the tables of modules that are not in the default set,
# and of fields.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A part of analyse.py's Comparison, which pairs sites, loops and groups.
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import observers  # noqa: E402
import values  # noqa: E402


class ModuleTables:
    def lifetimes(self, several):
        groups = {g["id"]: self.group_key(g) for g in self.p["groups"]}
        theirs = {(groups[r["group"]], r.get("loop"), r.get("function")): r
                  for r in self.p["lifetimes"]}
        mine = {}
        for (group, loop, function), row in self.a.observers[0].finish().items():
            key = (group, self.loop_of.get(loop, f"?{loop}"), self.static.names.get(function))
            if key in mine:  # clones have one name
                old = mine[key]
                for f in "objects", "total", "alive":
                    row[f] += old[f]
                row["min"] = min(row["min"], old["min"])
                row["max"] = max(row["max"], old["max"])
                row["always"] |= old["always"]
            mine[key] = row
        for key in sorted(set(mine) | set(theirs), key=str):
            if key[0] in several or key[0] == ("heap", 0):  # libc's own
                continue
            r, want = theirs.get(key), mine.get(key)
            if r is None or want is None:
                self.differ(f"lifetime {key}", r, want)
                continue
            for field, value in want.items():
                if field in ("total", "min", "max") and not self.ordered:
                    continue
                self.same(f"lifetime {key} {field}", r.get(field, type(value)()), value)

    def dead_stores(self):
        racing = set()  # what atomic accesses read, at times that are not known
        if not self.ordered:
            atomic = set().union(*(self.a.observers[1].places.get(i, set())
                                   for i, s in self.static.sites.items() if s.atomic))
            racing = {self.site_of.get(i) for i, s in self.static.sites.items()
                      if atomic & self.a.observers[1].places.get(i, set())}
        theirs = {r["site"]: r["dead"] for r in self.p["dead_stores"]}
        mine = {self.site_of.get(s, f"?{s}"): n for s, n in self.a.observers[1].dead.items()}
        for site in sorted(set(mine) | set(theirs), key=str):
            if site not in racing:
                self.same(f"dead store {self.name(site)}", theirs.get(site, 0),
                          mine.get(site, 0))

    def privatisation(self, several):
        """Without what atomic accesses touch: the last writer there is not known."""
        groups = {g["id"]: self.group_key(g) for g in self.p["groups"]}
        left_out = set(several) | {group for site, group in self.a.points_to
                                   if self.static.sites[site].atomic and not self.ordered}
        theirs = {}
        for r in self.p["privatisation"]:
            row = theirs.setdefault((r["loop"], groups[r["group"]]),
                                    dict.fromkeys(observers.Privatisation.FIELDS, 0))
            for field in row:
                row[field] += r.get(field, 0)
        mine = {(self.loop_of.get(loop, f"?{loop}"), group): row
                for (loop, group), row in self.a.observers[3].rows.items() if row["stores"]}
        for key in sorted(set(mine) | set(theirs), key=str):
            if key[1] not in left_out:
                self.same(f"privatisation {key}", theirs.get(key), mine.get(key))

    def pointers(self):
        groups = {g["id"]: self.group_key(g) for g in self.p["groups"]}
        theirs, mine = {}, {}
        for r in self.p["pointers"]:
            place = r.get("site", (r.get("function"), r.get("argument", 0)))
            row = theirs.setdefault((place, r.get("context", ""), r["target"],
                                     groups.get(r.get("group")), r.get("allocated", "")), [0, 0])
            row[0] += r["count"]
            row[1] += r.get("ends", 0)
        for (place, context, (target, group, born)), counts in \
                self.a.observers[0].finish().items():
            function, argument = self.static.places.get(place, (None, 0))
            place = (self.static.names[function], argument) if function \
                else self.site_of.get(place, f"?{place}")
            row = mine.setdefault((place, self.text(context), target, group, self.text(born)),
                                  [0, 0])
            row[0] += counts[0]
            row[1] += counts[1]
        for key in sorted(set(mine) | set(theirs), key=str):
            self.same(f"pointer {self.name(key[0])} {key}", theirs.get(key), mine.get(key))

    def text(self, context):
        return " < ".join(self.static.names[f] for f in reversed(context))

    def sharing(self):
        if not self.ordered:
            return
        theirs = {(r["site"], r["source"]): [r.get("same_bytes", 0), r.get("other_bytes", 0)]
                  for r in self.p["sharing"]}
        mine = {(self.site_of.get(s, f"?{s}"), self.site_of.get(w, f"?{w}")): n
                for (s, w), n in self.a.observers[2].rows.items()}
        for key in sorted(set(mine) | set(theirs), key=str):
            self.same(f"sharing {self.name(key[0])} by {self.name(key[1])}",
                      theirs.get(key), mine.get(key))

    def fields(self):
        oracle = {ident: o for o, ident in self.site_of.items()}
        mine = observers.fields([f for m in self.p["modules"] for f in m["functions"]],
                                lambda ident: self.executions(oracle.get(ident)))
        theirs = {(r["type"], r["field"]): r for r in self.p["fields"]}
        for key in sorted(set(mine) | set(theirs)):
            r, want = theirs.get(key), mine.get(key)
            if r is None or want is None:
                self.differ(f"field {key}", r, want)
                continue
            for name in "loads", "stores", "visits":
                self.same(f"field {key} {name}", r.get(name, 0), want[name])
            self.same(f"field {key} together",
                      {t["field"]: t["count"] for t in r.get("together", [])},
                      want["together"])

    def values(self, log):
        """Tables of value:all and silent_store."""
        rows = {r["site"]: r for r in self.p["values"]}
        valued = {o: i for o, i in self.site_of.items() if i in rows}
        stores = {i: s.kind == "store" for i, s in self.static.sites.items()}
        moved, silent = values.replay(log, stores, valued)
        if not valued and self.p["run"]["loads"] > 100:
            self.differ("values", "none", "some")
        for oracle in set(valued) - set(moved):
            unknown = valued.pop(oracle)
            self.p["silent_stores"] = [r for r in self.p["silent_stores"]
                                       if r["site"] != unknown]
        for oracle, ident in valued.items():
            actual = rows[ident]
            want = values.row(moved[oracle], 8 * self.static.sites[oracle].width) \
                if moved[oracle] else {"executions": 0}
            for key, value in want.items():
                have = actual.get(key, type(value)())
                have = [[values.number(v), n] for v, n in have] if key == "values" \
                    else values.number(have)
                self.same(f"value {self.name(ident)} {key}", have, value)
        theirs = {r["site"]: r["silent"] for r in self.p["silent_stores"]}
        for oracle, ident in valued.items():
            self.same(f"silent store {self.name(ident)}", theirs.pop(ident, 0),
                      silent.get(oracle, 0))
        for ident, n in theirs.items():
            self.differ(f"silent store {self.name(ident)}", n, "no value")
