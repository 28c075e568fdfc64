#!/usr/bin/env python3
# sample-truth.py - the numbers of sampled profiles beside those of every access.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: sample-truth.py [options] [PROGRAM | FILE.c]...

Builds the programs of overhead.py (or a source file of C) twice, runs both, and
compares their profiles, table by table: one of the default mode, and one of full
mode whose model of the caches looks at every access.  Of each number it prints

  ratio     the sum in the sampled profile over the true sum
  rows      rows with 0.1 % of the true sum and more (misses, requests to memory and walks: 1 %)
  median    of the relative errors of these rows
  in 1.5    share of them that are right within a factor of 1.5
  held      share of them whose 95 % interval holds the truth, where there is one

and for each table the same over all programs.  Fails if there is nothing to
compare, or unless 90 % of the programs have sums of misses within 25 %.

  --quick         small inputs
  --options LIST  of the sampled runs, as in MPRT_OPTIONS
  --work DIR      build and run there, and keep it; what is there is used again
  --json FILE     write the figures
  --verbose       print the rows that are wrong by more than 1.5

Environment: as overhead.py.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

import overhead_programs as programs
import overhead_runs as runs

MISSES = ("l1", "l2", "llc", "tlb")
MEMORY = ("requests", "walks")
TABLES = ("executions", *MISSES, "entries", "iterations", "groups", "fields", *MEMORY)
TRUTH = "cache=sample=1,window=1:pages=sample=1,window=1"
MODULES = "cache,pages,points_to,fields,object_relative"


