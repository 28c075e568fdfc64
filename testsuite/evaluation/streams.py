# streams.py - hot data streams: tables 1 to 3 and figures 1, 5 to 9 of Chilimbi, PLDI 2001.
# SPDX-License-Identifier: GPL-3.0-or-later
from statistics import mean, median

import recordings as r
from page import Item, Page, percent, table

PAPER = ("Trishul M. Chilimbi: *Efficient Representations and Abstractions for Quantifying and Exploiting Data Reference Locality*, "
         "PLDI 2001: whole program streams and hot data streams.")
# References, those to the heap, to globals (millions), addresses, references per address, k, streams, addresses in streams, % of all,
# weighted size, weighted interval, packing %.
THEIRS = {"176.gcc": (464.7, 125.0, 146.1, 22647, 11972, 1, 7461, 3912, 17.27, 10.3, 4575.4, 51.7),
          "197.parser": (1255.7, 516.4, 530.5, 9977, 104929, 69, 105, 14, 0.14, 24.0, 86.9, 64.8),
          "252.eon": (1784.0, 165.4, 152.5, 18744, 16961, 126, 60, 80, 0.43, 18.4, 47.9, 66.4),
          "253.perlbmk": (112.1, 36.3, 27.4, 26715, 2385, 58, 228, 181, 0.68, 23.1, 334.8, 31.0),
          "255.vortex": (3384.4, 778.4, 637.3, 200810, 7050, 75, 475, 250, 0.12, 11.5, 92.8, 36.1),
          "300.twolf": (91.6, 39.3, 27.6, 17770, 3764, 5, 1260, 419, 2.36, 23.9, 847.7, 39.8),
          "boxsim": (183.4, 60.1, 43.6, 75677, 1371, 4, 3896, 1701, 2.25, 25.8, 228.2, 49.2),
          "SQL server": (279.2, 139.4, 39.8, 1606890, 112, 8, 77319, 32616, 2.03, 10.9, 2544.1, 41.4)}
RUNS = (r.TCC, r.PUGIXML, r.LUA, r.LEDGER, r.TOUR, r.HEALTH, r.SQLITE3)
TRACE_BYTES = 9     # of an access, as in the paper


def both(head, rows, found):
    """A table with a line of ours and one of the paper for each program; ROWS: name -> cells, FOUND: columns of THEIRS."""
    lines = []
    for run in RUNS:
        lines.append((run.stands_for, f"`{run.name}`", *rows[run.stands_for]))
        lines.append((run.stands_for, "paper", *(THEIRS[run.stands_for][i] for i in found)))
    return table(("program", "of", *head), lines)


def table_1(rows):
    cells = {n: (x["references"] / 1e6, x["heap_references"] / 1e6, x["global_references"] / 1e6, x["names"],
                 x["references"] / x["names"]) for n, x in ((n, v["hot_streams"]) for n, v in rows.items())}
    least = min(c[4] for c in cells.values())
    return Item("Table 1", "References and addresses", f"{least:,.0f} references to a datum at least, {median(c[4] for c in cells.values()):,.0f} median",
                "112 at least, 5,407 median",
                [(f"Each datum is referenced over and over: at least 100 times on average in each program ({least:,.0f})", least >= 100)],
                "References in millions, without the stack; the paper counts heap, globals and others. A datum is an object here; the paper counts addresses. "
                "These runs are ten to a thousand times shorter, so a datum has fewer references.",
                both(("references M", "heap M", "global M", "data", "references per datum"), cells, range(5)))


def table_2(rows):
    cells, reached = {}, 0
    for n, v in rows.items():
        h = v["hot_streams"]
        cells[n] = (f"{h['multiple']}" + ("" if h["coverage"] >= 0.9 else f" (covers {percent(h['coverage'])})"),
                    h["found"], h["members"], 100 * h["members"] / h["names"])
        reached += h["coverage"] >= 0.9
    most = max(c[3] for c in cells.values())
    middle = median(c[3] for c in cells.values())
    return Item("Table 2", "Threshold of exploitable locality and hot data streams",
                f"k of 1 and more covers 90 % in {reached} of {len(rows)}; streams have {middle:.1f} % of the data (median)", "k from 1 to 126, all cover 90 %; 1.2 % median, 17.27 % most",
                [(f"Streams with heat of one unit of uniform access and more cover 90 % of the references in each program ({reached} of {len(rows)})",
                  reached == len(rows)),
                 (f"At most 17.3 % of the data is in hot streams in each program (most: {most:.1f} %)", most <= 17.3)],
                "In a short run a datum has few references, so a stream of all of them may not be hot, and coverage stays below 90 %. "
                "The multiple is the largest one that covers 90 %; the paper says smallest, which its own use contradicts.",
                both(("k", "streams", "data in streams", "% of all"), cells, range(5, 9)))


