#!/usr/bin/env python3
# overhead.py - what profiling costs, on the whole program set.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: overhead.py [options] [PROGRAM...]

Builds the programs (kernels of ours and Debian's sources, overhead_programs.py)
natively and instrumented, runs them in turn, and prints slowdowns with their
geomeans, and what a run costs: accesses, records, bytes of the stream,
nanoseconds per access of the program and of the backend, memory, size of the
profile.  PROGRAM: only these (all is the default; --list names them).

  -n ROUNDS         how often each variant runs (5)
  --quick           small inputs and 3 rounds: to see whether it works
  --long GROUPS     with --quick: the programs of these groups (affine, ...) have
                    their full inputs nevertheless
  --variants LIST   of discard, full, the modes sample and objects, and the
                    yardsticks; the default is all of ours that exist
  --modules LIST    instead of those: each of these modules by itself, in a
                    program that reports only what it needs; `prompt' are those
                    that have figures of PROMPT (Xu et al., 2023) beside them
  --yardsticks      the address and thread sanitizer, -fprofile-generate,
                    valgrind's cachegrind and lackey as well, where installed, and
                    `floor', the least that a backend can do (floor.cc)
  --json FILE       write the figures
  --compare FILE    print them beside those of a file written so
  --work DIR        build and run there, and keep it
  --list            name the programs and end

Environment: MEMPROF_BUILDDIR (the build tree; `make bench_discard bench_floor'
is run in it), MEMPROF_SOURCES (cache of Debian's sources), MEMPROF_CC, MEMPROF_CXX.
Figures mean something on a quiet machine with two processors at least.
"""
import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time

import overhead_programs as programs
import overhead_runs as runs
import overhead_table as table

OURS = ("discard", "full", *runs.MODES)


def parse():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n", 1)[0].removeprefix("usage: "),
        epilog=__doc__.split("\n", 2)[2],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--quick", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--long", default="", help=argparse.SUPPRESS)
    parser.add_argument("--variants", help=argparse.SUPPRESS)
    parser.add_argument("--modules", help=argparse.SUPPRESS)
    parser.add_argument("--yardsticks", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", help=argparse.SUPPRESS)
    parser.add_argument("--compare", help=argparse.SUPPRESS)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--list", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("programs", nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args()


def choose_variants(args, tools):
    known = runs.known_variants(tools)
    names = args.modules or ""
    if names == "prompt":
        names = ",".join(table.PROMPT)
    modules = runs.module_variants(tools, names.split(",") if names else [])
    if modules and not args.variants:
        wanted = {"native"}
    elif args.variants:
        wanted = {"native", *args.variants.split(",")}
        unknown = wanted - {v.name for v in known}
        if unknown:
            raise SystemExit(f"overhead: no variant {', '.join(sorted(unknown))}")
    else:
        wanted = {"native", *OURS}
    if args.yardsticks:
        wanted |= {v.name for v in known if v.name not in OURS}
    chosen = []
    for variant in [v for v in known if v.name in wanted] + modules:
        if tools.exists_p(variant):
            chosen.append(variant)
        else:
            print(f"overhead: no {variant.name} here", file=sys.stderr)
    return chosen


def choose_programs(names):
    unknown = set(names) - {p.name for p in programs.PROGRAMS}
    if unknown:
        raise SystemExit(f"overhead: no program {', '.join(sorted(unknown))}; --list names them")
    return [p for p in programs.PROGRAMS if not names or p.name in names]


def machine():
    model = ""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        for line in f:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return {"processor": model, "processors": len(os.sched_getaffinity(0)),
            "system": platform.platform(), "load": os.getloadavg()[0],
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}


def store(args, where, variants, rows):
    """After each program, so that a run that is broken off is not lost."""
    if not args.json:
        return
    names = [v.name for v in variants]
    with open(args.json, "w", encoding="utf-8") as f:
        json.dump({"machine": where, "quick": args.quick, "variants": names,
                   "programs": rows, "geomeans": table.geomeans(rows, names)}, f, indent=1)
        f.write("\n")


def measure_all(args, tools, variants, where):
    rounds = args.n or (3 if args.quick else 5)
    rows, broken = [], 0
    for program in choose_programs(args.programs):
        try:
            quick = args.quick and program.group not in args.long.split(",")
            bench = runs.Bench(program, tools, variants, quick)
            bench.build()
            rows.append(table.row_of(program, bench, bench.measure(rounds), rounds))
        except programs.NotAvailable as trouble:
            print(f"overhead: {program.name} left out: {trouble}", file=sys.stderr)
            continue
        except programs.Broken as trouble:
            print(f"overhead: {program.name} FAILS: {trouble}", file=sys.stderr)
            broken += 1
            continue
        print(table.slowdown_line(rows[-1], [v.name for v in variants[1:]]),
              file=sys.stderr, flush=True)
        store(args, where, variants, rows)
    return rows, broken


def main():
    args = parse()
    if args.list:
        for program in programs.PROGRAMS:
            print(f"{program.name:10} {program.group}")
        return 0
    stored = None
    if args.compare:
        with open(args.compare, encoding="utf-8") as f:
            stored = json.load(f)
    with tempfile.TemporaryDirectory(prefix="memprof-overhead.") as temporary:
        work = os.path.abspath(args.work or temporary)
        os.makedirs(work, exist_ok=True)
        tools = runs.Tools(work)
        subprocess.run([os.environ.get("MAKE", "make"), "-s", "-C", tools.builddir,
                        "bench_discard", "bench_floor", "memprof-backend"], check=True)
        variants = choose_variants(args, tools)
        where = machine()
        rows, broken = measure_all(args, tools, variants, where)
    names = [v.name for v in variants]
    print("%(processor)s, %(processors)d processors, load %(load).1f, %(time)s" % where)
    table.print_rows(rows, names)
    if stored:
        table.print_comparison(rows, stored, names)
    return 0 if rows and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