def parse():
    parser = argparse.ArgumentParser(
        usage=__doc__.split("\n", 1)[0].removeprefix("usage: "),
        epilog=__doc__.split("\n", 2)[2],
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--options", default="", help=argparse.SUPPRESS)
    parser.add_argument("--work", help=argparse.SUPPRESS)
    parser.add_argument("--json", help=argparse.SUPPRESS)
    parser.add_argument("--verbose", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("programs", nargs="*", help=argparse.SUPPRESS)
    return parser.parse_args()


def tables_of(path):
    """{table: {row's name: (count, half of its interval or None)}}"""
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    tables = {name: {} for name in TABLES}
    sites, groups = {}, {}

    def add(table, key, count, error=None, absolute=False):
        before, spread = tables[table].get(key, (0, None))
        if error is not None:
            spread = ((spread or 0) ** 2 + (error if absolute else error * count) ** 2) ** 0.5
        tables[table][key] = (before + count, spread)

    for module in document["modules"]:
        for function in module["functions"]:
            name = (module["file"], function.get("linkage_name", function["name"]))
            for site in function.get("sites", []):
                sites[site["id"]] = (*name, site["ordinal"], site.get("line"))
                add("executions", sites[site["id"]], site["executions"], site.get("error", 0))
            for number, loop in enumerate(function.get("loops", [])):
                add("entries", (*name, number), loop.get("invocations", 0),
                    loop.get("invocations_error", 0))
                add("iterations", (*name, number), loop.get("iterations", 0),
                    loop.get("iterations_error", 0))
    for row in document.get("cache", []):
        for level in MISSES:
            add(level, sites[row["site"]], row.get(level, 0), row.get(level + "_error", 0), True)
    for group in document["groups"]:
        key = tuple(str(group.get(k)) for k in ("kind", "file", "line", "function", "type"))
        groups[group["id"]] = key
        add("groups", key, group.get("accesses", 0), group.get("error", 0))
    for row in document.get("fields", []):
        add("fields", (row["type"], row["field"]), row.get("loads", 0) + row.get("stores", 0),
            row.get("error"))
    for row in document.get("pages", []):
        key = groups.get(row.get("group"))
        add("requests", key, row.get("memory", {}).get("requests", 0))
        add("walks", key, row.get("walks", 0), 2 * row.get("variance", 0) ** 0.5, True)
    return tables


def compare(true, sampled, least):
    """Figures of one table; None: it counts nothing."""
    total = sum(count for count, _ in true.values())
    if not total:
        return None
    errors, held, wrong = [], [], []
    for key, (count, _) in true.items():
        if count < least * total:
            continue
        got, spread = sampled.get(key, (0, None))
        errors.append((got - count) / count)
        if spread is not None:
            held.append(abs(got - count) <= spread)
        if not count / 1.5 <= got <= count * 1.5:
            wrong.append((key, count, got))
    if not errors:
        return None
    return {"ratio": sum(c for c, _ in sampled.values()) / total, "true": total,
            "rows": len(errors), "median": statistics.median(map(abs, errors)),
            "near": sum(-1 / 3 <= e <= 0.5 for e in errors) / len(errors),
            "held": sum(held) / len(held) if held else None, "with_interval": len(held),
            "wrong": wrong}


class Truth(runs.Bench):
    """A program in two modes."""

    def build(self):
        if not all(os.path.exists(self.binary(v.build)) for v in self.variants):
            super().build()

    def profile(self, variant, options):
        result = f"{self.folder}/{variant}.json"
        if os.path.exists(result):
            os.remove(result)
        arguments = self.program.quick if self.quick else self.program.args
        backend = self.tools.consumers["backend"]
        runs.run([self.binary(variant), *arguments], self.folder,
                 {"MPRT_OPTIONS": f"merge=0:backend={backend}:output={result}:{options}"},
                 self.program.status)
        return result

    def figures(self, options):
        kept = f"{self.folder}/truth.{'quick' if self.quick else 'whole'}.json"
        if not os.path.exists(kept):
            os.rename(self.profile("truth", TRUTH), kept)
        true, sampled = tables_of(kept), tables_of(self.profile("sample", options))
        if not sum(c for c, _ in sampled["executions"].values()):
            raise programs.Broken("the sampled profile is empty")
        return {name: compare(true[name], sampled[name], 0.01 if name in MISSES + MEMORY else 0.001)
                for name in TABLES}


def text(name, table, f):
    held = "       -" if f["held"] is None else f"{f['held']:8.2f}"
    return (f"{name:14}{table:11}{f['true']:16,}{f['ratio']:9.3f}{f['rows']:7}{f['median']:8.3f}"
            f"{f['near']:8.2f}{held}")


def summary(results):
    """Over all programs: shares of programs, and of rows."""
    good = True
    for table in TABLES:
        of = [r[table] for r in results.values() if r[table]]
        if not of:
            continue
        right = sum(0.75 <= f["ratio"] <= 1.25 for f in of) / len(of)
        rows = sum(f["rows"] for f in of)
        near = sum(f["near"] * f["rows"] for f in of) / rows
        with_interval = sum(f["with_interval"] for f in of)
        held = sum((f["held"] or 0) * f["with_interval"] for f in of)
        print(f"{table:11} sums within 25 %: {right:5.1%} of {len(of)} programs;  rows within 1.5: "
              f"{near:5.1%} of {rows}"
              + (f";  intervals hold: {held / with_interval:5.1%}" if with_interval else ""))
        good = good and (table not in MISSES or right >= 0.9)
    return good


def program_of(name):
    if name.endswith(".c"):
        return programs.Program(os.path.basename(name)[:-2], "given", [], [],
                                os.path.relpath(os.path.abspath(name), programs.SRCDIR))
    found = [p for p in programs.PROGRAMS if p.name == name]
    if not found:
        raise SystemExit(f"sample-truth: no program {name}")
    return found[0]


def main():
    args = parse()
    chosen = [program_of(n) for n in args.programs] or programs.PROGRAMS
    results, broken = {}, 0
    with tempfile.TemporaryDirectory(prefix="memprof-truth.") as temporary:
        work = os.path.abspath(args.work or temporary)
        os.makedirs(work, exist_ok=True)
        tools = runs.Tools(work)
        flags = ("-specs=" + tools.specs, "-fprofile-mem-generate=.")
        variants = [runs.Variant("truth", "truth", (*flags, "-fprofile-mem-mode=full",
                                                    "-fprofile-mem-modules=" + MODULES), "backend"),
                    runs.Variant("sample", "sample", (*flags, "-fprofile-mem-modules=default,pages"),
                                 "backend")]
        print(f"{'program':14}{'table':11}{'true':>16}{'ratio':>9}{'rows':>7}{'median':>8}"
              f"{'in 1.5':>8}{'held':>8}", flush=True)
        for program in chosen:
            try:
                truth = Truth(program, tools, variants, args.quick)
                truth.build()
                results[program.name] = truth.figures(args.options)
            except programs.NotAvailable as trouble:
                print(f"sample-truth: {program.name} left out: {trouble}", file=sys.stderr)
                continue
            except programs.Broken as trouble:
                print(f"sample-truth: {program.name} FAILS: {trouble}", file=sys.stderr)
                broken += 1
                continue
            for table, figures in results[program.name].items():
                if not figures:
                    continue
                print(text(program.name, table, figures), flush=True)
                for key, true, got in figures["wrong"] if args.verbose else []:
                    print(f"{'':25}{true:16,}{got:16,}  {' '.join(str(k) for k in key or ())}")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump(results, f, indent=1)
            f.write("\n")
    good = bool(results) and summary(results)
    return 0 if good and not broken else 1


if __name__ == "__main__":
    sys.exit(main())
