# advice_agrees.py - whether `memprof advise' says what the compiler then does.
# SPDX-License-Identifier: GPL-3.0-or-later
"""advice_agrees.py MEMPROF PROFILE REMARKS

REMARKS: the file of -fprofile-mem-remarks of a rebuild with PROFILE.  Fails, with the
places, where

  * the compiler takes what advise refuses, or refuses what it takes;
  * both decide, but with other numbers or reasons;
  * advise has a candidate, certain or left to the code, and the compiler says nothing
    about it: each decision has a remark;
  * the compiler takes something of which advise says nothing.

Decisions that advise leaves to the code ("needs-code") may end either way.  The compiler
does not look at loops with too few iterations, at calls of other code ("unknown"), nor at
types of system headers.  A load that it considers as the first one of each entry of a
loop ("entry") has the numbers of the entries.
"""
import json
import subprocess
import sys

# Numbers of a decision that do not depend on the code.
MEASURED = {"prefetch": ("executions", "span"), "versioning": ("iterations",), "streaming-stores": ("bytes",),
            "branch-counts": ("executions", "share"), "hot-functions": ("executions", "share", "iterations", "trip_count"),
            "huge-pages": ("objects", "span", "accesses", "misses", "pages"),
            "co-allocation": ("accesses", "l1_before", "l1_after"),
            "field-order": ("accesses", "misses", "lines_before", "lines_after")}


def place(where):
    """FILE:LINE of FILE:LINE[:COLUMN]; FILE without folders."""
    file_line = where.rsplit("/", 1)[-1].split(":")[:2]
    return ":".join(file_line) if file_line[-1] != "0" else "no line"


def unseen(key, row):
    """Refused, and nothing that the compiler looks at; of stores that tile memory together, the first has the remark."""
    if key[0] == "streaming-stores":
        return True
    if row["take"]:
        return False
    return key[1] == "unknown" or key[0] == "field-order" or (key[0] == "versioning" and row["reason"] == "few-executions")


def keys(row, remark):
    """What the decision is about, as both sides can say it."""
    kind = row["kind" if remark else "transformation"]
    where = place(f"{row['file']}:{row['line']}" if remark else row["where"])
    if kind == "versioning":
        line = row["loop_line"]
        return kind, where.split(":")[0], row["function"], line
    if kind == "field-order" and "executions" in row:  # a prefetch for a moved field
        return "prefetch", where, row["function"], row["expression"]
    name = row.get("function") if kind != "field-order" else row.get("type", row.get("expression"))
    return kind, where, name, row.get("expression", "access") or "access"


def main():
    memprof, profile, remarks = sys.argv[1:]
    out = subprocess.run([memprof, "advise", "--all", "--top", "0", "--json", profile],
                         check=True, capture_output=True, text=True).stdout
    advice = {}
    for row in json.loads(out)["advice"]:
        if row["transformation"] == "field-order":
            row["expression"] = row["type"]
        advice.setdefault(keys(row, False), []).append(row)
    compiled = {}
    with open(remarks, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row["kind"] == "match":  # how much of the profile was found
                continue
            compiled.setdefault(keys(row, True), []).append(row)
    faults, certain, left = [], 0, 0
    for key, rows in advice.items():
        for row in rows:
            answers = compiled.get(key, [])
            if not answers and unseen(key, row):
                continue
            if not answers:
                faults.append(f"{key}: no remark; advise: {row['text']}")
            elif row["reason"] == "needs-code":
                left += 1
            else:
                certain += 1
                same = [a for a in answers if a["taken"] == row["take"] and (a.get("entry") or all(
                    a.get(n) == row.get(n) for n in MEASURED[key[0]]))]
                if not same or any(a["taken"] != row["take"] for a in answers if len(rows) == 1):
                    faults.append(f"{key}: advise: {row['text']}; the compiler: "
                                  + " | ".join(a["text"] for a in answers))
    for key, rows in compiled.items():
        if key not in advice and any(r["taken"] for r in rows):
            faults.append(f"{key}: taken, and advise says nothing: {rows[0]['text']}")
    taken = sum(r["taken"] for rows in compiled.values() for r in rows)
    print(f"{certain} certain, {left} left to the code, {taken} taken, {len(faults)} faults")
    for fault in faults:
        print("  " + fault)
    return bool(faults) or certain + left == 0


if __name__ == "__main__":
    sys.exit(main())
