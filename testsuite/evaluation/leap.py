# leap.py - LEAP: table 1 and figures 6 to 9 of Wu et al., CGO 2004.
# SPDX-License-Identifier: GPL-3.0-or-later
import json
from statistics import mean, median

from page import Item, Page, table
from programs import Run
from shop import Broken

PAPER = ("Qiang Wu, Artem Pyatakov, Alexey Spiridonov, Easwaran Raman, Douglas W. Clark, David I. August: *Exposing Memory Access "
         "Regularities Using Object-Relative Memory Profiling*, CGO 2004: the lossy profiler LEAP.")
# Program of the paper: compression, dilation, accesses captured, instructions captured, in percent.
TABLE_1 = {"164.gzip": (1169, 15, 57.1, 40.8), "175.vpr": (3935, 16, 34.7, 52.8), "181.mcf": (9993, 7, 6.5, 40.8),
           "186.crafty": (967, 9, 50.3, 41.7), "197.parser": (667, 7, 76.3, 8.2), "256.bzip2": (7152, 14, 31.6, 50.6),
           "300.twolf": (856, 15, 66.5, 39.8)}
RUNS = (Run("gzip", "-c part", None, "164.gzip"),
        Run("anneal", "20000 300000", "600 2000", "175.vpr"),
        Run("mst", "800 16", "300 8", "181.mcf"),
        Run("minisat", "-verb=0 formula.cnf", None, "186.crafty"),
        Run("lua", "script.lua 6000", "script.lua 300", "197.parser"),
        Run("bzip2", "-c part", None, "256.bzip2"),
        Run("tour", "40000 7 8", "2000 7 2", "300.twolf"))
TIMED = {"gzip": "-c mixed", "anneal": "50000 600000", "mst": "1500 24", "lua": "script.lua 30000", "tour": "100000 7 4"}
BINS = ["-100", *map(str, range(-90, 0, 10)), "0", *map(str, range(10, 110, 10))]


def accuracy(shop, run):
    """What leap_accuracy prints of a recorded run: dependences, strides, what is captured."""
    shop.make("leap_accuracy")
    row = json.loads(shop.output(shop.builddir + "/leap_accuracy", "--json", shop.trace(run)).splitlines()[-1])
    if not (row["pairs"] and sum(row["leap"]) >= row["pairs"] and 0 < row["captured"] <= 100 and row["compression"] > 1):
        raise Broken(f"leap: {run.text()}: absurd: {row}")
    return row


def dilation(shop, run):
    """How many times as long the program takes with LEAP's modules alone."""
    modules = "object_relative,mdf"
    run = Run(run.name, TIMED.get(run.name, run.args), run.quick)
    profiled = shop.build(run.name, *shop.generate(modules))
    out = f"{shop.folder}/profiles/leap-timed.json"
    return shop.timed(run, (shop.build(run.name), ""), [(profiled, f"merge=0:output={out}")], 3)[0]


def within(bins):
    """The share of pairs whose error is at most 10 points."""
    return sum(bins[9:12]) / max(sum(bins), 1)


def table_1(runs, rows, times):
    lines = []
    for run in runs:
        r, theirs = rows[run.stands_for], TABLE_1[run.stands_for]
        lines.append((run.stands_for, f"`{run.text()}`", r["accesses"], r["compression"], theirs[0],
                      times[run.stands_for]["ratio"], theirs[1], r["captured"], theirs[2], r["sites"], theirs[3]))
    means = [mean(line[i] for line in lines) for i in range(3, 11)]
    lines.append(("mean", "", "", *means))
    head = ("paper", "here", "accesses", "compression", "theirs", "dilation", "theirs", "accesses captured %", "theirs",
            "instructions captured %", "theirs")
    compression, _, slow, _, captured, _, sites, _ = means
    large = sum(line[3] >= 1000 for line in lines[:-1])
    return Item(
        "Table 1", "Sample quality, compression and run time",
        f"compression {median(line[3] for line in lines[:-1]):,.0f} (median; mean {compression:,.0f}), dilation {slow:.1f}, captured {captured:.1f} % of accesses, {sites:.1f} % of instructions",
        "compression 3,539, dilation 11.5, captured 46.5 % and 40.5 % (means as printed)",
        [(f"A profile is at least 1000 times smaller than the trace, mean ({compression:,.0f}, most of it of one program)", compression >= 1000),
         (f"So it is in most programs ({large} of {len(lines) - 1})", large > (len(lines) - 1) / 2),
         (f"LMADs capture at least 46.5 % of the accesses ({captured:.1f} %)", captured >= 46.5),
         (f"LMADs capture at least 40.5 % of the instructions wholly ({sites:.1f} %)", sites >= 40.5),
         (f"Collection slows a program down by at most 11.5 ({slow:.1f})", slow <= 11.5)],
        "Compression is 13 bytes an access (kind, instruction, address) by 8 bytes for each number of an LMAD; it grows with the run, "
        "as LMADs do not, and these runs are shorter than the paper's. Dilation is time by the clock with the backend on the second processor. "
        "An instruction counts as captured if no sub-stream of it, with time or without, overflows. "
        "The means of the paper's rows are 3,534, 11.9, 46.1 and 39.2.",
        table(head, lines))


