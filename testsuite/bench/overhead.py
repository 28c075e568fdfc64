#!/usr/bin/env python3
# overhead.py - measures the rows that overhead.sh has built.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: overhead.py [-n PAIRS] [--json FILE] [--compare FILE] ROWS

Each line of ROWS: NAME affine|irregular COMMAND of the plain program; the
instrumented command has .generate instead of .plain.  Run times come from
interleaved pairs (paired.py).  Memory comes from runs of their own: what the
plain program touches (its peak resident set), and what the backend says that it
used at most (verbose=1); the backend may use 1.2 times the former + 200 MB where
stores are affine, 2.5 times + 200 MB otherwise.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys

PAIRED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "paired.py")
FACTOR = {"affine": 1.2, "irregular": 2.5}


def touched_mb(command):
    """Peak resident set of COMMAND; a child of its own, so that no other's
    counts. At least that of Python itself, about 14 MB."""
    code = ("import resource, subprocess, sys\n"
            "subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n")
    done = subprocess.run([sys.executable, "-c", code, *command], check=True,
                          capture_output=True, text=True)
    return int(done.stdout) / 1024


def backend_mb(command, profile):
    done = subprocess.run(
        command, env={**os.environ, "MPRT_OPTIONS": f"verbose=1:merge=0:output={profile}"},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    said = re.search(r"memprof-backend used (\d+) kB", done.stderr)
    if not said:
        sys.exit(f"overhead: no memory in: {done.stderr}")
    return int(said.group(1)) / 1024


def measure(name, kind, plain, pairs):
    generate = plain.replace(".plain", ".generate", 1)
    profile = f"{os.getcwd()}/{name}.json"
    os.environ["MPRT_OPTIONS"] = f"merge=0:output={profile}"
    done = subprocess.run([PAIRED, "-n", str(pairs), "--same", "--json", plain,
                           generate], stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(done.returncode)
    times = json.loads(done.stdout)
    touched = touched_mb(shlex.split(plain))
    backend = backend_mb(shlex.split(generate), profile)
    with open(profile, encoding="utf-8") as f:
        run = json.load(f)["run"]
    extra = times["other_s"] - times["base_s"]
    return {
        "name": name, "kind": kind, "pairs": pairs,
        "slowdown": 1 / times["ratio"],
        "low": 1 / times["high"], "high": 1 / times["low"],
        "plain_s": times["base_s"], "extra_ms": extra * 1e3,
        "accesses": run["accesses"], "complete": run["complete"],
        "ns_per_access": extra * 1e9 / max(run["accesses"], 1),
        "touched_mb": touched, "backend_mb": backend,
        "limit_mb": FACTOR[kind] * touched + 200,
        "profile_bytes": os.path.getsize(profile),
    }


def show(row, old):
    print("%-9s slowdown %6.2fx [%.2f, %.2f]  plain %7.3f s  extra %8.1f ms  "
          "%6.2f ns per access  %11d accesses\n"
          "%-9s backend %5.0f MB, touched %4.0f MB, limit %5.0f MB (%s): %s  "
          "profile %d bytes%s"
          % (row["name"], row["slowdown"], row["low"], row["high"],
             row["plain_s"], row["extra_ms"], row["ns_per_access"],
             row["accesses"], "", row["backend_mb"], row["touched_mb"],
             row["limit_mb"], row["kind"],
             "within" if row["backend_mb"] <= row["limit_mb"] else "OVER",
             row["profile_bytes"], "" if row["complete"] else "  NOT COMPLETE"))
    if old:
        apart = row["low"] > old["high"] or row["high"] < old["low"]
        print("%-9s before: slowdown %.2fx [%.2f, %.2f], backend %.0f MB; "
              "time over plain now %.2f of that%s"
              % ("", old["slowdown"], old["low"], old["high"],
                 old["backend_mb"],
                 (row["slowdown"] - 1) / max(old["slowdown"] - 1, 1e-9),
                 "" if apart else " (the intervals overlap)"))
    sys.stdout.flush()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("--json")
    parser.add_argument("--compare")
    parser.add_argument("rows")
    args = parser.parse_args()
    before = {}
    if args.compare:
        with open(args.compare, encoding="utf-8") as f:
            before = {row["name"]: row for row in json.load(f)}
    measured = []
    with open(args.rows, encoding="utf-8") as f:
        for line in f:
            name, kind, plain = line.strip().split(" ", 2)
            measured.append(measure(name, kind, plain, args.n))
            show(measured[-1], before.get(name))
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(measured, f, indent=1)
            f.write("\n")


main()