def table_3(rows):
    cells = {n: (v["locality"]["spatial"], v["locality"]["temporal"], 100 * v["locality"]["packing"]) for n, v in rows.items()}
    sizes, packs = [c[0] for c in cells.values()], [c[2] for c in cells.values()]
    return Item("Table 3", "Spatial and temporal locality of hot data streams",
                f"{median(sizes):.1f} elements, packing {median(packs):.1f} % (medians)", "20.7 elements, 45.3 % (medians)",
                [(f"Streams are long: at least 10 elements, weighted by heat, in most programs ({sum(s >= 10 for s in sizes)} of {len(sizes)})",
                  sum(s >= 10 for s in sizes) > len(sizes) / 2),
                 (f"Streams lie in two to three times as many blocks as they need: packing of at most 50 %, median ({median(packs):.1f} %)",
                  median(packs) <= 50)],
                "Blocks have 64 bytes. A datum is what one call of malloc has given: where a program has pools of its own (tcc, pugixml, sqlite3), that is larger than a block, "
                "and a stream of large objects is packed well by definition. tour and health, with objects of less than a block, are like the paper's programs.",
                both(("weighted size", "weighted interval", "packing %"), cells, range(9, 12)))


def figure_1(figures, rows):
    names = list(rows)
    data = [100 * v["locality"]["skew_addresses"] for v in rows.values()]
    sites = [100 * v["locality"]["skew_sites"] for v in rows.values()]
    return Item("Figure 1", "How few addresses and instructions have 90 % of the references",
                f"{median(data):.1f} % of the addresses, {median(sites):.1f} % of the instructions (medians)", "1 to 2 % and 4 to 8 %",
                [(f"90 % of the references go to 2 % of the addresses or less, median ({median(data):.1f} %)", median(data) <= 2),
                 (f"They come from 8 % of the loads and stores or less, median ({median(sites):.1f} %)", median(sites) <= 8)],
                "Instructions are those that were executed; programs that do one thing have few that are cold. The paper's programs and runs are larger.",
                figures.bars("streams-skew", "Addresses and instructions with 90 % of the references", "%", names,
                             {"addresses": [round(x, 2) for x in data], "instructions": [round(x, 2) for x in sites]}))


def figure_5(figures, rows):
    lines, first, second = [], [], []
    for n, v in rows.items():
        h = v["hot_streams"]
        trace = TRACE_BYTES * h["references"]
        first.append(trace / h["wps0_ascii"])
        second.append(h["wps0_ascii"] / max(h["wps1_ascii"], 1))
        lines.append((n, trace, h["wps0_ascii"], h["wps1_ascii"], h["edges"], first[-1], second[-1]))
    good = sum(x >= 10 for x in first)
    again = sum(x >= 10 for x in second)
    series = {"trace": [l[1] for l in lines], "WPS0": [l[2] for l in lines], "WPS1": [l[3] for l in lines], "edges of the SFG": [l[4] for l in lines]}
    return Item("Figure 5", "Sizes of trace, whole program streams and flow graph",
                f"WPS0 {median(first):.0f} times smaller than the trace, WPS1 {median(second):.1f} times smaller than WPS0 (medians)",
                "one to two orders of magnitude, then one more",
                [(f"WPS0 is at least ten times smaller than the trace in most programs ({good} of {len(first)})", good > len(first) / 2),
                 (f"WPS1 is at least ten times smaller than WPS0 in most programs ({again} of {len(second)})", again > len(second) / 2)],
                "Bytes: 9 for an access of the trace, grammars as text. Grammars shrink with the length of the run.",
                figures.bars("streams-sizes", "Sizes", "bytes, or edges", list(rows), series, "set logscale y\nset yrange [1:]\n")
                + "\n\n" + table(("program", "trace", "WPS0", "WPS1", "edges of the SFG", "trace / WPS0", "WPS0 / WPS1"), lines))


def shares(points, weight, value):
    """Pairs of a cumulative distribution, in percent."""
    return [(p[value], 100 * p[weight]) for p in points]


def figure_6(figures, rows):
    series = {n: shares(v["distributions"]["lengths"], "streams", "length") for n, v in rows.items()}
    below = {n: max([y for x, y in s if x <= 20] or [0]) for n, s in series.items()}
    return Item("Figure 6", "Distribution of the lengths of hot data streams", f"{median(below.values()):.0f} % have at most 20 elements (median)",
                "curves; no numbers known to us",
                [(f"Most streams are short: half of them or more have at most 20 elements in most programs ({sum(b >= 50 for b in below.values())} of {len(below)})",
                  sum(b >= 50 for b in below.values()) > len(below) / 2)],
                "Cumulative, by number of streams.",
                figures.lines("streams-lengths", "Lengths of hot data streams", "elements", "% of the streams", series, "set yrange [0:100]\n", "steps lw 2"))


