# regularity.py - spatial regularity: tables 1 to 8 and figures 4 to 6 of Mohan et al., SC 2003.
# SPDX-License-Identifier: GPL-3.0-or-later
import re
from statistics import mean

from page import Item, Page, number, table
from programs import Run
from shop import Broken

PAPER = ("Tushar Mohan, Bronis R. de Supinski, Sally A. McKee, Frank Mueller, Andy Yoo, Martin Schulz: *Identifying and Exploiting Spatial "
         "Regularity in Data Memory References*, SC 2003.")
COMPLETE = "period=0:regularity=expire=0"
# Regularity, streams, longer than 4, 32, 128, 16384 elements, mean length, deviation, stride. The deviations of gzip, su2cor and
# matmult lack digits in our copy of the paper.
TABLE_2 = {"gzip": (0.95, 5402, 4625, 76, 17, 584, 3552, None, 1.71), "FT": (0.96, 755750, 734755, 20481, 513, 1, 12, 23, 109.3),
           "umt98": (0.44, 310655, 307386, 1818, 1377, 44, 31, 570, 9.4), "smg2000": (0.36, 100675, 100519, 78, 74, 4, 13, 108, 6.95),
           "mgrid": (0.99, 82359, 52, 82307, 0, 0, 91, 3.2, 8.0), "swim": (1.00, 38259, 1052, 2, 37188, 17, 614, 223, 4.4),
           "su2cor": (1.00, 50274, 33688, 289, 16317, 0, 1208, None, 10.0), "CG": (0.58, 184954, 143587, 40555, 805, 7, 46, 518, 5.4),
           "BT": (0.80, 1470357, 1419110, 51247, 0, 0, 9, 4.8, 64.8), "Jacobi": (1.00, 77127, 99, 76832, 196, 0, 85, 26, 12.0),
           "Jacobi, tiled": (1.00, 61741, 61741, 0, 0, 0, 11, 1, 8), "matmult": (1.00, 88683, 8081, 0, 80602, 0, 183, None, 806.0),
           "matmult, tiled": (0.97, 1788850, 1788805, 0, 45, 0, 10, 0.5, 356.3)}
RUNS = (Run("gzip", "-c mixed", None, "gzip"), Run("fft", "14 1", "10 1", "FT"), Run("spmv", "14 7 1", "11 7 1", "umt98"),
        Run("mst", "600 16", "200 8", "smg2000"), Run("stencil3d", "90 2", "30 1", "mgrid"), Run("jacobi", "800 4", "100 2", "swim"),
        Run("cg", "20000 3", "2000 1", "CG"), Run("cholesky", "200", "60", "BT"),
        Run("advised", "jacobi plain 80", "jacobi plain 24", "Jacobi"), Run("advised", "jacobi followed 80", "jacobi followed 40", "Jacobi, tiled"),
        Run("advised", "matmult plain 150", "matmult plain 40", "matmult"), Run("advised", "matmult followed 150", "matmult followed 40", "matmult, tiled"))
# Function of gzip: regularity, streams, length, stride, from table 3.
TABLE_3 = {"fill_window": (1.00, 4, 32766, 2.0), "deflate": (0.96, 4917, 3867, 35.5), "longest_match": (0.31, 2, 5, 4.0),
           "compress_block": (0.16, 207, 1592, 17.1), "send_bits": (0.53, 2, 5, 4.0), "updcrc": (0.0, 0, None, None), "ct_tally": (0.0, 0, None, None)}
TABLE_6 = (("fftz2", 0.98, 513, 16, 12.0), ("cffts1", 1.0, 147969, 28, 39.0), ("cffts3", 0.91, 78307, 7, 24.0), ("cffts2", 0.92, 523776, 7, 24.7),
           ("cfftz", 0.96, 1087, 8, 39.7), ("compute_indexmap", 1.0, 4097, 140, 511.9))
SLOWDOWNS = {"gzip": 304, "FT": 558, "Jacobi": 767, "umt98": 73, "matmult": 115}
POWER3 = "cache=L1=64K/128,TLB=256/2"


