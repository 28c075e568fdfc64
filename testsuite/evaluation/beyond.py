# beyond.py - what no paper has: from the quality of a profile to speed, and what each design idea is worth.
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import shutil
import types

import closed_loop
from overhead_runs import Tools
from overhead_table import geomean
from page import Item, Page, percent, table
from paired import measure
from programs import Run
from remark_decisions import Agreement, decisions_of
from shop import Broken

# Name: mode and modules of the training run.
QUALITIES = {"exact": ("full", "default,co_access"), "LEAP only": ("full", "object_relative,mdf,stride,cache"), "sampled": ("sample", "default")}
CHAIN = ("hashjoin", "relax", "catalog", "imagefilter", "orderbook", "treesum", "isort")
QUICK_CHAIN = ("hashjoin", "relax")
LEVELS = ("access", "block", "range", "nest")
KERNELS = (Run("gemm", "240", "120"), Run("cg", "20000 6", "2000 2"), Run("treesum", "20000 7 2", "3000 7 1"),
           Run("fft", "16 2", "10 1"), Run("mst", "1500 16", "300 8"))
WINDOWED = (Run("fft", "16 2", "10 1"), Run("cg", "20000 6", "2000 1"), Run("anneal", "40000 200000", "2000 3000"), Run("mst", "1500 16", "300 8"))


class Chain(closed_loop.Case):
    """One program, rebuilt with profiles of different quality."""

    def profile_of(self, quality):
        mode, modules = QUALITIES[quality]
        name = quality.replace(" ", "-")
        path = f"{self.folder}/{self.program.name}.{name}.memprof.json"
        self.build(name + "-generate", "-specs=" + self.tools.specs, "-fprofile-mem-generate=.", "-fprofile-mem-mode=" + mode, "-fprofile-mem-modules=" + modules)
        closed_loop.run(["env", f"MPRT_OPTIONS=output={path}:merge=0", self.binary(name + "-generate"), *self.program.train], folder=self.train)
        return path

    def chain(self, rounds):
        """{quality: decisions taken, share of the exact ones, ratio}"""
        self.build("plain")
        found, decisions = {}, {}
        for quality in QUALITIES:
            name = quality.replace(" ", "-")
            taken = self.rebuild(name, self.profile_of(quality))
            decisions[quality] = decisions_of(f"{self.folder}/{name}.remarks")
            found[quality] = {"taken": sum(taken.values()), "same": Agreement(decisions["exact"], decisions[quality]).share()}
        arguments = self.program.quick if self.args.quick else self.program.test
        ratios = measure([self.binary("plain"), *arguments], [[self.binary(q.replace(" ", "-")), *arguments] for q in QUALITIES],
                         rounds, rounds, same=True, folder=self.test)
        for quality, r in zip(QUALITIES, ratios):
            found[quality].update(ratio=r.ratio, low=r.low, high=r.high)
        return found


def chain(shop, name):
    program = next(p for p in closed_loop.PROGRAMS if p.name == name)
    work = f"{shop.folder}/programs/chain"
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    os.environ["MEMPROF_BUILDDIR"] = shop.builddir
    case = Chain(program, Tools(work), types.SimpleNamespace(quick=shop.quick, move_fields=False))
    try:
        return case.chain(2 if shop.quick else 5)
    finally:
        shutil.rmtree(work)


