#!/usr/bin/env python3
# sample-overlap.py - how much of a full profile one of sample mode shows.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: sample-overlap.py [options] [PROGRAM...]

Builds the programs of overhead.py in the modes full and sample, runs each, and
prints how far the two profiles agree, as shares:

  top 20    the 20 sites with the most executions in full mode: the sum of the
            smaller of their two shares of all executions, over that of full mode
  strides   those sites, weighted by executions: whose stride class is the same
  alias     pairs of source and sink whose dependences are more than 1 % of the
            sink's executions, in either mode: the overlap of `memprof diff' over
            their counts
  sites, dependences    what `memprof diff' says of all of them

The first three are 1 for equal profiles.  A program is OK where they are 0.9 at
least.  PROGRAM: only these (overhead.py --list names them).

  --quick         small inputs
  --options LIST  of the runs in sample mode, as in MPRT_OPTIONS (period=100000)
  --runs N        runs in sample mode; the worst counts (1)
  --work DIR      build and run there, and keep it; what is there is used again
  --json FILE     write the figures

Environment: as overhead.py.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import overhead_programs as programs
import overhead_runs as runs

TOP, FREQUENT, ENOUGH = 20, 0.01, 0.9


def parse():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n", 1)[0].removeprefix("usage: "),
        epilog=__doc__.split("\n", 2)[2],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--options", default="", help=argparse.SUPPRESS)
    parser.add_argument("--runs", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--json", help=argparse.SUPPRESS)
    parser.add_argument("programs", nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args()


class Profile:
    """What is compared of a profile, by the identity of sites."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            document = json.load(f)
        self.run = document["run"]
        name, self.executions = {}, {}
        for module in document["modules"]:
            for function in module["functions"]:
                key = (module["file"], function.get("linkage_name", function["name"]),
                       function["checksum"])
                for site in function.get("sites", []):
                    name[site["id"]] = (*key, site["ordinal"])
                    self.executions[name[site["id"]]] = site["executions"]
        self.classes = {name[r["site"]]: r["class"] for r in document["strides"]}
        self.pairs = {}
        for row in [*document["dependences"], *document.get("inferred_dependences", [])]:
            if (row.get("kind", "raw") == "raw" and row["source"] in name
                    and row["sink"] in name):
                pair = name[row["source"]], name[row["sink"]]
                self.pairs[pair] = self.pairs.get(pair, 0) + row["count"]

    def frequent(self):
        return {pair for pair, n in self.pairs.items()
                if n > FREQUENT * self.executions[pair[1]]}


def overlap(a, b):
    """As memprof diff: of two counts by key."""
    all_a, all_b = sum(a.values()), sum(b.values())
    if not all_a or not all_b:
        return float(all_a == all_b)
    return sum(min(n / all_a, b.get(key, 0) / all_b) for key, n in a.items())


def agreement(full, sample):
    top = sorted(full.executions, key=lambda s: (-full.executions[s], s))[:TOP]
    weight = sum(full.executions[s] for s in top)
    all_full, all_sample = (sum(p.executions.values()) for p in (full, sample))
    if not all_full or not all_sample or not sample.run.get("bursts"):
        raise programs.Broken(f"nothing to compare: {all_full} executions in mode full, {all_sample} "
                              f"in {sample.run.get('bursts', 0)} bursts")
    common = sum(min(full.executions[s] / all_full, sample.executions.get(s, 0) / all_sample)
                 for s in top)
    same = sum(full.executions[s] for s in top
               if full.classes.get(s) == sample.classes.get(s))
    frequent = full.frequent() | sample.frequent()
    return {"top": common * all_full / weight, "strides": same / weight,
            "alias": overlap({p: full.pairs.get(p, 0) for p in frequent},
                             {p: sample.pairs.get(p, 0) for p in frequent}),
            "bursts": sample.run.get("bursts", 0), "share": sample.run.get("share", 1)}


def diff(tools, full, sample):
    done = subprocess.run([tools.builddir + "/memprof", "diff", "--json", full, sample],
                          capture_output=True, text=True, check=True)
    overlaps = json.loads(done.stdout)["overlap"]
    return {"sites": overlaps["executions"], "dependences": overlaps.get("dependences", 1.0)}


class Quality(runs.Bench):
    """A program in two modes."""

    def build(self):
        if not all(os.path.exists(self.binary(v.build)) for v in self.variants):
            super().build()

    def profile(self, mode, options=""):
        result = f"{self.folder}/{mode}.json"
        if os.path.exists(result):
            os.remove(result)
        arguments = self.program.quick if self.quick else self.program.args
        backend = self.tools.consumers["backend"]
        more = f":{options}" if options else ""
        runs.run([self.binary("generate" if mode == "full" else mode), *arguments],
                 self.folder,
                 {"MPRT_OPTIONS": f"merge=0:backend={backend}:output={result}{more}"},
                 self.program.status)
        return result

    def compare(self, options, times):
        kept = f"{self.folder}/full.{'quick' if self.quick else 'whole'}.json"
        if not os.path.exists(kept):
            os.rename(self.profile("full"), kept)
        full, worst = Profile(kept), None
        for _ in range(times):
            path = self.profile("sample", options)
            row = agreement(full, Profile(path)) | diff(self.tools, kept, path)
            if not worst or least(row) < least(worst):
                worst = row
        return worst


def least(row):
    return min(row["top"], row["strides"], row["alias"])


def line(row):
    shares = "".join(f"{row[name]:10.3f}"
                     for name in ("top", "strides", "alias", "sites", "dependences"))
    return (f"{row['name']:10}{shares}{row['bursts']:8}{row['share'] * 100:8.2f}"
            + ("  OK" if least(row) >= ENOUGH else ""))


def main():
    args = parse()
    unknown = set(args.programs) - {p.name for p in programs.PROGRAMS}
    if unknown:
        raise SystemExit(f"sample-overlap: no program {', '.join(sorted(unknown))}")
    chosen = [p for p in programs.PROGRAMS if p.name in (args.programs or [p.name])]
    rows, broken = [], 0
    with tempfile.TemporaryDirectory(prefix="memprof-sample.") as temporary:
        work = os.path.abspath(args.work or temporary)
        os.makedirs(work, exist_ok=True)
        tools = runs.Tools(work)
        variants = [v for v in runs.known_variants(tools) if v.name in ("full", "sample")]
        print(f"{'program':10}{'top 20':>10}{'strides':>10}{'alias':>10}{'sites':>10}"
              f"{'dependen.':>10}{'bursts':>8}{'% seen':>8}", flush=True)
        for program in chosen:
            try:
                quality = Quality(program, tools, variants, args.quick)
                quality.build()
                rows.append({"name": program.name} | quality.compare(args.options, args.runs))
            except programs.NotAvailable as trouble:
                print(f"sample-overlap: {program.name} left out: {trouble}", file=sys.stderr)
                continue
            except programs.Broken as trouble:
                print(f"sample-overlap: {program.name} FAILS: {trouble}", file=sys.stderr)
                broken += 1
                continue
            print(line(rows[-1]), flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(rows, f, indent=1)
            f.write("\n")
    good = sum(least(row) >= ENOUGH for row in rows)
    print(f"{good} of {len(rows)} programs agree with full mode to {ENOUGH}")
    return 0 if rows and not broken and good == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
