# enlarge_profile.py - a profile with N copies of the modules of another one, under other names.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   python3 enlarge_profile.py PROFILE NEW N
import copy
import json
import sys


def first_free(rows):
    return 1 + max((row["id"] for row in rows), default=-1)


def main():
    path, new, copies = sys.argv[1], sys.argv[2], int(sys.argv[3])
    p = json.load(open(path))
    p.pop("index", None)
    functions = [f for m in p["modules"] for f in m["functions"]]
    step = {"site": first_free([s for f in functions for s in f.get("sites", [])]),
            "loop": first_free([l for f in functions for l in f.get("loops", [])]),
            "group": first_free(p["groups"])}
    step["source"] = step["sink"] = step["at"] = step["site"]

    def move(row, k, own=None):
        row = copy.deepcopy(row)
        for key in step:
            if isinstance(row.get(key), int):
                row[key] += k * step[key]
        if own:
            row["id"] += k * step[own]
        if "parent" in row:
            row["parent"] += k * step["loop"]
        if "groups" in row:
            row["groups"] = [[g + k * step["group"], n] for g, n in row["groups"]]
        return row

    def module(row, k):
        functions = [dict(f, loops=[move(l, k, "loop") for l in f.get("loops", [])],
                          sites=[move(s, k, "site") for s in f.get("sites", [])])
                     for f in row["functions"]]
        return dict(row, file=f"{row['file']}.{k}" if k else row["file"], functions=functions)

    whole = ("types", "fields")  # keyed by names, which the copies share
    out = dict(p)
    for key, rows in p.items():
        if not isinstance(rows, list) or key in whole:
            continue
        if key == "modules":
            out[key] = [module(m, k) for k in range(copies) for m in rows]
        elif key == "groups":
            out[key] = [dict(move(g, k, "group"), file=f"{g.get('file', '')}.{k}" if k else g.get("file", ""))
                        for k in range(copies) for g in rows]
        else:
            out[key] = [move(r, k) for k in range(copies) for r in rows]
    for key in ("accesses", "loads", "stores"):
        out["run"][key] *= copies
    json.dump(out, open(new, "w"), separators=(",", ":"))


main()
