# SPDX-License-Identifier: GPL-3.0-or-later
"""closed_loop.py - the closed loop on whole programs, and whether it pays.

Each program is built plain, profiled on a training input, rebuilt with the profile
and timed against the plain build on a test input of another seed and size.  A third
build, with the same done by hand, is the yardstick.  With --alone there is one more
rebuild for each transformation that did something, with the others switched off
(-fprofile-mem-use-no=); if only one did something, the rebuild itself is that.  With
--mode=both there is one more, `sampled', from a profile of sample mode, which has no
table of the module co_access, and the decisions of both rebuilds are compared: which share
of the cycles that they expect to save is saved by decisions that both take.

First all memory that is free is touched once: the host of a virtual machine provides a
page when it is used for the first time, which takes milliseconds for a huge one, and
whose run that falls into is chance.

All builds of a program are run in turn (see paired.py): at least -n rounds, and more
for those whose 95 % interval is wider than --within of the ratio to either side, up to
--most rounds or --seconds per program.  A line has: ratio [interval] rounds, a `?' where
the interval stayed wide, and the ratio of processor times.  All outputs must be the same.

At the end: the geomean and the worst, how many come near the hand versions, and with
--alone which programs each transformation makes faster by itself, against
what is asked of it.  A wide interval passes only when all of it does.
"""
import argparse
import json
import math
import mmap
import os
import shutil
import statistics
import sys
import tempfile

import overhead_programs
from closed_loop_programs import PROGRAMS
from overhead_programs import Broken, NotAvailable
from outside_programs import outside_programs
from overhead_runs import Tools
from paired import Failure, measure, run
from remark_decisions import Agreement, decisions_of

TRANSFORMATIONS = ("branch-counts", "co-allocation", "field-order", "hot-functions", "huge-pages", "prefetch", "streaming-stores", "versioning")
# What each must reach alone: on two programs, and on one.
ASKED_TWICE = 1.2
ASKED_ONCE = {"branch-counts": 1.1, "co-allocation": 1.15, "huge-pages": 1.25, "field-order": 1.2, "hot-functions": 1.1, "prefetch": 1.5,
              "streaming-stores": 1.15, "versioning": 2.0}
ASKED_GEOMEAN, ASKED_WORST, NEAR_HAND = 1.4, 0.98, 0.9
MODULES = {"full": "default,co_access", "sample": "default"}


class Case:
    """One program: its folder with all builds, the profile, the runs."""

    def __init__(self, program, tools, args):
        self.program, self.tools, self.args = program, tools, args
        self.agreement = None
        self.folder = f"{tools.work}/{program.name}"
        self.train, self.test = f"{self.folder}/train", f"{self.folder}/test"
        for folder in (self.train, self.test):
            os.makedirs(folder)
        if program.train_input:
            program.train_input(self.train, True)
            program.test_input(self.test, args.quick)

    def binary(self, build):
        return f"{self.folder}/{self.program.name}.{build}"

    def build(self, name, *flags):
        folder = f"{self.folder}/build.{name}"
        os.makedirs(folder)
        build = overhead_programs.Build(folder, self.binary(name), self.tools.cc,
                                        self.tools.cxx, ["-O2", "-g", *flags])
        if self.program.build:
            self.program.build(build)
        else:
            overhead_programs.build_kernel(self.program, build)
        shutil.rmtree(folder)

    def profile(self, mode):
        """Build for it and train; the name of the profile."""
        path = f"{self.folder}/{self.program.name}.{mode}.memprof.json"
        self.build(mode, "-specs=" + self.tools.specs, "-fprofile-mem-generate=.",
                   "-fprofile-mem-mode=" + mode, "-fprofile-mem-modules=" + MODULES[mode])
        run(["env", f"MPRT_OPTIONS=output={path}:merge=0", self.binary(mode),
             *self.program.train], folder=self.train)
        if not os.path.exists(path):
            raise Broken("the training run leaves no profile")
        with open(path, encoding="utf-8") as f:
            facts = json.load(f)["run"]
        if not facts["complete"] or not facts["accesses"]:
            raise Broken(f"the training run leaves an empty profile: {facts}")
        return path

    def rebuild(self, name, profile, without=()):
        """With all transformations but WITHOUT; those that did something."""
        remarks = f"{self.folder}/{name}.remarks"
        flags = ["-specs=" + self.tools.specs, "-fprofile-mem-use=" + profile,
                 "-fprofile-mem-remarks=" + remarks]
        if self.args.move_fields:
            flags.append("-fprofile-mem-move-fields")
        if without:
            flags.append("-fprofile-mem-use-no=" + ",".join(without))
        self.build(name, *flags)
        taken = {}
        if os.path.exists(remarks):
            with open(remarks, encoding="utf-8") as lines:
                for remark in map(json.loads, lines):
                    if remark.get("taken"):
                        taken[remark["kind"]] = taken.get(remark["kind"], 0) + 1
        return taken

    def measured(self):
        """(taken, {build: Ratio}), with `alone:NAME' for single transformations."""
        args = self.args
        self.build("plain")
        others = ["rebuilt"]
        if not self.program.build:
            self.build("hand", "-DHAND", "-DHAND_PREFETCH")
            others.append("hand")
        profile = self.profile("sample" if args.mode == "sample" else "full")
        without = [t for t in TRANSFORMATIONS if args.only and t != args.only]
        taken = self.rebuild("rebuilt", profile, without)
        if args.mode == "both":
            self.rebuild("sampled", self.profile("sample"), without)
            self.agreement = Agreement(decisions_of(f"{self.folder}/rebuilt.remarks"),
                                       decisions_of(f"{self.folder}/sampled.remarks"))
            others.append("sampled")
        if args.alone and len(taken) > 1:
            for one in sorted(taken):
                self.rebuild(one, profile, [t for t in TRANSFORMATIONS if t != one])
                others.append(one)
        arguments = self.program.quick if args.quick else self.program.test
        ratios = measure([self.binary("plain"), *arguments],
                         [[self.binary(o), *arguments] for o in others],
                         args.n, args.most, args.within, args.seconds, slices=args.cpu,
                         same=self.program.same, folder=self.test)
        return taken, dict(zip(others, ratios))


