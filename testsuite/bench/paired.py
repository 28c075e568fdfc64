#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""paired.py - ratio of commands' run times, from interleaved runs.

usage: paired.py [-n PAIRS] [--most PAIRS] [--within PART] [--seconds S]
                 [--cpu | --slices] [--json] [--stdin FILE] [--same] BASE OTHER [OTHER...]

BASE and the others are shell-quoted commands.  Each round runs all of them once,
in an order that turns from round to round; the ratio is time(BASE) / time(OTHER)
in one round, so that more than 1 means that OTHER is faster.  Prints the median
ratio with a 95 % interval (from the order statistics of the rounds) and the
medians.

After PAIRS rounds (15) it goes on for those whose interval is wider than PART of
the ratio to either side (--within, 0.01), up to --most rounds (default: PAIRS, so
no more) and not beyond S seconds; the rounds that were done are printed, whether
that was enough or not.

The clock counts, or with --cpu the processor time of the program and of the system
for it: on a machine that does other things, too.  --same fails when the standard
outputs differ.  Nothing else should run meanwhile.

With --slices the commands of a round do not run one after the other but in slices of
20 ms of one processor: each is stopped (SIGSTOP) when its slice is over and goes on
when the others have had theirs; their processor time counts.  What makes the processor
slower for a while (the other hyperthread, its clock, other tenants of the host) then hits
all of them alike, and what a slice finds cold in the caches is some tenths of a
millisecond.  The same program twice, 15 rounds on a virtual machine: 0.971 [0.962,
1.006] one after the other, 1.000 [0.997, 1.005] in slices.  For programs that have one
thread and wait for nothing, on a machine with memory for all of them at once.
"""
import argparse
import dataclasses
import json
import os
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time

SLICE_S = 0.02


class Failure(Exception):
    """A command fails, or prints something else; the text says which."""


class Run:
    """A command that has been started; its output goes to a file without a name."""

    def __init__(self, command, stdin, folder, prepare=None):
        self.command, self.out = command, tempfile.TemporaryFile()
        with open(stdin or "/dev/null", "rb") as source:
            self.start = time.perf_counter()
            self.child = subprocess.Popen(command, stdin=source, stdout=self.out, cwd=folder,
                                          preexec_fn=prepare)

    def ended(self, options=0):
        """(seconds by the clock, processor time, standard output), or None if it was
        only stopped."""
        _, status, used = os.wait4(self.child.pid, options)
        clock = time.perf_counter() - self.start
        if os.WIFSTOPPED(status):
            return None
        self.child.returncode = os.waitstatus_to_exitcode(status)
        if self.child.returncode:
            raise Failure(f"{shlex.join(self.command)}: exit status {self.child.returncode}")
        self.out.seek(0)
        with self.out:
            return clock, used.ru_utime + used.ru_stime, self.out.read()

    def slice(self, seconds):
        """Let it run that long; the same as ended()."""
        self.signal(signal.SIGCONT)
        time.sleep(seconds)
        self.signal(signal.SIGSTOP)
        return self.ended(os.WUNTRACED)

    def signal(self, which):
        # Not Popen's: that waits for a child that has ended, and its times are gone.
        os.kill(self.child.pid, which)


def run(command, stdin=None, folder=None):
    """(seconds by the clock, processor time, standard output)"""
    return Run(command, stdin, folder).ended()


def run_in_turn(commands, expected, stdin=None, folder=None):
    """What run() says of each of COMMANDS, one after the other."""
    del expected
    return [run(command, stdin, folder) for command in commands]


def run_sliced(commands, expected, stdin=None, folder=None):
    """The same in slices of one processor; a slice is as long as the command is
    EXPECTED to take in comparison to the others, so that all end together.  The clock's
    time of each is that of all of them."""
    processor = {max(os.sched_getaffinity(0))}
    runs = []
    try:
        for command in commands:
            runs.append(Run(command, stdin, folder, lambda: os.sched_setaffinity(0, processor)))
            runs[-1].signal(signal.SIGSTOP)
        results = [None] * len(runs)
        while None in results:
            for i, r in enumerate(runs):
                if results[i] is None:
                    results[i] = r.slice(SLICE_S * expected[i] / max(expected))
        return results
    finally:
        for r in runs:
            if r.child.returncode is None:
                r.child.kill()
                r.child.wait()


def interval(ratios):
    """The order statistics that hold the median with 95 % probability."""
    n = len(ratios)
    half = 0.98 * n ** 0.5
    low = max(0, int(n / 2 - half))
    high = min(n - 1, int(n / 2 + half))
    return sorted(ratios)[low], sorted(ratios)[high]


@dataclasses.dataclass
class Ratio:
    """Of one OTHER; `cpu_ratio' is the ratio of processor times where `ratio'
    is of the clock, and the same again otherwise."""
    ratio: float
    low: float
    high: float
    cpu_ratio: float
    base_s: float
    other_s: float
    pairs: int

    def interval_p(self):
        """Whether there is one of 95 %: fewer than 6 rounds have none."""
        return self.pairs >= 6

    def within_p(self, part):
        """Whether the interval reaches no further than PART of the ratio."""
        return (self.interval_p()
                and max(self.ratio - self.low, self.high - self.ratio) <= part * self.ratio)

    def text(self):
        return (f"ratio {self.ratio:.3f} [{self.low:.3f}, {self.high:.3f}]  "
                f"base {self.base_s:.3f} s  other {self.other_s:.3f} s  ({self.pairs} pairs)")


class Series:
    """The rounds of one OTHER: (base, other) by the clock and in processor time."""

    def __init__(self):
        self.clock, self.cpu = [], []

    def add(self, base, other):
        self.clock.append((base[0], other[0]))
        # Less than the system's clock ticks is nothing that can be divided.
        self.cpu.append((max(base[1], 1e-3), max(other[1], 1e-3)))

    def ratio(self, cpu):
        pairs = self.cpu if cpu else self.clock
        ratios = [a / b for a, b in pairs]
        low, high = interval(ratios)
        return Ratio(statistics.median(ratios), low, high,
                     statistics.median(a / b for a, b in self.cpu),
                     statistics.median(a for a, _ in pairs),
                     statistics.median(b for _, b in pairs), len(pairs))


def measure(base, others, least=15, most=0, within=0.01, seconds=1e9, cpu=False,
            slices=False, same=False, stdin=None, folder=None):
    """The Ratio of each of OTHERS to BASE (lists of arguments)."""
    commands = [base, *others]
    series = [Series() for _ in others]
    start = time.perf_counter()
    cpu = cpu or slices
    run_round = run_sliced if slices else run_in_turn
    expected = [1.0] * len(commands)
    done = 0
    while True:
        open_ones = [i for i, s in enumerate(series)
                     if done < least or not s.ratio(cpu).within_p(within)]
        late = done >= least and time.perf_counter() - start > seconds
        if not open_ones or late or done >= max(least, most):
            return [s.ratio(cpu) for s in series]
        turns = [0] + [i + 1 for i in open_ones]
        at = done % len(turns)
        turns = turns[at:] + turns[:at]
        results = run_round([commands[which] for which in turns],
                            [expected[which] for which in turns], stdin, folder)
        if same and len({output for _, _, output in results}) > 1:
            raise Failure(f"the outputs of {shlex.join(base)} and another differ")
        times = {which: result[:2] for which, result in zip(turns, results)}
        for which in turns:
            expected[which] = max(times[which][1], 1e-3)
        for i in open_ones:
            series[i].add(times[0], times[i + 1])
        done += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("-n", type=int, default=15)
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--within", type=float, default=0.01)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--slices", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--stdin")
    parser.add_argument("--same", action="store_true")
    parser.add_argument("base")
    parser.add_argument("other", nargs="+")
    args = parser.parse_args()
    try:
        ratios = measure(shlex.split(args.base), [shlex.split(o) for o in args.other],
                         args.n, args.most, args.within, args.seconds, args.cpu,
                         args.slices, args.same, args.stdin)
    except (Failure, OSError) as failure:
        sys.exit(f"paired: {failure}")
    for ratio in ratios:
        print(json.dumps(dataclasses.asdict(ratio)) if args.json else ratio.text())


if __name__ == "__main__":
    main()