def chain_item(figures, rows):
    lines = []
    for name, found in rows.items():
        for quality, f in found.items():
            lines.append((name, quality, f["taken"], percent(f["same"]), f"{f['ratio']:.3f}", f"{f['low']:.3f}", f"{f['high']:.3f}"))
    means = {q: geomean(f[q]["ratio"] for f in rows.values()) for q in QUALITIES}
    lines += [("geomean", q, "", "", f"{m:.3f}", "", "") for q, m in means.items()]
    return Item("Chain", "From the quality of the profile to speed", ", ".join(f"{q} {m:.2f} times as fast" for q, m in means.items()), "no paper",
                [(f"Rebuilds with exact profiles are faster than plain builds (geomean {means['exact']:.2f})", means["exact"] > 1.02),
                 (f"None is slower beyond its interval (slowest {min(f['exact']['ratio'] for f in rows.values()):.3f})", all(f["exact"]["high"] >= 1 for f in rows.values())),
                 (f"Sampled profiles give at least 95 % of that speed ({means['sampled'] / means['exact']:.3f})", means["sampled"] >= 0.95 * means["exact"]),
                 (f"LEAP's profile alone gives less ({means['LEAP only']:.2f})", means["LEAP only"] < means["exact"])],
                "Trained on small inputs, timed on larger ones of another seed, against the plain `-O2` build; medians of pairs in turn. *exact*: full mode and all tables; *LEAP only*: LMADs and their "
                "dependence frequencies, strides and misses of the cache model, but no dependences; *sampled*: sample mode. `same` is the share of the cycles that the decisions of both rebuilds expect to save.",
                figures.bars("beyond-chain", "Speed of rebuilds, plain is 1", "times", list(rows), {q: [round(f[q]["ratio"], 3) for f in rows.values()] for q in QUALITIES}, "set yrange [0:]\n")
                + "\n\n" + table(("program", "profile", "decisions", "same as exact", "speed", "from", "to"), lines))


def ablation(shop, run):
    """By level of coalescing: time of the program with a backend that forgets, of all profiling, and bytes of the stream."""
    shop.make("bench_discard")
    plain = (shop.build(run.name), "")
    binaries = {l: shop.build(run.name, *shop.generate("default"), *shop.coalescing(l)) for l in LEVELS}
    out = f"merge=0:output={shop.folder}/profiles/ablation.json"
    counts, found = f"{shop.folder}/profiles/ablation.discarded", {}
    discarding = shop.timed(run, plain, [(b, f"merge=0:output={counts}:backend={shop.builddir}/bench_discard") for b in binaries.values()], 3, cpu=True)
    whole = shop.timed(run, plain, [(b, out) for b in binaries.values()], 3)
    for level, a, b in zip(LEVELS, discarding, whole):
        shop.execute(run, binaries[level], f"merge=0:output={counts}:backend={shop.builddir}/bench_discard")
        found[level] = {"program": a["ratio"], "whole": b["ratio"], "bytes": shop.document(counts)["bytes"]}
    if not found["access"]["bytes"] >= found["nest"]["bytes"] > 0:
        raise Broken(f"beyond: {run.text()}: absurd: {found}")
    return found


def ablation_item(figures, rows):
    lines = [(n, l, f[l]["bytes"] / 1e6, f[l]["program"], f[l]["whole"]) for n, f in rows.items() for l in LEVELS]
    means = {l: geomean(f[l]["whole"] for f in rows.values()) for l in LEVELS}
    sizes = geomean(f["access"]["bytes"] / f["nest"]["bytes"] for f in rows.values())
    return Item("Coalescing", "What records of blocks, loops and nests bring", ", ".join(f"{l} {m:.1f}" for l, m in means.items()) + " times native (geomeans)", "no paper",
                [(f"Each level makes profiling cheaper or leaves it ({', '.join(f'{m:.2f}' for m in means.values())})",
                  all(b <= 1.03 * a for a, b in zip(list(means.values()), list(means.values())[1:]))),
                 (f"All levels together make the stream at least ten times smaller ({sizes:.0f} times)", sizes >= 10)],
                "`-fplugin-arg-memprof-coalesce=LEVEL`; all levels give the same profile. *program* is processor time of the program alone, with a backend that forgets; *all* is time by the clock. Each level has those before it.",
                figures.bars("beyond-coalescing", "Time of full profiling by level, native is 1", "times", list(rows), {l: [round(f[l]["whole"], 2) for f in rows.values()] for l in LEVELS},
                             "set logscale y\nset yrange [0.8:]\n") + "\n\n" + table(("program", "level", "stream MB", "program", "all"), lines))


