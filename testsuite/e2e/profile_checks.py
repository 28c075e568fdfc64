#!/usr/bin/env python3
# profile_checks.py PROFILE SNIPPET - runs the checks of expect_json.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The snippet is Python.  `p' is the whole document; functions to find rows:
#
#   function("name")            its row (source or linkage name)
#   sites(line=7, kind="load", function="main", field="next", width=4)
#   site(...)                   the only one of these; anything else fails
#   loop(line=6)                the only loop that begins there
#   dep(source, sink)           the dependence row of two sites; `loop=' when
#   deps(source, sink)          there are several; all of them
#   stride(site), points_to(site)   points_to: list of (group row, count)
#   group(function="main", line=3, kind="heap", name="table")
#
# and to check: equal(actual, expected), check(condition, "what").
# The number of checks made goes to stdout; none at all is an error.
import json
import sys

checks = 0


class Failed(Exception):
    pass


def check(condition, what="condition"):
    global checks
    checks += 1
    if not condition:
        raise Failed(f"not true: {what}")


def equal(actual, expected, what="value"):
    global checks
    checks += 1
    if actual != expected:
        raise Failed(f"{what} is {actual!r}, expected {expected!r}")


# What a field that is left out of the file represents.
ABSENT = dict.fromkeys(
    ("line", "column", "width", "invocations", "iterations", "never_executed",
     "objects", "bytes", "span", "accesses", "iters", "intra", "carried", "no_loop",
     "concurrent", "min",
     "max", "dominant", "share", "other", "repeats"), 0)
ABSENT.update(dict.fromkeys(
    ("file", "type", "field", "expression", "inlined_at", "function",
     "allocator", "context"), ""))
ABSENT.update(loop=None, parent=None, sites=[], loops=[])


class Row(dict):
    def __missing__(self, key):
        if key == "linkage_name":
            return self["name"]
        return ABSENT[key]


def load(path):
    global p
    with open(path, encoding="utf-8") as f:
        p = json.load(f, object_hook=Row)


def number(value):
    """Integers above 2^53 are hex strings."""
    return int(value, 16) if isinstance(value, str) else value


def all_functions():
    for m in p["modules"]:
        for f in m["functions"]:
            yield m, f


def only(rows, what):
    if len(rows) != 1:
        raise Failed(f"{len(rows)} rows instead of one: {what}: {rows}")
    return rows[0]


def function(name, module=None):
    return only([f for m, f in all_functions()
                 if name in (f["name"], f["linkage_name"])
                 and module in (None, m["file"])], f"function {name}")


def sites(function=None, module=None, **want):
    rows = []
    for m, f in all_functions():
        if function not in (None, f["name"], f["linkage_name"]):
            continue
        if module not in (None, m["file"]):
            continue
        for s in f["sites"]:
            if all(s[k] == v for k, v in want.items()):
                rows.append(s)
    return rows


def site(**want):
    return only(sites(**want), f"site {want}")


def loop(function=None, **want):
    return only([l for m, f in all_functions()
                 if function in (None, f["name"], f["linkage_name"])
                 for l in f["loops"]
                 if all(l[k] == v for k, v in want.items())],
                f"loop {want}")


def row_id(row):
    return row["id"] if isinstance(row, dict) else row


def deps(source=None, sink=None, **want):
    rows = p["dependences"]
    if source is not None:
        rows = [r for r in rows if r["source"] == row_id(source)]
    if sink is not None:
        rows = [r for r in rows if r["sink"] == row_id(sink)]
    return [r for r in rows if all(r[k] == v for k, v in want.items())]


def dep(source, sink, **want):
    return only(deps(source, sink, **want), "dependence")


def stride(of):
    return only([r for r in p["strides"] if r["site"] == row_id(of)], "stride")


def groups(name=None, **want):
    if name is not None:
        want["function"] = name
    return [g for g in p["groups"]
            if all(g[k] == v for k, v in want.items())]


def group(name=None, **want):
    return only(groups(name, **want), f"group {name} {want}")


def points_to(of):
    by_id = {g["id"]: g for g in p["groups"]}
    rows = [r for r in p["points_to"] if r["site"] == row_id(of)]
    if not rows:
        return []
    return [(by_id[g], n) for g, n in only(rows, "points_to")["groups"]]


def main():
    load(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as f:
        text = f.read()
    try:
        exec(compile(text, "snippet", "exec"), globals())
    except Exception as e:  # a KeyError is a failed check as well
        line = "?"
        tb = e.__traceback__
        while tb:
            if tb.tb_frame.f_code.co_filename == "snippet":
                line = text.splitlines()[tb.tb_lineno - 1].strip()
            tb = tb.tb_next
        print(f"{sys.argv[1]}: {line}: {type(e).__name__}: {e}",
              file=sys.stderr)
        return 1
    if checks == 0:
        print("the snippet checks nothing", file=sys.stderr)
        return 1
    print(checks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
