#!/usr/bin/env python3
# pages_validation.py - the validation of Chen et al., ISPASS 2012, with the module pages.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   testsuite/bench/pages_validation.py MEMPROF [LINES]
#   testsuite/bench/pages_validation.py --counters [LINES]
#
# Runs programs/fivearrays.c, compiled by MEMPROF_CC or gcc, and prints, as table 2 of the paper does, the lines of each array that
# were read and written back, their rate, and how far it is from what the program does. Against
# the module's own model this is a test of the code only: the error is 0 by construction. A rate of 4:2.94
# where 4:3 is right is an error of 2.04 %, as the paper counts. Exit status 1 if
# a row is more than 2 % off.
#
# --counters asks the processor instead of the model: the lines that all arrays together read, as the
# difference between runs with LINES and with twice as many, and their error. It needs perf and a
# processor that counts misses of the last level; where there is none, it says so, and the exit status is 77.
import json
import os
import shlex
import subprocess
import sys
import tempfile

COMPILER = shlex.split(os.environ.get("MEMPROF_CC", "gcc"))
SOURCE = os.path.dirname(os.path.abspath(__file__))


def error(reads, writes, ideal):
    """By how much the rate 4:WRITES of so many READS, to two places, misses 4:IDEAL."""
    rate = round(4 * writes / reads, 2)
    if rate == 0:
        return 0.0 if ideal == 0 else float("inf")
    return abs(ideal / rate - 1)


def rows(memprof, lines):
    specs = subprocess.run([memprof, "--specs"], capture_output=True, text=True,
                           check=True).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        program, profile = os.path.join(folder, "five"), os.path.join(folder, "five.json")
        subprocess.run([*COMPILER, "-specs=" + specs, "-O1", "-g", "-fprofile-mem-generate",
                        "-fprofile-mem-mode=full", "-fprofile-mem-modules=pages", "-DMIXES_ONLY",
                        "-I" + os.path.join(SOURCE, "../../runtime/target"),
                        os.path.join(SOURCE, "programs/fivearrays.c"), "-pthread", "-o", program],
                       check=True)
        options = "output=" + profile + ":pages=nehalem,sample=1,window=1"
        subprocess.run([program, str(lines)], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "MPRT_OPTIONS": options})
        with open(profile, encoding="utf-8") as file:
            document = json.load(file)
    places = sorted((g["line"], g["id"]) for g in document["groups"]
                    if g.get("allocator") == "aligned_alloc")
    for number, (_, group) in enumerate(places):
        memory = [r.get("memory", {}) for r in document["pages"] if r.get("group") == group]
        reads = sum(m.get("requests", 0) for m in memory)
        writes = sum(m.get("write_backs", 0) + m.get("left", 0) for m in memory)
        yield number, reads, writes


EVENTS = ("LLC-load-misses", "LLC-store-misses")


def counted(program, lines):
    """Misses of the last level in a run, by perf."""
    done = subprocess.run(["perf", "stat", "-x,", "-e", ",".join(EVENTS), program, str(lines)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    total = 0
    for line in done.stderr.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and fields[2].split(":")[0] in EVENTS:
            if not fields[0].isdigit():
                print(f"{fields[2]}: {fields[0]}; this machine cannot check the model")
                sys.exit(77)
            total += int(fields[0])
    if done.returncode != 0 or total == 0:
        print("perf counts nothing; this machine cannot check the model")
        sys.exit(77)
    return total


def counters(lines):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "five")
        subprocess.run([*COMPILER, "-O1", os.path.join(SOURCE, "programs/fivearrays.c"), "-pthread",
                        "-o", program], check=True)
        # The arrays are cleared first, which reads them as well.
        found = (counted(program, 2 * lines) - counted(program, lines)) / 2
    ideal = 5 * lines
    print(f"lines {ideal:,}  counted {found:,.0f}  error {100 * abs(found / ideal - 1):.2f} %")


def main():
    if sys.argv[1:2] == ["--counters"]:
        return counters(int(sys.argv[2]) if len(sys.argv) > 2 else 4194304)
    if len(sys.argv) < 2:
        sys.exit("usage: pages_validation.py MEMPROF [LINES]")
    lines = int(sys.argv[2]) if len(sys.argv) > 2 else 65536
    print("array    reads   writes    rate  ideal   error")
    worst, seen = 0.0, 0
    for number, reads, writes in rows(sys.argv[1], lines):
        if reads == 0:
            sys.exit(f"a{number}: nothing was read")
        off = max(error(reads, writes, number), abs(reads / lines - 1))
        worst, seen = max(worst, off), seen + 1
        print(f"a{number}    {reads:8} {writes:8}  4:{4 * writes / reads:.2f}   4:{number}  {100 * off:.2f} %")
    if seen != 5:
        sys.exit(f"{seen} arrays instead of 5")
    sys.exit(worst > 0.02)


if __name__ == "__main__":
    main()