def touch_memory():
    """Most of what is available, and gives it back."""
    with open("/proc/meminfo", encoding="ascii") as lines:
        facts = dict(line.split(":") for line in lines)
    size = int(facts["MemAvailable"].split()[0]) * 1024 * 17 // 20
    with mmap.mmap(-1, size) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        for at in range(0, size, 4096):
            memory[at] = 1


def text(ratio, within):
    wide = " " if ratio.within_p(within) else "?"
    return (f"{ratio.ratio:6.3f} [{ratio.low:.3f}, {ratio.high:.3f}]{wide} n={ratio.pairs:<3d}"
            f" cpu {ratio.cpu_ratio:6.3f}  {ratio.base_s:.3f} s -> {ratio.other_s:.3f} s")


def at_least(ratio, asked, within):
    """Whether it is: met, missed, or unsure because the interval is wide."""
    if not ratio.interval_p():
        return "unsure"
    if ratio.low >= asked:
        return "met"
    if ratio.within_p(within) or ratio.high < asked:
        return "met" if ratio.ratio >= asked else "missed"
    return "unsure"


def total(verdicts, needed):
    """The same of a number of programs that need it."""
    if verdicts.count("met") >= needed:
        return "met"
    return "unsure" if len(verdicts) - verdicts.count("missed") >= needed else "missed"


def print_case(name, taken, ratios, args):
    print("%-12s %s" % (name, ", ".join(f"{t} {n}" for t, n in sorted(taken.items()))
                        or "nothing taken"))
    for build, ratio in ratios.items():
        label = {"rebuilt": "rebuilt", "hand": "by hand", "sampled": "sampled"}.get(build, "only " + build)
        print(f"  {label:17s} {text(ratio, args.within)}", flush=True)


def print_agreement(agreement):
    print(f"  same decisions: {agreement.share():.3f} of {agreement.total() / 1e6:.1f} million cycles")
    for mode, missing in (("full", agreement.only_first), ("sampled", agreement.only_second)):
        for (kind, place), cycles in sorted(missing.items(), key=lambda item: -item[1]):
            print(f"    only {mode:8s}{kind:14s}{place:22s} {cycles / 1e6:.2f}")


def print_alone(results, args):
    """What each transformation does by itself."""
    print("\nAlone:")
    for one in TRANSFORMATIONS:
        found = {}
        for name, (taken, ratios) in results.items():
            if one in ratios:
                found[name] = ratios[one]
            elif set(taken) == {one}:
                found[name] = ratios["rebuilt"]
        twice = total([at_least(r, ASKED_TWICE, args.within) for r in found.values()], 2)
        once = total([at_least(r, ASKED_ONCE[one], args.within) for r in found.values()], 1)
        print(f"  {one:11s} {ASKED_TWICE}x on two: {twice}, {ASKED_ONCE[one]}x on one: {once};  "
              + ", ".join(f"{n} {r.ratio:.2f}" + ("" if r.within_p(args.within) else "?")
                          for n, r in sorted(found.items(), key=lambda x: -x[1].ratio)))