def statistics_of(shop, run, function=""):
    """Program and functions as `memprof show --regularity' has them, and streams by class of length."""
    path = shop.profile(run, "regularity", COMPLETE)
    rows = shop.json("show", "--regularity", "--json", "--top=0", path)["regularity"]
    sections = {r["where"].split(" ")[0]: r for r in rows if r["of"] == "function"}
    whole = next(r for r in rows if r["of"] == "program")
    classes = [0] * 5
    for site in shop.document(path)["regularity"]:
        for c in site.get("streams", []):
            classes[sum(c["length"] > edge for edge in (4, 32, 128, 16384))] += c["streams"]
    if not (0 <= whole["regularity"] <= 1 and whole["streams"] and whole["references"] > 10000):
        raise Broken(f"regularity: {run.text()}: absurd: {whole}")
    return {"whole": whole, "functions": sections, "classes": classes}


def table_2(rows):
    lines = []
    for run in RUNS:
        w, theirs = rows[run.stands_for]["whole"], TABLE_2[run.stands_for]
        lines.append((run.stands_for, f"`{run.text()}`", w["references"], w["regularity"], w["streams"], *rows[run.stands_for]["classes"][1:],
                      w["length"], w["deviation"], w["step"]))
        lines.append((run.stands_for, "paper", "", theirs[0], *theirs[1:]))
    w = {n: r["whole"] for n, r in rows.items()}
    regular = [n for n in ("FT", "mgrid", "swim", "Jacobi", "matmult") if w[n]["regularity"] >= 0.8]
    irregular = [n for n in ("umt98", "smg2000", "CG") if w[n]["regularity"] < 0.65]
    shorter = all(w[n + ", tiled"]["length"] < w[n]["length"] for n in ("Jacobi", "matmult"))
    lower = all(w[n + ", tiled"]["step"] <= w[n]["step"] for n in ("Jacobi", "matmult"))
    return Item("Table 2", "Regularity and streams of programs",
                f"{len(regular)} of 5 dense codes regular, {len(irregular)} of 3 indirect ones irregular", "all of both",
                [("Dense codes (FT, mgrid, swim, Jacobi, matmult) have a regularity above 0.80", len(regular) == 5),
                 ("Codes with indirection (umt98, smg2000, CG) have one below 0.65", len(irregular) == 3),
                 (f"gzip is regular: above 0.80 ({w['gzip']['regularity']:.2f})", w["gzip"]["regularity"] > 0.8),
                 ("Tiles shorten streams", shorter), ("Tiles lower the mean stride, or leave it", lower)],
                "Everything is looked at, streams never end, w = 100, as in the paper. gzip is the whole program for a mixed file of 1 MB; the paper has one call of each of its functions for 9 MB of text. "
                "Streams that never end expect nearly any address in time, so irregular references are in one by chance: with streams that end after 1000 references, as is our default, cg has 0.72 "
                "([regularity](../regularity.md#figures)). Substitutes: a sparse product for umt98, lists for smg2000, a stencil in three dimensions for mgrid, one in two for swim, a Cholesky factorisation for BT; there is none for su2cor. "
                "Classes are lengths in elements; deviations that lack digits in our copy of the paper are left out.",
                table(("program", "of", "references", "regularity", "streams", "5 to 32", "33 to 128", "129 to 16384", "longer", "length", "deviation", "stride"), lines))


def table_3(rows):
    lines, found = [], rows["gzip"]["functions"]
    for name, theirs in TABLE_3.items():
        r = found.get(name)
        lines.append((f"`{name}`", "here", *((r["references"], r["regularity"], r["streams"], r["length"], r["step"]) if r else ("inlined", "", "", "", ""))))
        lines.append((f"`{name}`", "paper", "", *theirs))
    of = {l[0].strip("`"): l for l in lines if l[1] == "here" and l[2] != "inlined"}
    window, match = of.get("fill_window"), of.get("longest_match")
    return Item("Table 3", "gzip by function", f"fill_window {number(window[3]) if window else '-'}, longest_match {number(match[3]) if match else '-'} regular", "1.00, 0.31",
                [("fill_window is all in streams of about 32,766 elements and stride 2",
                  bool(window) and window[3] > 0.99 and abs(window[5] / 32766 - 1) < 0.05 and abs(window[6] - 2) < 0.1),
                 ("longest_match is irregular (below 0.65)", bool(match) and match[3] < 0.65),
                 ("deflate is regular (above 0.80)", "deflate" in of and of["deflate"][3] > 0.8),
                 ("ct_tally has no streams", "ct_tally" in of and of["ct_tally"][3] < 0.05)],
                "gzip 1.12 instead of 1.2.4, all calls. State that today's gzip keeps in global variables is a scalar stream over many calls: within one call, as the paper measured, it is none. "
                "Stalls and misses of the paper's Power3 are counters, which are not here.",
                table(("function", "of", "references", "regularity", "streams", "length", "stride"), lines))