def error_figure(figures, rows, which, title, name):
    total = [sum(r[which][i] for r in rows.values()) for i in range(21)]
    shares = [100 * n / max(sum(total), 1) for n in total]
    return figures.bars(name, title, "% of dependent pairs", BINS, {"share": [round(s, 2) for s in shares]}), shares


def histogram(figures, rows, which, number, method, theirs):
    figure, shares = error_figure(figures, rows, which, f"Errors of the dependence frequency, {method}", f"leap-{which}")
    centre, low, high = sum(shares[9:12]), sum(shares[:9]), sum(shares[12:])
    goal = 75 if which == "leap" else 48
    if which == "leap":
        claims = [(f"At least 75 % of the dependent pairs are right within 10 points ({centre:.1f} %)", centre >= goal)]
    else:
        claims = [(f"Fewer than LEAP's pairs are right within 10 points ({centre:.1f} %)",
                   centre < 100 * within([sum(r["leap"][i] for r in rows.values()) for i in range(21)])),
                  (f"A window never overestimates ({high:.1f} % of the pairs)", high == 0)]
    return Item(number, f"Error distribution of memory dependence frequencies, {method}",
                f"{centre:.1f} % within 10 points, {low:.1f} % below, {high:.1f} % above", theirs, claims,
                "Shares of all pairs of all programs. Exact frequencies are of a recorder that remembers for each byte which stores have ever written it."
                + ("" if which == "leap" else " The window's size is, for each program, the largest one that takes no longer than LEAP. "
                   "The paper's bars are not known to us as numbers."), figure)


def pairs_figure(figures, rows):
    names = list(rows)
    series = {"LEAP": [round(100 * within(r["leap"]), 1) for r in rows.values()],
              "window": [round(100 * within(r["windowed"]), 1) for r in rows.values()]}
    ours, other = mean(series["LEAP"]), mean(series["window"])
    lines = [(n, rows[n]["pairs"], a, b, rows[n]["window"]) for n, a, b in zip(names, *series.values())]
    return Item("Figure 8", "Dependent pairs that are right within 10 points, by program",
                f"LEAP {ours:.1f} %, window {other:.1f} %: {100 * (ours / other - 1):.0f} % more pairs", "LEAP 75 %, 56 % more pairs than a window",
                [(f"LEAP gets 75 % right, mean of the programs ({ours:.1f} %)", ours >= 75),
                 (f"That is at least 56 % more than a window that takes as long ({100 * (ours / other - 1):.0f} %)", ours >= 1.56 * other)],
                "Bars by program are not known to us. How many places a window of equal cost has is in the last column: the smallest that was tried is 1.",
                figures.bars("leap-pairs", "Pairs right within 10 points", "% of dependent pairs", names, series, "set yrange [0:100]\n")
                + "\n\n" + table(("paper's program", "pairs", "LEAP %", "window %", "places of the window"), lines))


def strides_figure(figures, rows):
    rows = {n: r for n, r in rows.items() if r["strided"]}
    scores = [100 * r["strided_found"] / r["strided"] for r in rows.values()]
    lines = [(n, r["strided"], r["strided_found"], r["strided_wrong"], s) for (n, r), s in zip(rows.items(), scores)]
    return Item("Figure 9", "Strongly strided instructions that LEAP finds", f"{mean(scores):.1f} %", "88 %",
                [(f"LEAP finds at least 88 % of the strongly strided instructions, mean of the programs ({mean(scores):.1f} %)",
                  mean(scores) >= 88)],
                "One stride within an object has 70 % of the executions. Programs without such instructions are left out. Bars by program are not known to us.",
                figures.bars("leap-strides", "Strongly strided instructions that LEAP finds", "%", list(rows),
                             {"score": [round(s, 1) for s in scores]}, "set yrange [0:100]\nset key off\n")
                + "\n\n" + table(("paper's program", "strongly strided", "found", "found wrongly", "score %"), lines))


def page(shop, figures):
    rows = {r.stands_for: shop.keep(f"leap accuracy {r.stands_for}", lambda r=r: accuracy(shop, r), r) for r in RUNS}
    times = {r.stands_for: shop.keep(f"leap dilation {r.stands_for}", lambda r=r: dilation(shop, r), r) for r in RUNS}
    items = [table_1(RUNS, rows, times),
             histogram(figures, rows, "leap", "Figure 6", "LEAP", "75 % within 10 points"),
             histogram(figures, rows, "windowed", "Figure 7", "a window of places", "about 48 % within 10 points"),
             pairs_figure(figures, rows), strides_figure(figures, rows)]
    return Page("leap", "LEAP", PAPER,
                "The paper: seven programs of SPEC CPU2000 with training inputs, Itanium. Here: gzip and bzip2 in Debian's versions, and programs of "
                "the same role for the others, since SPEC is not free: simulated annealing for vpr, a minimum spanning tree in linked lists for "
                "mcf, a search for crafty, an interpreter that parses and looks words up for parser, tours through points in the plane for twolf.",
                items)
