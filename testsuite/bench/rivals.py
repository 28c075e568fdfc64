#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""rivals.py - what a rebuild gains, beside what a user can have without it.

usage: rivals.py [-n ROUNDS] [--seconds S] [--markdown] [--list LIST] [PROGRAM...]

Each program is built at -O2 and timed on its test input, beside

  again    the same once more: how far the other columns can be believed
  memprof  rebuilt with a sampled profile of its training input
  tuned    the same with prefetches on trial (-fprofile-mem-tune)
  pgo      with GCC's own profile of that input (-fprofile-use)
  both     with both, of one run (doc/build-systems.md)
  -O3
  glibc    the plain program, malloc's huge pages (GLIBC_TUNABLES=glibc.malloc.hugetlb=1)
  mimalloc, tcmalloc, jemalloc   the plain program with another allocator (LD_PRELOAD), with
           its huge pages where it has an option for them; those that are installed

The programs are those of a list (outside_programs.py), or gzip, bzip2, sqlite3 and lua.  Processor time of all
builds in turn, in slices of one processor (paired.py), and all outputs must be the same.  All programs have
names of the same length, since that moves their stacks and heaps.  A figure is the time of the plain program
divided by that of the other one, the median of the rounds; at the end the geomean and the worst of each column,
and with --markdown the table again as Markdown.
"""
import argparse
import ctypes.util
import math
import os
import shutil
import sys
import tempfile

import closed_loop
from closed_loop_programs import PROGRAMS
from outside_programs import outside_programs
from overhead_programs import Broken, NotAvailable
from overhead_runs import Tools
from paired import Failure, measure, run

# Allocators: library, and what asks for huge pages.
ALLOCATORS = {"mimalloc": ("mimalloc", ("MIMALLOC_ALLOW_LARGE_OS_PAGES=1",)),
              "tcmalloc": ("tcmalloc_minimal", ()),
              "jemalloc": ("jemalloc", ("MALLOC_CONF=thp:always",))}


class Contest(closed_loop.Case):
    """The builds of one program; names of builds have five letters."""

    def pgo(self, name, generate=(), use=()):
        """With GCC's own profile: both builds in one folder under one name, since the profile is found by it."""
        counts = f"{self.folder}/counts.{name}"
        self.build(name, "-fprofile-generate=" + counts, "-fprofile-update=single", *generate)
        run(["env", f"MPRT_OPTIONS=output={counts}.memprof.json:merge=0", self.binary(name), *self.program.train],
            folder=self.train)
        self.build(name, "-fprofile-use=" + counts, "-Wno-missing-profile", *use)

    def both(self, name):
        specs = "-specs=" + self.tools.specs
        self.pgo(name, (specs, "-fprofile-mem-generate=."),
                 (specs, f"-fprofile-mem-use={self.folder}/counts.{name}.memprof.json"))

    def commands(self):
        """{column: command}"""
        plain = [self.binary("plain"), *self.program.test]
        self.build("plain")
        shutil.copy(self.binary("plain"), self.binary("again"))
        profile = self.profile("sample")
        use = ["-specs=" + self.tools.specs, "-fprofile-mem-use=" + profile]
        self.build("memus", *use)
        self.build("tuned", *use, "-fprofile-mem-tune")
        self.build("gcco3", "-O3")
        self.pgo("gccpg")
        self.both("twice")
        builds = {"again": "again", "memprof": "memus", "tuned": "tuned", "pgo": "gccpg", "both": "twice", "-O3": "gcco3"}
        found = {column: [self.binary(build), *self.program.test] for column, build in builds.items()}
        found["glibc"] = ["env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", *plain]
        for name, (library, options) in ALLOCATORS.items():
            path = ctypes.util.find_library(library)
            if path:
                found[name] = ["env", "LD_PRELOAD=" + path, *options, *plain]
        return plain, found


def cell(ratio):
    return f"{ratio.ratio:.2f} ({ratio.low:.2f}-{ratio.high:.2f})"


def contest(program, tools, args):
    """{column: Ratio}"""
    case = Contest(program, tools, args)
    plain, others = case.commands()
    ratios = measure(plain, list(others.values()), args.n, args.n, seconds=args.seconds, slices=True, same=program.same,
                     folder=case.test)
    return dict(zip(others, ratios))


def print_end(results, markdown):
    columns = list(next(iter(results.values())))
    ends = {"geomean": lambda v: math.exp(sum(map(math.log, v)) / len(v)), "worst": min}
    for name, end in ends.items():
        print(f"{name:12s} " + "  ".join(f"{c} {end([r[c].ratio for r in results.values()]):.3f}" for c in columns))
    if markdown:
        print("\n| program | " + " | ".join(columns) + " |\n|---" + "|---" * len(columns) + "|")
        for name, ratios in results.items():
            print(f"| {name} | " + " | ".join(cell(ratios[c]) for c in columns) + " |")


def arguments():
    parser = argparse.ArgumentParser(prog="rivals.py", epilog=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=7, help="rounds (7)")
    parser.add_argument("--seconds", type=float, default=600, help="per program at most, after -n rounds (600)")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--list", help="programs of a list (outside_programs.py)")
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    args.quick = args.move_fields = False
    args.list = outside_programs(args.list) if args.list else [p for p in PROGRAMS if p.build]
    return args


def main():
    args = arguments()
    results, failures = {}, 0
    with tempfile.TemporaryDirectory(prefix="memprof-rivals.") as work:
        tools = Tools(work)
        for program in args.list:
            if args.programs and program.name not in args.programs:
                continue
            try:
                results[program.name] = contest(program, tools, args)
            except (Broken, Failure, NotAvailable) as failure:
                print(f"{program.name:12s} FAILS: {failure}", flush=True)
                failures += 1
                continue
            finally:
                shutil.rmtree(f"{work}/{program.name}", ignore_errors=True)
            print(f"{program.name:12s} " + "  ".join(f"{c} {cell(r)}" for c, r in results[program.name].items()), flush=True)
    if results:
        print_end(results, args.markdown)
    return 1 if failures or not results else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