def ahead(text):
    """fill_window of gzip with prefetches of 5 lines ahead."""
    return (text.replace("            m = head[n];", "            __builtin_prefetch (&head[n] + 5 * 32, 1);\n            m = head[n];")
            .replace("            m = prev[n];", "            __builtin_prefetch (&prev[n] + 5 * 32, 1);\n            m = prev[n];"))


def alternate(text):
    """fill_window of gzip with its two loops backward in each second call."""
    for array, size in (("head", "HASH_SIZE"), ("prev", "WSIZE")):
        text = text.replace(f"for (n = 0; n < {size}; n++) {{\n            m = {array}[n];",
                            f"for (unsigned k_ = 0; k_ < {size}; k_++) {{\n            static unsigned odd_; if (k_ == 0) odd_ = !odd_;\n"
                            f"            n = odd_ ? {size} - 1 - k_ : k_;\n            m = {array}[n];")
    return text


def misses(shop, run, changed=None):
    """Misses of the modelled Power3 by function of gzip: first level and TLB."""
    path = shop.profile(run, "cache", POWER3, changed=changed)
    document = shop.document(path)
    names = {s["id"]: f["name"] for m in document["modules"] for f in m.get("functions", []) for s in f.get("sites", [])}
    sums = {}
    for row in document["cache"]:
        of = sums.setdefault(names.get(row["site"], "?"), {"tlb": 0, "l1": 0})
        of["tlb"] += row.get("tlb", 0)
        of["l1"] += row.get("l1", 0)
    if not sum(s["tlb"] for s in sums.values()):
        raise Broken(f"regularity: no TLB misses in {path}")
    return sums


def table_4(ratio):
    faster = 1 / ratio["ratio"]
    return Item("Table 4", "Prefetches ahead in gzip", f"{100 * (faster - 1):.1f} % faster [{100 * (1 / ratio['high'] - 1):.1f}, {100 * (1 / ratio['low'] - 1):.1f}]", "3.7 % faster in all, fill_window 14.0 %",
                [(f"Prefetches 5 lines ahead in the loops of fill_window make gzip at least 3 % faster ({100 * (faster - 1):.1f} %)", faster >= 1.03)],
                "By hand in both loops, processor time of the whole program. Processors of today prefetch such streams themselves; the paper's R10000 did not. Cycles by function are not measured.")


def table_5(before, after):
    names = ("fill_window", "deflate", "longest_match", "compress_block", "send_bits", "updcrc", "ct_tally")
    theirs = {"fill_window": (7.6, 5.0, 34.2), "deflate": (367.0, 341.1, 7.2), "longest_match": (283.3, 252.6, 10.8), "compress_block": (283.5, 274.3, 3.2),
              "send_bits": (275.8, 261.4, 5.2), "updcrc": (1.8, 1.7, 4.5), "ct_tally": (198.9, 189.7, 4.8)}
    lines = [(f"`{n}`", before[n]["tlb"] if n in before else 0, after[n]["tlb"] if n in after else 0, *theirs[n]) for n in names]
    a, b = before.get("fill_window", {"tlb": 1})["tlb"], after.get("fill_window", {"tlb": 1})["tlb"]
    whole = [sum(s["tlb"] for s in x.values()) for x in (before, after)]
    saved, all_saved = 100 * (1 - b / a) if a else 0.0, 100 * (1 - whole[1] / whole[0])
    return Item("Table 5", "Two arrays updated backward in each second call", f"TLB misses of fill_window {saved:.1f} % fewer, of gzip {all_saved:.1f} %", "34.2 % fewer, 6.4 %",
                [(f"TLB misses of fill_window fall by a quarter and more ({saved:.1f} %)", saved >= 25),
                 (f"TLB misses of the whole program fall ({all_saved:.1f} %)", all_saved > 0)],
                "A model of a TLB of 256 entries, two ways, for pages of 4 KB, as a Power3 has. gzip's data have about a hundred pages, which fit such a TLB: what misses is a conflict or the first touch. Memory stalls are counters, which are not here.",
                table(("function", "misses", "with the change", "paper, thousands", "with the change", "fewer %"), lines))


