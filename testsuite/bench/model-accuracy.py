#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""model-accuracy.py - how good the predictions of the rebuild's decisions are.

usage: model-accuracy.py [-n ROUNDS] [-d DECISIONS] [--seconds S] [--mode full|sample]
                         [--json FILE] [--programs LIST] [PROGRAM...]

Each program of the closed loop is profiled and rebuilt with its training input, and timed
with the same input, so that nothing has to be guessed about inputs.  A decision that was
taken predicts the cycles that it saves ("saved_cycles" in its remark, less "touch_cycles").
Its predicted gain is the program's time without them over the time with them.  Its measured
gain is the time of the rebuild with a veto on this decision over that of the rebuild, from
interleaved slices of one processor (paired.py).  Decisions of one line and transformation
count as one, and the -d that promise most (4) are measured in each program.  The row "all"
is the rebuild beside the plain build, with the cycles that all decisions promise together.

--programs LIST measures programs of a list (outside_programs.py) instead of our own.

The table has a row for each decision; the summary says, by transformation and shape, how
often the sign was wrong by more than 3 % and the median of |log (measured / predicted)|.
Exit status 1: nothing was measured.
"""
import argparse
import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from closed_loop import Case
from closed_loop_programs import PROGRAMS
from outside_programs import outside_programs
from overhead_programs import Broken, NotAvailable
from overhead_runs import Tools
from paired import Failure, measure
from remark_decisions import decisions_of

SURE = 0.03  # gains nearer to 1 have no sign


# Additions that wait for each other take a cycle each.
CLOCK = """
int main (void)
{
  unsigned long n = 0;
  for (int i = 0; i < 100000000; i++)
    __asm__ volatile ("add $1, %0\\n add $1, %0\\n add $1, %0\\n add $1, %0" : "+r" (n));
  return 0;
}
"""


def clock_hz(tools, folder):
    """Cycles of the processor per second. /proc/cpuinfo tells another figure in guests."""
    with open(f"{folder}/clock.c", "w", encoding="ascii") as out:
        out.write(CLOCK)
    subprocess.run([*tools.cc, "-O2", f"{folder}/clock.c", "-o", f"{folder}/clock"], check=True)
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run([f"{folder}/clock"], check=True)
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return 4e8 / min(times)


class Trial(Case):
    """A program whose decisions are measured one by one."""

    def flags(self, profile, remarks, veto):
        flags = ["-specs=" + self.tools.specs, "-fprofile-mem-use=" + profile,
                 "-fprofile-mem-remarks=" + remarks]
        return flags + ["-fprofile-mem-veto=" + veto] if veto else flags

    def without(self, number, profile, entry):
        """The rebuild with a veto on ENTRY."""
        veto = f"{self.folder}/veto.{number}"
        with open(veto, "w", encoding="utf-8") as out:
            print(entry, file=out)
        name = f"without.{number}"
        self.build(name, *self.flags(profile, f"{self.folder}/{name}.remarks", veto))
        return name

    def rows(self):
        profile = self.profile(self.args.mode)
        remarks = f"{self.folder}/all.remarks"
        self.build("all", *self.flags(profile, remarks, ""))
        found = decisions_of(remarks)
        chosen = sorted(found, key=lambda key: -found[key])[:self.args.d]
        if not chosen:
            return []
        builds = [self.without(i, profile, f"@{kind} {place}")
                  for i, (kind, _, place) in enumerate(chosen)]
        self.build("plain")
        whole_key = "all", "", f"{len(found)} decisions"
        found[whole_key] = sum(found.values())
        chosen.append(whole_key)
        builds.append("plain")
        # Of the rebuild to each of the others: below 1 when the decision gains.
        ratios = measure([self.binary("all"), *self.program.train],
                         [[self.binary(b), *self.program.train] for b in builds],
                         self.args.n, 4 * self.args.n, 0.01, self.args.seconds, slices=True,
                         same=True, folder=self.train)
        rows = []
        for key, ratio in zip(chosen, ratios):
            whole = ratio.other_s * self.args.clock
            left = max(whole - found[key], 0.05 * whole)
            rows.append({"program": self.program.name, "kind": key[0], "shape": key[1],
                         "place": key[2], "predicted": whole / left, "measured": 1 / ratio.ratio,
                         "low": 1 / ratio.high, "high": 1 / ratio.low})
        return rows


def print_row(row):
    print(f"{row['program']:12s} {row['kind']:11s} {row['shape']:9s} {row['place']:18s} "
          f"predicted {row['predicted']:6.3f}  measured {row['measured']:6.3f} "
          f"[{row['low']:.3f}, {row['high']:.3f}]", flush=True)


def wrong_sign(row):
    """It promised a gain and loses, beyond what the interval and SURE allow."""
    return row["predicted"] > 1 and row["high"] < 1 and row["measured"] < 1 - SURE


def print_summary(rows):
    print()
    kinds = sorted({(row["kind"], row["shape"]) for row in rows})
    for kind, shape in [*kinds, ("each", "")]:
        mine = [r for r in rows if (r["kind"] != "all" if kind == "each"
                                    else (r["kind"], r["shape"]) == (kind, shape))]
        errors = [abs(math.log(r["measured"] / r["predicted"])) for r in mine]
        print(f"{kind:11s} {shape:9s} {len(mine):3d} decisions, {sum(map(wrong_sign, mine))} of the "
              f"wrong sign, median error {statistics.median(errors):.3f}, "
              f"largest {max(errors):.3f}")


def arguments():
    parser = argparse.ArgumentParser(epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=7, help="rounds at least (7)")
    parser.add_argument("-d", type=int, default=4, help="decisions of a program (4)")
    parser.add_argument("--seconds", type=float, default=40, help="per program (40)")
    parser.add_argument("--json", help="keep all figures in a file")
    parser.add_argument("--mode", choices=("full", "sample"), default="full",
                        help="of the training run (full)")
    parser.add_argument("--programs", metavar="LIST", help="JSON, see outside_programs.py")
    parser.add_argument("names", nargs="*", metavar="PROGRAM")
    args = parser.parse_args()
    args.quick = False
    args.programs = outside_programs(args.programs) if args.programs else PROGRAMS
    if unknown := set(args.names) - {p.name for p in args.programs}:
        parser.error("no such program: " + " ".join(sorted(unknown)))
    return args


def main():
    args = arguments()
    rows, failures = [], 0
    with tempfile.TemporaryDirectory(prefix="memprof-model-accuracy.") as work:
        tools = Tools(work)
        args.clock = clock_hz(tools, work)
        for program in args.programs:
            if args.names and program.name not in args.names:
                continue
            try:
                new = Trial(program, tools, args).rows()
            except NotAvailable as missing:
                print(f"{program.name:12s} left out: {missing}", flush=True)
                continue
            except (Broken, Failure) as failure:
                print(f"{program.name:12s} FAILS: {failure}", flush=True)
                failures += 1
                continue
            finally:
                shutil.rmtree(f"{work}/{program.name}", ignore_errors=True)
            for row in new:
                print_row(row)
            rows += new
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(rows, out, indent=1)
    if not rows:
        print("model-accuracy: no decision was measured", file=sys.stderr)
        return 1
    print_summary(rows)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
