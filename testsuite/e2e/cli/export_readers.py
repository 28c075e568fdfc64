# export_readers.py - reads p.FORMAT in this folder by the definition of each format, and
# compares the sums with the profile that they were made from.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   python3 export_readers.py PROFILE
import csv
import json
import sys


def fields(data):
    """The fields of a protocol buffer message: number -> values."""
    found, at = {}, 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        else:
            assert key & 7 == 2, "only numbers and bytes are expected"
            length = varint()
            value = data[at:at + length]
            assert len(value) == length
            at += length
        found.setdefault(key >> 3, []).append(value)
    return found


def pprof(path):
    """(loads, stores), (function, line): sums, from a profile.proto."""
    profile = fields(open(path, "rb").read())
    strings = [s.decode() for s in profile[6]]
    assert strings[0] == ""
    functions = {f[1][0]: strings[f[2][0]] for f in map(fields, profile[5])}
    places = {}
    for row in map(fields, profile[4]):
        line = fields(row[4][0])
        places[row[1][0]] = functions[line[1][0]], line[2][0]
    names = [strings[fields(t)[1][0]] for t in profile[1]]
    assert names == ["loads", "stores", "l1", "l2", "llc", "tlb"], names
    sums = {}
    for row in map(fields, profile[2]):
        assert len(row[2]) == len(names)
        old = sums.get(places[row[1][0]], (0, 0))
        sums[places[row[1][0]]] = old[0] + row[2][0], old[1] + row[2][1]
    return sums


def main():
    profile = json.load(open(sys.argv[1]))
    wanted, total = {}, {"load": 0, "store": 0}
    for module in profile["modules"]:
        for function in module["functions"]:
            for site in function["sites"]:
                old = wanted.get((function["name"], site["line"]), (0, 0))
                n, load = site["executions"], site["kind"] == "load"
                wanted[function["name"], site["line"]] = old[0] + n * load, old[1] + n * (not load)
                total[site["kind"]] += n
    misses = sum(row.get("l2", 0) for row in profile["cache"])
    assert wanted and total["load"] and misses
    assert pprof("p.pprof") == wanted, (pprof("p.pprof"), wanted)

    rows = list(csv.DictReader(open("p.csv", newline="")))
    for kind in total:
        assert sum(int(r["executions"]) for r in rows if r["kind"] == kind) == total[kind]
    assert sum(int(r["l2"]) for r in rows) == misses

    folded = [line.rstrip("\n").rsplit(" ", 1) for line in open("p.folded")]
    assert sum(int(n) for _, n in folded) == total["load"] + total["store"]

    # As speedscope's importer: frames exist, weights belong to samples and add up.
    speedscope = json.load(open("p.speedscope"))
    assert speedscope["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = speedscope["shared"]["frames"]
    for p in speedscope["profiles"]:
        assert p["type"] == "sampled" and len(p["samples"]) == len(p["weights"]) > 0
        assert all(0 <= f < len(frames) for s in p["samples"] for f in s)
        assert sum(p["weights"]) == p["endValue"] - p["startValue"]
    assert speedscope["profiles"][0]["endValue"] == total["load"]
    assert speedscope["profiles"][1]["endValue"] == total["store"]


main()