def table_6(rows):
    found = rows["FT"]["functions"]
    lines = [(f"`{k}`", "here", v["references"], v["regularity"], v["streams"], v["length"], v["step"]) for k, v in
             sorted(found.items(), key=lambda x: -x[1]["references"])[:5]]
    lines += [(f"`{n}`", "paper", "", *cells) for n, *cells in TABLE_6]
    worst = min(l[3] for l in lines if l[1] == "here" and l[2] > 0.05 * rows["FT"]["whole"]["references"])
    return Item("Table 6", "FT by function", f"functions of fft are at least {worst:.2f} regular", "0.91 to 1.00, but compute_init and evolve",
                [(f"Each function of the transform is at least 0.90 regular ({worst:.2f})", worst >= 0.9)],
                "`fft.c`, a transform in place, for NAS FT, which is no package of Debian. Stalls and misses are counters, which are not here.",
                table(("function", "of", "references", "regularity", "streams", "length", "stride"), lines))


def table_7(before, after, ratio):
    a, b = (x.get(n, {"tlb": 0})["tlb"] for x, n in ((before, "columns"), (after, "rows")))
    faster = 1 / ratio["ratio"]
    return Item("Table 7", "Loops interchanged", f"TLB misses {number(a)} to {number(b)}; {faster:.2f} times as fast", "compute_indexmap: 1,049 k to 2 k; 44 to 12 million cycles",
                [(f"Interchange takes more than 95 % of the TLB misses of the loop away ({100 * (1 - b / max(a, 1)):.1f} %)", b < 0.05 * a),
                 (f"It makes the loop at least twice as fast, with filling and adding up beside it ({faster:.2f} times)", faster >= 2)],
                "`advised columns`, a matrix of 2000 × 2000 by columns and by rows; TLB of 256 entries in a model, time of the whole program with 5 rounds, medians of pairs.")


def table_8(figures, slow):
    lines = [(n, f"{r['ratio']:.0f}", SLOWDOWNS[n]) for n, r in slow.items()]
    worst = max(r["ratio"] / SLOWDOWNS[n] for n, r in slow.items())
    return Item("Table 8", "Slowdown of complete collection", f"{min(r['ratio'] for r in slow.values()):.0f} to {max(r['ratio'] for r in slow.values()):.0f}", "73 to 767",
                [(f"Complete collection slows a program down by 50 to 500, as the paper says, or less (most: {max(r['ratio'] for r in slow.values()):.0f})",
                  max(r["ratio"] for r in slow.values()) <= 500),
                 (f"It costs less than in the paper for each program (most: {worst:.2f} of it)", worst < 1)],
                "The module alone, everything looked at, streams never end; time by the clock with the backend on the second processor.",
                figures.bars("regularity-slowdown", "Slowdown of complete collection", "times", list(slow), {"here": [round(r["ratio"], 1) for r in slow.values()],
                             "paper": [SLOWDOWNS[n] for n in slow]}, "set logscale y\nset yrange [1:]\n") + "\n\n" + table(("program", "here", "paper"), lines))


HINTS = {"prefetching", "tiling", "fission", "fusion", "interchange", "padding", "copying", "superpages", "unrolling", "restructuring", "scatter/gather"}


def table_1(hints):
    hints = {n: HINTS & set(found) for n, found in hints.items()}
    asked = {"matmult": "tiling", "columns": "interchange", "two-passes": "fusion", "sum": "prefetching", "cg": "scatter/gather"}
    lines = [(n, asked[n], ", ".join(sorted(found)) or "none") for n, found in hints.items()]
    good = [n for n, found in hints.items() if asked[n] in found]
    return Item("Table 1", "Rules: which streams ask for which change", f"the rule fires for {len(good)} of {len(hints)}", "rules, and programs in which they fired",
                [(f"{asked[n]} is advised for {n}", n in good) for n in hints],
                "Loops of `advised.c` and the product of `cg.c`, each written so that one change helps it. All eleven rules are in the product ([regularity](../regularity.md#hints)).",
                table(("loop", "change that helps", "advised"), lines))


def hints_of(shop, run):
    path = shop.profile(run, "regularity,cache,points_to", "period=0")
    return sorted(set(re.findall(r":\d+: ([a-z/]+) in \w+$", shop.output(shop.memprof, "advise", path), re.M)))


