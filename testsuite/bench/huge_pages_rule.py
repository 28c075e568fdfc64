# SPDX-License-Identifier: GPL-3.0-or-later
"""huge_pages_rule.py PROFILE... - which objects the rule of Chen et al. gives huge pages, and ours.

The rule (ISPASS 2012, section 5): the hottest objects first, until the rest is below 5 % of the walks.
Printed for both of its readings, walks that read memory (walk_dram) and all walks, with what
`memprof advise' says of the same profile, which needs the modules default and pages:

    hashjoin walk_dram: 36#1 70.9 %, 36#2 22.2 %, 36#3 6.6 %     calloc at line 36, blocks 1, 2, 3
    hashjoin walks:     36#1 99.3 %                              block 1
    hashjoin advise:    36#1

Number 0 is all objects of less than 4 KB, and what advise takes as a whole.
"""
import json
import os
import re
import subprocess
import sys

REST = 0.05


def hottest(profile, figure):
    """Objects as (line of the allocation, number) with their share, as many as the rule takes."""
    lines = {g["id"]: g.get("line", 0) for g in profile["groups"]}
    sums = {}
    for row in profile.get("pages", []):
        key = lines.get(row.get("group"), 0), row.get("object", 0)
        sums[key] = sums.get(key, 0) + figure(row)
    left = total = sum(sums.values())
    taken = []
    for key, count in sorted(sums.items(), key=lambda item: -item[1]):
        if left < REST * total or count == 0:
            break
        left -= count
        taken.append(f"{key[0]}#{key[1]} {100 * count / total:.1f} %")
    return taken


def advised(memprof, path):
    """The same of what has an arena of its own."""
    text = subprocess.run([memprof, "advise", "--json", path], check=True, capture_output=True,
                          text=True).stdout
    taken = []
    for row in json.loads(text)["advice"]:
        if (row["transformation"] != "huge-pages" or not row["take"]
                or not row["text"].startswith("site arena")):
            continue
        line = re.search(r":(\d+)", row["where"])[1]
        blocks = re.search(r"only for number ([\d, ]+) of them", row["text"])
        for number in blocks[1].split(", ") if blocks else "0":
            taken.append(f"{line}#{number}")
    return taken


def main():
    memprof = os.environ.get("MEMPROF", "build/memprof")
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            profile = json.load(file)
        name = os.path.basename(path).split(".")[0]
        walk_dram = hottest(profile, lambda row: row.get("memory", {}).get("walk_dram", 0))
        walks = hottest(profile, lambda row: row.get("walks", 0))
        for what, taken in (("walk_dram", walk_dram), ("walks", walks),
                            ("advise", advised(memprof, path))):
            print(f"{name} {what}: {', '.join(taken) or 'nothing'}")


if __name__ == "__main__":
    main()