def backend_seconds(shop, trace, options):
    """Processor time of the backend for a recorded stream, best of three."""
    import resource
    best, out = 1e9, f"{shop.folder}/profiles/windows.json"
    for _ in range(1 if shop.quick else 3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        shop.output(shop.backend, "--from", trace, "--options", "merge=0:" + options, "--output", out)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best, out


def windows(shop, run):
    """Regularity in windows against everything looked at: time and result."""
    trace, found = shop.trace(run, "regularity"), {}
    for name, options in (("windows", "modules=regularity"), ("everything", "modules=regularity:period=0")):
        seconds, out = backend_seconds(shop, trace, options)
        rows = shop.document(out)["regularity"]
        references = sum(r["references"] for r in rows)
        found[name] = {"seconds": seconds, "regularity": sum(r.get("regular", 0) for r in rows) / references}
    return found


def windows_item(rows):
    off = max(abs(f["windows"]["regularity"] - f["everything"]["regularity"]) for f in rows.values())
    cheaper = geomean(f["everything"]["seconds"] / max(f["windows"]["seconds"], 1e-3) for f in rows.values())
    return Item("Windows", "What looking at windows of a run brings", f"{cheaper:.1f} times less processor time, regularity off by at most {off:.3f}", "no paper",
                [(f"Regularity in windows is within 0.02 of that of the whole run ({off:.3f})", off <= 0.02),
                 (f"Windows cost at most half of the processor time (geomean {cheaper:.1f} times less)", cheaper >= 2)],
                "The module `regularity` by itself, of a recorded stream; the time has reading and decoding in it. Runs of a second are short for windows, which begin at a sixteenth of the time that has passed.",
                table(("program", "windows s", "everything s", "regularity in windows", "of everything"),
                      [(n, f["windows"]["seconds"], f["everything"]["seconds"], f["windows"]["regularity"], f["everything"]["regularity"]) for n, f in rows.items()]))


def two_steps(shop, run):
    """All of full profiling with one worker of the backend and with two."""
    binary, out = shop.build(run.name, *shop.generate("default")), f"merge=0:output={shop.folder}/profiles/steps.json"
    return shop.timed(run, (shop.build(run.name), ""), [(binary, f"{out}:workers={n}") for n in (1, 2)], 3)


def two_steps_item(rows):
    means = [geomean(f[i]["ratio"] for f in rows.values()) for i in (0, 1)]
    return Item("Two steps", "What a second worker of the backend brings", f"{means[0]:.2f} to {means[1]:.2f} times native (geomeans)", "no paper",
                [(f"Two workers are faster than one ({means[0] / means[1]:.2f} times)", means[1] < means[0])],
                "Modules run beside each other, and the longest, `dependence`, in two steps that can be at different batches. The program needs one of the two processors itself.",
                table(("program", "one worker", "two"), [(n, f[0]["ratio"], f[1]["ratio"]) for n, f in rows.items()]))


def page(shop, figures):
    names = QUICK_CHAIN if shop.quick else CHAIN
    speed = {n: shop.keep(f"beyond chain {n}", lambda n=n: chain(shop, n)) for n in names}
    runs = KERNELS[1:3] if shop.quick else KERNELS
    levels = {r.name: shop.keep(f"beyond coalescing {r.name}", lambda r=r: ablation(shop, r), r) for r in runs}
    steps = {r.name: shop.keep(f"beyond workers {r.name}", lambda r=r: two_steps(shop, r), r) for r in runs}
    looked = {r.name: shop.keep(f"beyond windows {r.name}", lambda r=r: windows(shop, r), r) for r in WINDOWED}
    return Page("beyond", "Beyond the papers", "Not in any of the papers: does a better profile make a faster program, and what is each design idea worth?",
                "Programs of ours and Debian's gzip; a machine with two processors.",
                [chain_item(figures, speed), ablation_item(figures, levels), two_steps_item(steps), windows_item(looked)])
