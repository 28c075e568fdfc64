#!/usr/bin/env python3
"""paired.py - ratio of two commands' run times, from interleaved runs.

usage: paired.py [-n PAIRS] [--cpu] [--json] [--stdin FILE] [--same] BASE OTHER

BASE and OTHER are shell-quoted commands.  Each pair runs both, in an order that
alternates; the ratio is time(BASE) / time(OTHER), so that more than 1 means
that OTHER is faster.  With --cpu processor time instead, of the program and the
system for it: on a machine that does other things, too.  Prints the median ratio with a 95 % interval (from the
order statistics of the pairs) and the medians.  --same fails when the standard
outputs differ.  Nothing else should run meanwhile.
"""
import argparse
import json
import resource
import shlex
import statistics
import subprocess
import sys
import time


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(command, stdin, clock):
    with open(stdin or "/dev/null", "rb") as source:
        start = clock()
        done = subprocess.run(command, stdin=source, stdout=subprocess.PIPE)
        elapsed = clock() - start
    if done.returncode:
        sys.exit(f"paired: {shlex.join(command)}: exit status {done.returncode}")
    return elapsed, done.stdout


def interval(ratios):
    """The order statistics that hold the median with 95 % probability."""
    n = len(ratios)
    half = 0.98 * n ** 0.5
    low = max(0, int(n / 2 - half))
    high = min(n - 1, int(n / 2 + half))
    return sorted(ratios)[low], sorted(ratios)[high]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-n", type=int, default=15)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--stdin")
    parser.add_argument("--same", action="store_true")
    parser.add_argument("base")
    parser.add_argument("other")
    args = parser.parse_args()
    clock = processor_time if args.cpu else time.perf_counter
    commands = [shlex.split(args.base), shlex.split(args.other)]
    times = [[], []]
    for i in range(args.n):
        outputs = [None, None]
        for which in (0, 1) if i % 2 == 0 else (1, 0):
            elapsed, outputs[which] = run(commands[which], args.stdin, clock)
            times[which].append(elapsed)
        if args.same and outputs[0] != outputs[1]:
            sys.exit("paired: the outputs differ")
    ratios = [a / b for a, b in zip(*times)]
    low, high = interval(ratios)
    result = {"ratio": statistics.median(ratios), "low": low, "high": high,
              "base_s": statistics.median(times[0]),
              "other_s": statistics.median(times[1]), "pairs": args.n}
    if args.json:
        print(json.dumps(result))
    else:
        print("ratio %.3f [%.3f, %.3f]  base %.3f s  other %.3f s  (%d pairs)"
              % (result["ratio"], low, high, result["base_s"],
                 result["other_s"], args.n))


if __name__ == "__main__":
    main()