def figures_4_to_6(figures, rows):
    names = list(rows)
    a = figures.bars("regularity-programs", "Regularity", "share of the references", names, {"here": [round(r["whole"]["regularity"], 3) for r in rows.values()],
                     "paper": [TABLE_2[n][0] for n in names]}, "set yrange [0:1]\n")
    kinds = ("up to 4", "5 to 32", "33 to 128", "129 to 16384", "longer")
    b = figures.bars("regularity-lengths", "Streams by length", "% of the streams", names, {k: [round(100 * r["classes"][i] / max(sum(r["classes"]), 1), 1)
                     for r in rows.values()] for i, k in enumerate(kinds)})
    off = [abs(r["whole"]["regularity"] - TABLE_2[n][0]) for n, r in rows.items()]
    return Item("Figures 4 to 6", "Regularity and lengths by program", f"regularity differs from the paper's by {mean(off):.2f} on average", "what these figures show is not known to us",
                [], "Drawn here: what table 2 says. What figures 4 to 6 of the paper show is not known to us, so there is nothing to compare with.", a + "\n\n" + b)


def slowdown(shop, run):
    binary = shop.build(run.name, *shop.generate("regularity"))
    out = f"{shop.folder}/profiles/regularity-timed.json"
    return shop.timed(run, (shop.build(run.name), ""), [(binary, f"{COMPLETE}:merge=0:output={out}")], 3)[0]


def page(shop, figures):
    rows = {r.stands_for: shop.keep(f"regularity {r.stands_for}", lambda r=r: statistics_of(shop, r), r) for r in RUNS}
    advised = {"matmult": Run("advised", "matmult plain 500", "matmult plain 120"), "columns": Run("advised", "columns plain 2000", "columns plain 300"),
               "two-passes": Run("advised", "two-passes plain 1000", "two-passes plain 300"), "sum": Run("advised", "sum plain 1000", "sum plain 300"),
               "cg": Run("cg", "20000 3", "2000 1")}
    hints = {n: shop.keep(f"regularity hints {n}", lambda r=r: hints_of(shop, r), r) for n, r in advised.items()}
    gzip, columns = RUNS[0], advised["columns"]
    followed = Run("advised", "columns followed 2000", "columns followed 300")
    before = shop.keep("regularity gzip tlb", lambda: misses(shop, gzip))
    after = shop.keep("regularity gzip tlb alternate", lambda: misses(shop, gzip, ("alternate", alternate)))
    prefetched = shop.keep("regularity gzip ahead", lambda: shop.timed(gzip, (shop.build("gzip"), ""), [(shop.build("gzip", changed=("ahead", ahead)), "")], 15, cpu=True)[0])
    by_columns = shop.keep("regularity columns tlb", lambda: misses(shop, columns))
    by_rows = shop.keep("regularity rows tlb", lambda: misses(shop, followed))
    interchanged = shop.keep("regularity columns time", lambda: two_runs(shop, "columns plain", "columns followed"))
    slow = {r.stands_for: shop.keep(f"regularity slowdown {r.stands_for}", lambda r=r: slowdown(shop, r), r)
            for r in (Run("gzip", "-c mixed", None, "gzip"), Run("fft", "18 3", "12 1", "FT"), Run("advised", "jacobi plain 200 3", "jacobi plain 40", "Jacobi"),
                      Run("spmv", "19 7 3", "12 7 1", "umt98"), Run("advised", "matmult plain 500", "matmult plain 100", "matmult"))}
    items = [table_1(hints), table_2(rows), table_3(rows), table_4(prefetched), table_5(before, after), table_6(rows),
             table_7(by_columns, by_rows, interchanged), table_8(figures, slow), figures_4_to_6(figures, rows)]
    return Page("regularity", "Spatial regularity", PAPER,
                "The paper: gzip 1.2.4, NAS FT, CG and BT, umt98, smg2000, mgrid, swim and su2cor of SPEC, kernels; Power3 and R10000. "
                "Here: gzip of Debian, kernels of ours of the same kind, a model of caches and TLB instead of counters.", items)


def two_runs(shop, plain, followed):
    """Time of one program with two sets of arguments."""
    from paired import measure
    binary, size = shop.build("advised"), "300 1" if shop.quick else "2000 5"
    r = measure([binary, *plain.split(), *size.split()], [[binary, *followed.split(), *size.split()]], 2 if shop.quick else 7, 0)[0]
    return {"ratio": 1 / r.ratio, "low": 1 / r.high, "high": 1 / r.low, "base_s": r.base_s, "other_s": r.other_s}