def print_end(results, args):
    rebuilt = {name: ratios["rebuilt"] for name, (_, ratios) in results.items()}
    hand = {name: ratios["hand"] for name, (_, ratios) in results.items() if "hand" in ratios}
    worst = min(rebuilt, key=lambda name: rebuilt[name].ratio)
    floor = total([at_least(r, ASKED_WORST, args.within) for r in rebuilt.values()],
                  len(rebuilt))
    print(f"\nworst {rebuilt[worst].ratio:.3f} ({worst}), all at least {ASKED_WORST}: {floor}")
    if hand:  # all but the real programs
        geomean = math.exp(sum(math.log(rebuilt[n].ratio) for n in hand) / len(hand))
        near = [n for n in hand if rebuilt[n].ratio >= NEAR_HAND * hand[n].ratio]
        print(f"geomean of {len(hand)} {geomean:.3f} (asked {ASKED_GEOMEAN}); at least {NEAR_HAND} "
              f"of by hand: {len(near)} of {len(hand)}, not: "
              + (", ".join(sorted(set(hand) - set(near))) or "none"))
    sampled = {n: ratios["sampled"].ratio / rebuilt[n].ratio
               for n, (_, ratios) in results.items() if "sampled" in ratios}
    if sampled:
        geomean = math.exp(sum(map(math.log, sampled.values())) / len(sampled))
        low = [f"{n} {r:.2f}" for n, r in sampled.items() if r < ASKED_WORST]
        print(f"from sampled profiles against from full ones: geomean of {len(sampled)} "
              f"{geomean:.3f}, below {ASKED_WORST}: " + (", ".join(low) or "none"))
    wide = [n for n, r in rebuilt.items() if not r.within_p(args.within)]
    print(f"intervals wider than +-{args.within} of the ratio: " + (", ".join(wide) or "none"))
    if args.alone:
        print_alone(results, args)


def arguments():
    parser = argparse.ArgumentParser(prog="closed-loop.sh", epilog=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-a", "--alone", action="store_true",
                        help="also each transformation with all others off")
    parser.add_argument("-c", "--cpu", action="store_true",
                        help="processor time, in slices of one processor (see paired.py)")
    parser.add_argument("--move-fields", action="store_true",
                        help="rebuild with -fprofile-mem-move-fields")
    parser.add_argument("-n", type=int, default=15, help="rounds at least (15)")
    parser.add_argument("-m", "--most", type=int, default=60, help="rounds at most (60)")
    parser.add_argument("--mode", choices=("full", "sample", "both"), default="full",
                        help="of the training run (full)")
    parser.add_argument("-o", "--only", choices=TRANSFORMATIONS,
                        help="the rebuild with one transformation only")
    parser.add_argument("-w", "--within", type=float, default=0.01,
                        help="half of the interval, as part of the ratio (0.01)")
    parser.add_argument("-s", "--seconds", type=float, default=75,
                        help="per program, where -n rounds do not need more (75)")
    parser.add_argument("--quick", action="store_true", help="small inputs: does it work?")
    parser.add_argument("--json", help="keep all figures in a file")
    parser.add_argument("--list", help="programs of a list (outside_programs.py) instead of ours")
    parser.add_argument("programs", nargs="*", help="of: "
                        + " ".join(p.name for p in PROGRAMS) + " (default: all)")
    args = parser.parse_args()
    args.list = outside_programs(args.list) if args.list else PROGRAMS
    unknown = set(args.programs) - {p.name for p in args.list}
    if unknown:
        parser.error("no such program: " + " ".join(sorted(unknown)))
    return args


def main():
    args = arguments()
    results, agreements, failures = {}, [], 0
    if not args.quick:
        touch_memory()
    with tempfile.TemporaryDirectory(prefix="memprof-closed-loop.") as work:
        tools = Tools(work)
        for program in args.list:
            if args.programs and program.name not in args.programs:
                continue
            try:
                case = Case(program, tools, args)
                results[program.name] = case.measured()
            except NotAvailable as missing:
                print(f"{program.name:12s} left out: {missing}", flush=True)
                continue
            except (Broken, Failure) as failure:
                print(f"{program.name:12s} FAILS: {failure}", flush=True)
                failures += 1
                continue
            finally:
                shutil.rmtree(f"{work}/{program.name}", ignore_errors=True)
            print_case(program.name, *results[program.name], args)
            if case.agreement:
                agreements.append(case.agreement)
                print_agreement(case.agreement)
            if args.json:
                with open(args.json, "w", encoding="utf-8") as out:
                    json.dump({name: {"taken": taken, "ratios": {b: vars(r) for b, r in ratios.items()}}
                               for name, (taken, ratios) in results.items()}, out, indent=1)
    if agreements:
        same, total = (sum(a.both for a in agreements), sum(a.total() for a in agreements))
        print(f"\nsame decisions: {same / max(total, 1):.3f} of the cycles of all programs, median of the programs "
              f"{statistics.median(a.share() for a in agreements):.3f}")
    if results:
        print_end(results, args)
    return 1 if failures or not results else 0


if __name__ == "__main__":
    sys.exit(main())