def figure_7(figures, rows):
    series = {n: [(100 * x, y) for x, y in shares(v["distributions"]["packing"], "streams", "packing")] for n, v in rows.items()}
    ideal = {n: 100 - max([y for x, y in s if x < 99.9] or [0]) for n, s in series.items()}
    inside = sum(5 <= x <= 35 for x in ideal.values())
    return Item("Figure 7", "Distribution of the packing of hot data streams",
                f"{min(ideal.values()):.0f} to {max(ideal.values()):.0f} % of the streams are packed ideally", "5 to 35 %",
                [(f"At most 35 % of the streams are packed ideally in most programs ({sum(x <= 35 for x in ideal.values())} of {len(ideal)})",
                  sum(x <= 35 for x in ideal.values()) > len(ideal) / 2)],
                f"Cumulative, by number of streams. Between 5 and 35 % are {inside} of {len(ideal)} programs.",
                figures.lines("streams-packing", "Packing of hot data streams", "packing %", "% of the streams", series, "set yrange [0:100]\n", "steps lw 2"))


def figure_8(figures, rows):
    series = {n: [(100 * p["misses"] / p["references"], 100 * p["misses_in_streams"] / max(p["misses"], 1)) for p in v["potential"]]
              for n, v in rows.items()}
    high = {n: [y for x, y in s if x > 5] for n, s in series.items()}
    means = {n: mean(ys) for n, ys in high.items() if ys}
    enough = sum(m >= 75 for m in means.values())
    return Item("Figure 8", "Share of the misses that hot data streams cause, over the miss rate",
                f"{mean(means.values()):.0f} % where more than 5 % miss (mean of {len(means)})" if means else "no cache size has more than 5 % misses",
                "about 80 % where more than 5 % miss; parser 30 %",
                [(f"Where more than 5 % miss, references of hot streams cause 75 % of the misses and more in most programs ({enough} of {len(means)})",
                  bool(means) and enough > len(means) / 2)],
                "Fully associative caches of 1 to 64 KB with blocks of 64 bytes. Streams that cover less than 90 % of the references (table 2) cannot have 80 % of the misses.",
                figures.lines("streams-misses", "Misses in hot data streams", "miss rate %", "% of the misses", series, "set yrange [0:100]\n", "linespoints lw 2 pt 7 ps 0.6"))


def figure_9(figures, rows):
    lines, series = [], {"prefetch": [], "cluster": [], "both": []}
    for n, v in rows.items():
        p = next(p for p in v["potential"] if p["cache"] == 8192)
        left = [100 * p[k] / max(p["misses"], 1) for k in series]
        for k, x in zip(series, left):
            series[k].append(round(x, 1))
        lines.append((n, p["references"], p["misses"], *left))
    saved = [100 - x for x in series["prefetch"]]
    good = sum(s >= 64 for s in saved)
    worse = sum(x > 100 for x in series["cluster"])
    return Item("Figure 9", "Misses that prefetching and clustering of hot data streams could save",
                f"prefetching saves {min(saved):.0f} to {max(saved):.0f} %; clustering costs misses in {worse} of {len(saved)}", "64 to 92 % saved, parser less",
                [(f"Prefetching hot streams saves 64 % of the misses and more in most programs ({good} of {len(saved)})", good > len(saved) / 2),
                 ("Clustering alone saves misses in each program", max(series["cluster"]) < 100)],
                "A fully associative cache of 8 KB. The first stream that wants a datum says where it lies; where there are thousands of streams, clustering tears others apart.",
                figures.bars("streams-potential", "Misses left, in percent of those without", "%", list(rows), series)
                + "\n\n" + table(("program", "references", "misses", "left: prefetch %", "cluster %", "both %"), lines))


def page(shop, figures):
    rows = {x.stands_for: shop.keep(f"streams {x.stands_for}", lambda x=x: r.analysis(shop, x), x) for x in RUNS}
    items = [table_1(rows), table_2(rows), table_3(rows)] + [f(figures, rows) for f in
                                                            (figure_1, figure_5, figure_6, figure_7, figure_8, figure_9)]
    return Page("streams", "Hot data streams", PAPER,
                "The paper: six programs of SPEC CPU2000 with test inputs, a simulation of spheres and a database, 10^8 to 10^9 references. "
                "Here, whole runs of programs of the same role: " + ", ".join(f"`{x.text()}` for {x.stands_for}" for x in RUNS)
                + ". For eon, a ray tracer in C++, there is none here.", items)
