# overhead_table.py - from what was measured to rows, text and comparison.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A row (one program, as in the JSON file):

    name, group, rounds, native_s
    slowdown    by variant: {"ratio", "low", "high", "cpu"}; ratio is of clock time
                with its 95 % interval, cpu of the program's own processor time
    facts       by variant: what its consumer said, peak memory
    builds      by build: bytes of text
    producer_ns, backend_ns   per access: processor time of the program under
                the discarding consumer over native; of the backend

For the discarding consumer the slowdown that counts is that of processor time;
for the others that of the clock.
"""
import math
import statistics

from paired import interval

# The backend may use so many times what the program touches, and 200 MB more.
MEMORY_FACTOR = {"affine": 1.2}
OTHER_FACTOR = 2.5

# Slowdowns of PROMPT by module, geomeans over programs of its own choice: as
# published (SPEC CPU 2017, 16 workers), and as we measured it on two processors.
# Its variants of dependences: counts of RAW 7.5, all kinds 10.2, these with distances
# 10.8, with contexts 13.1; ours have distances in all of them. Its points-to looks at
# pointers as they are made, like `pointers'.
PROMPT = {"dependence": (7.5, None), "dependence:all": (10.8, 19.2),
          "dependence:context": (13.1, None), "value": (None, 16.8),
          "lifetime": (None, 5.9), "pointers": (None, 26.1), "points_to": (None, None)}


def row_of(program, bench, measured, rounds):
    native = {"wall": measured.wall["native"], "cpu": measured.cpu["native"]}
    row = {"name": program.name, "group": program.group, "rounds": rounds,
           "native_s": statistics.median(native["wall"]), "slowdown": {},
           "facts": measured.facts, "builds": bench.builds}
    for name, times in measured.wall.items():
        ratios = [a / b for a, b in zip(times, native["wall"])]
        cpu = [a / max(b, 1e-4) for a, b in zip(measured.cpu[name], native["cpu"])]
        low, high = interval(ratios)
        row["slowdown"][name] = {"ratio": statistics.median(ratios), "low": low,
                                 "high": high, "cpu": statistics.median(cpu),
                                 "seconds": statistics.median(times)}
    for name, facts in measured.facts.items():
        if "slowdown" in facts:
            row["slowdown"][name] = {"ratio": facts["slowdown"], "cpu": facts["slowdown"]}
    full = measured.facts.get("full", {})
    accesses = full.get("accesses", 0)
    if "discard" in measured.cpu and accesses:
        extra = statistics.median(a - b for a, b in
                                  zip(measured.cpu["discard"], native["cpu"]))
        row["producer_ns"] = extra * 1e9 / accesses
    if full:
        if accesses:
            row["backend_ns"] = full["backend_s"] * 1e9 / accesses
        factor = MEMORY_FACTOR.get(program.group, OTHER_FACTOR)
        row["limit_mb"] = factor * measured.facts["native"]["peak_mb"] + 200
    return row


def counts(name, entry):
    return entry["cpu"] if name == "discard" else entry["ratio"]


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def geomeans(rows, variants):
    """By group and for all: {group: {variant: geomean}}."""
    result = {}
    groups = list(dict.fromkeys(r["group"] for r in rows if r["group"] != "edge"))
    for group in [*groups, "all"]:
        chosen = [r for r in rows if r["group"] == group or
                  (group == "all" and r["group"] != "edge")]
        result[group] = {
            v: geomean(counts(v, r["slowdown"][v]) for r in chosen if v in r["slowdown"])
            for v in variants if any(v in r["slowdown"] for r in chosen)}
    return result


def cell(value, form="%.2f", width=8):
    return ("-" if value is None or value != value else form % value).rjust(width)


def slowdown_line(row, variants):
    cells = [cell(row["native_s"], "%.3f")]
    for v in variants:
        entry = row["slowdown"].get(v)
        cells.append(cell(counts(v, entry) if entry else None, width=max(8, len(v) + 2)))
    return row["name"].ljust(10) + "".join(cells)


def print_rows(rows, variants):
    variants = [v for v in variants if v != "native"]
    if not rows:
        return
    print("Slowdowns (discard: processor time of the program; the rest: by the clock)")
    print("program   " + "native s" + "".join(v.rjust(max(8, len(v) + 2)) for v in variants))
    for row in rows:
        print(slowdown_line(row, variants))
    for group, means in geomeans(rows, variants).items():
        print(f"= {group}".ljust(18) +
              "".join(cell(means.get(v), width=max(8, len(v) + 2)) for v in variants))
    for number, what in enumerate(("PROMPT, published", "PROMPT, 2 cores")):
        if any(v in PROMPT for v in variants):
            print(what.ljust(18) + "".join(
                cell(PROMPT.get(v, (None, None))[number], width=max(8, len(v) + 2))
                for v in variants))
    print_costs([r for r in rows if "full" in r["facts"]])


def print_costs(rows):
    if not rows:
        return
    print("\nCosts of full profiling")
    print("program    accesses   records    stream  producer   backend   program   backend"
          "     limit   profile    text")
    print("                  M         M        MB ns/access ns/access        MB        MB"
          "        MB        kB   times")
    for row in rows:
        full, discard = row["facts"]["full"], row["facts"].get("discard", {})
        builds = row["builds"]
        over = " OVER" if full["backend_mb"] > row["limit_mb"] else ""
        over += "" if full["complete"] else " NOT COMPLETE"
        print(row["name"].ljust(10) + cell(full["accesses"] / 1e6, "%.1f", 9) +
              cell(discard.get("records", math.nan) / 1e6, "%.2f", 10) +
              cell(discard.get("bytes", math.nan) / 1e6, "%.0f", 10) +
              cell(row.get("producer_ns"), "%.2f", 10) + cell(row.get("backend_ns"), "%.2f", 10) +
              cell(row["facts"]["native"]["peak_mb"], "%.0f", 10) +
              cell(full["backend_mb"], "%.0f", 10) + cell(row["limit_mb"], "%.0f", 10) +
              cell(full["profile_bytes"] / 1e3, "%.0f", 10) +
              cell(builds["generate"]["text"] / max(builds["plain"]["text"], 1)) + over)


def print_comparison(rows, stored, variants):
    """Now against a stored run: where the intervals are apart it says so."""
    before = {r["name"]: r for r in stored["programs"]}
    print("\nBefore -> now (`!': the intervals are apart)")
    both = [r for r in rows if r["name"] in before]
    for row in both:
        line = row["name"].ljust(10)
        for v in variants:
            now, old = row["slowdown"].get(v), before[row["name"]]["slowdown"].get(v)
            if v == "native" or not now or not old:
                continue
            apart = ("low" in now and "low" in old and
                     (now["low"] > old["high"] or now["high"] < old["low"]))
            line += "  %s %.2f -> %.2f%s" % (v, counts(v, old), counts(v, now),
                                              "!" if apart else "")
        print(line)
    now, old = geomeans(both, variants), geomeans([before[r["name"]] for r in both], variants)
    if both:
        print("= all     " + "".join(f"  {v} {old['all'][v]:.2f} -> {now['all'][v]:.2f}"
                                     for v in variants if v in now["all"] and
                                     v in old["all"] and v != "native"))
