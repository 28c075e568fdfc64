# hybrid.py - requests to memory and page walks by object: tables II, III and the figures of Chen et al., ISPASS 2012.
# SPDX-License-Identifier: GPL-3.0-or-later

import re
import statistics
import subprocess

import pages_validation
from page import Item, Page, number, table
from programs import SRCDIR, Run
from shop import Broken

PAPER = ("Licheng Chen, Zehan Cui, Yungang Bao, Mingyu Chen, Yongbing Huang, Guangming Tan: *A Lightweight Hybrid Hardware/Software "
         "Approach for Object-Relative Memory Profiling*, ISPASS 2012.")
MODEL = "pages=nehalem,sample=1,window=1"
BFS_C = SRCDIR + "/testsuite/bench/programs/bfs.c"
ANNEAL_C = SRCDIR + "/testsuite/bench/programs/anneal.c"
TABLE_II = ((4194370, 0, 0.0), (4194310, 1048576, 0.0), (4194369, 2096927, 0.0), (4194303, 3087379, 2.04), (4194436, 4149586, 1.01))
# Threads: % of the requests: column r, visited r and w, rowstarts r, pred r and w, in all.
TABLE_III = {1: (65.71, 5.21, 0.87, 7.79, 8.43, 8.44, 96.46), 2: (64.96, 5.36, 1.32, 7.72, 8.35, 8.35, 96.06),
             4: (55.19, 16.01, 4.54, 6.57, 7.10, 7.06, 96.46), 32: (55.13, 17.11, 5.28, 6.58, 7.10, 7.06, 98.24),
             128: (54.22, 18.38, 5.27, 6.47, 6.98, 6.93, 98.26)}
WALKS = {"column": 72.85, "pred": 14.02, "rowstarts": 11.92, "visited": 0.0}
THREADS = (1, 2, 4, 8)
OVERHEAD = (Run("bfs", "19 1", "12 1"), Run("anneal", "400000 2000000", "2000 5000"), Run("gzip", "-c large"),
            Run("bzip2", "-c large"), Run("lua", "script.lua 400000", "script.lua 300"), Run("health", "5 600", "3 50"))

# Those whose requests are few enough to look at each.
SAMPLED = (Run("bfs", "16 1", "12 1"), Run("anneal", "40000 200000", "2000 5000"), Run("gzip", "-c part"), Run("bzip2", "-c part"),
           Run("lua", "script.lua 6000", "script.lua 300"), Run("health", "5 200", "3 50"))


def search(threads, huge=""):
    return Run("search", f"18 {threads} {huge}".strip(), f"12 {threads} {huge}".strip())


def variables(document, source):
    """Names of the variables that blocks of the program are assigned to, by group."""
    with open(source, encoding="utf-8") as file:
        lines = file.read().split("\n")
    found = {}
    for group in document["groups"]:
        if group.get("line"):
            name = re.search(r"(\w+) = ", lines[group["line"] - 1])
            found[group["id"]] = name[1] if name else "others"
    return found


def by_variable(shop, path, source):
    """Requests, write-backs, walks of each variable."""
    document = shop.document(path)
    names, sums = variables(document, source), {}
    for row in document["pages"]:
        memory = row.get("memory", {})
        of = sums.setdefault(names.get(row.get("group"), "others"), {"reads": 0, "writes": 0, "walks": 0, "walk_dram": 0})
        of["reads"] += memory.get("requests", 0)
        of["writes"] += memory.get("write_backs", 0) + memory.get("left", 0)
        of["walks"] += row.get("walks", 0)
        of["walk_dram"] += memory.get("walk_dram", 0)
    if not sum(s["reads"] for s in sums.values()):
        raise Broken(f"hybrid: no requests in {path}")
    return sums


def total(sums, *keys):
    return sum(s[k] for s in sums.values() for k in keys)


def share(sums, name, key, whole):
    return 100 * sums.get(name, {key: 0})[key] / max(whole, 1)


def table_ii(rows, lines):
    out, worst = [], 0
    for (which, reads, writes), (r, w, e) in zip(rows, TABLE_II):
        off = 100 * max(pages_validation.error(reads, writes, which), abs(reads / lines - 1))
        worst = max(worst, off)
        out.append((f"a{which}", reads, writes, f"4:{4 * writes / reads:.2f}", f"4:{which}", f"{off:.2f} %", f"4:{4 * w / r:.2f}", f"{e:.2f} %"))
    return Item("Table II", "Validation: five arrays with known mixes of reads and writes", f"largest error {worst:.2f} %", "largest error 2.04 %",
                [(f"Each array has the requests that the program makes, within 2.04 % ({worst:.2f} %)", worst <= 2.04)],
                "The paper's card counts what a machine does; here the program goes through a model of the paper's caches, which makes exactly these "
                "requests if the code is right. So this checks the code and not the model; that has other checks ([pages](../pages.md#validation)).",
                table(("array", "lines read", "lines written", "rate", "ideal", "error", "rate in the paper", "error"), out))


def table_iii(sums):
    lines, named = [], {}
    for threads, s in sums.items():
        whole = total(s, "reads", "writes")
        cells = [share(s, "column", "reads", whole), share(s, "visited", "reads", whole), share(s, "visited", "writes", whole),
                 share(s, "rowstarts", "reads", whole), share(s, "pred", "reads", whole), share(s, "pred", "writes", whole)]
        named[threads] = 100 - share(s, "others", "reads", whole) - share(s, "others", "writes", whole)
        lines.append((str(threads), "here", *cells, named[threads]))
        if threads in TABLE_III:
            lines.append((str(threads), "paper", *TABLE_III[threads]))
    one = sums[1]
    order = sorted(("column", "pred", "rowstarts", "visited"), key=lambda n: -one[n]["reads"] - one[n]["writes"])
    grown = sums[4].get("visited", {"reads": 0})["reads"] / max(one["visited"]["reads"], 1)
    return Item("Table III", "Requests to memory of breadth-first search, by array and threads",
                f"column {share(one, 'column', 'reads', total(one, 'reads', 'writes')):.1f} %, named arrays {named[1]:.1f} % (1 thread)", "column 65.71 %, named arrays 96.46 %",
                [(f"At least 96 % of the requests belong to named arrays ({min(named.values()):.1f} %)", min(named.values()) >= 96),
                 (f"column has most requests, then pred, then rowstarts, then visited (here: {', '.join(order)})",
                  order == ["column", "pred", "rowstarts", "visited"]),
                 (f"Requests of visited grow with threads: by half and more with 4 (here: {grown:.2f} times)", grown >= 1.5)],
                "2^18 vertices instead of 2^23, so visited fits the modelled cache; and there is one last-level cache for all threads where the paper's machine "
                "has two, between which the lines of visited move. The model does not show that growth.",
                table(("threads", "of", "column r %", "visited r %", "visited w %", "rowstarts r %", "pred r %", "pred w %", "all %"), lines))


def growth(figures, sums):
    base = {k: total(sums[1], k) for k in ("reads", "writes", "walks")}
    series = {k: [round(total(s, k) / max(base[k], 1), 3) for s in sums.values()] for k in base}
    walks = series["walks"][-1]
    return Item("Figures", "Requests and page walks of the search over threads", f"walks {walks:.2f} times with {THREADS[-1]} threads", "walks 1.035 times with 2, 1.096 with 128 threads",
                [(f"Page walks hardly grow with threads: at most 1.1 times ({walks:.2f})", walks <= 1.1)],
                "Each thread has its TLB in the model. Reads and writes are those of one shared cache. Which of the paper's figures has which curve is not known to us.",
                figures.bars("hybrid-growth", "Requests and walks over threads, 1 thread is 1", "times", [f"{t} threads" for t in sums], series, "set yrange [0:]\n"))


def walk_shares(figures, one):
    walks, dram = total(one, "walks"), total(one, "walk_dram")
    names = ("column", "pred", "rowstarts", "visited")
    series = {"all walks": [round(share(one, n, "walks", walks), 2) for n in names],
              "from memory": [round(share(one, n, "walk_dram", dram), 2) for n in names], "paper": [WALKS[n] for n in names]}
    order = sorted(names, key=lambda n: -one[n]["walk_dram"])
    return Item("Figures", "Page walks of the search by array", f"column {series['all walks'][0]:.1f} % of the walks, {series['from memory'][0]:.1f} % of those from memory",
                "column 72.85 %, pred 14.02 %, rowstarts 11.92 %",
                [("column has most walks of page tables", max(names, key=lambda n: one[n]["walks"]) == "column"),
                 (f"By walks that read memory, the order is column, pred, rowstarts, visited (here: {', '.join(order)})", order == list(names))],
                "The card sees the walks that read memory. Page tables of 2^18 vertices mostly fit the modelled cache.",
                figures.bars("hybrid-walks", "Page walks by array", "%", list(names), series))


def bfs_times(shop, rounds):
    """Seconds of the search, in turn without and with huge pages for column."""
    binary = shop.build("bfs")
    arguments = ["12" if shop.quick else "20", "1"]
    seconds = {"4K": [], "2M": []}
    for _ in range(rounds):
        for size, more in (("4K", []), ("2M", ["huge"])):
            done = subprocess.run([binary, *arguments, *more], capture_output=True, text=True, check=True)
            seconds[size].append(float(done.stderr))
    ratios = sorted(a / max(b, 1e-4) for a, b in zip(seconds["4K"], seconds["2M"]))
    return {"ratio": statistics.median(ratios), "low": ratios[0], "high": ratios[-1], "best": min(seconds["4K"]) / max(min(seconds["2M"]), 1e-4)}


def huge_pages(one, huge, times):
    before, after = one["column"]["walks"], huge["column"]["walks"]
    return Item("Figures", "The hottest array in huge pages",
                f"column's walks {number(before)} to {number(after)}; search {times['ratio']:.2f} times as fast [{times['low']:.2f}, {times['high']:.2f}]",
                "31.59 % faster with 1 thread, 8.18 % with 128",
                [(f"Huge pages for column take more than 90 % of its walks away ({100 * (1 - after / max(before, 1)):.1f} %)", after < 0.1 * before),
                 (f"The search is faster ({times['ratio']:.2f} times, median of pairs)", times["ratio"] > 1.02)],
                "Walks are the model's, with the page sizes that the kernel has given. Times are of 2^20 vertices, the search alone, pairs in turn; a TLB of "
                "today has ten times as many entries as the paper's, and in a virtual machine a walk costs more.")


def overhead(figures, rows):
    ratios = {n: r["ratio"] for n, r in rows.items()}
    average, worst = statistics.mean(ratios.values()), max(ratios.values())
    return Item("Figures", "Overhead of recording objects", f"mean {100 * (average - 1):.1f} %, worst {100 * (worst - 1):.1f} %", "mean 1.60 %, worst 5.00 %",
                [(f"Recording objects costs at most 1.6 % on average ({100 * (average - 1):.1f} %)", average <= 1.016),
                 (f"It costs at most 5 % in each program ({100 * (worst - 1):.1f} %)", worst <= 1.05)],
                "`-fprofile-mem-mode=objects`, processor time of the program and of the system for it, medians of pairs; the backend has a processor of its own. The paper's times are by the clock, which other work on this machine disturbs. The paper adds the dump of page tables and of blocks of 4 KB and more to "
                "programs whose requests a card records. Objects mode has no requests: those need one of the other modes.",
                figures.bars("hybrid-overhead", "Time with recording of objects, native is 1", "times", list(ratios), {"objects mode": [round(x, 3) for x in ratios.values()]},
                             "set yrange [0.8:]\nset key off\n")
                + "\n\n" + table(("program", "native s", "ratio", "from", "to"), [(n, r["base_s"], f"{r['ratio']:.3f}", f"{r['low']:.3f}", f"{r['high']:.3f}") for n, r in rows.items()]))


def by_object(shop, path):
    """Requests by allocation site or variable, in % of all, and all."""
    document = shop.document(path)
    names = {g["id"]: f"{g.get('name') or g.get('function') or g['kind']}:{g.get('line') or ''}" for g in document["groups"]}
    sums = {}
    for row in document["pages"]:
        name = names.get(row.get("group"), "others")
        sums[name] = sums.get(name, 0) + row.get("memory", {}).get("requests", 0)
    whole = sum(sums.values())
    return {n: 100 * x / max(whole, 1) for n, x in sums.items()}, whole


def sampled(shop, run):
    """Requests by object of samples against those of all accesses."""
    exact, requests = by_object(shop, shop.profile(run, "pages", MODEL))
    found, estimated = by_object(shop, shop.profile(run, "pages", "pages=nehalem", mode="sample"))
    if not requests:
        raise Broken(f"hybrid: {run.text()}: no requests")
    name = max({**exact, **found}, key=lambda n: abs(exact.get(n, 0) - found.get(n, 0)))
    return {"requests": requests, "estimated": estimated, "object": name, "exact": exact.get(name, 0), "sampled": found.get(name, 0)}


def sampled_cost(shop, run):
    """Ratios of sample mode with requests, and of objects mode, to the plain program."""
    out = f"merge=0:output={shop.folder}/profiles/sampled.json"
    variants = [(shop.build(run.name, *shop.generate(modules, mode)), out) for modules, mode in (("pages", "sample"), ("default", "objects"))]
    return shop.timed(run, (shop.build(run.name), ""), variants, 5, cpu=True)


def requests_of_samples(rows, costs):
    off = {n: abs(r["exact"] - r["sampled"]) for n, r in rows.items()}
    worst, means = max(off.values()), [statistics.mean(c[i]["ratio"] for c in costs.values()) for i in (0, 1)]
    factors = [r["estimated"] / r["requests"] for r in rows.values()]
    lines = [(n, r["requests"], r["estimated"], r["object"], r["exact"], r["sampled"]) for n, r in rows.items()]
    return Item("Requests by object from samples", "Error and overhead", f"shares off by at most {worst:.1f} points; {100 * (means[0] - 1):.1f} % overhead, objects mode {100 * (means[1] - 1):.1f} %",
                "exact (a card); recording objects costs 1.60 %",
                [(f"The share of each object is within 5 points of the exact one ({', '.join(f'{n} {x:.1f}' for n, x in off.items())})", worst <= 5),
                 (f"Requests in all are within a factor of 1.5 ({', '.join(f'{x:.2f}' for x in factors)})", all(2 / 3 <= x <= 1.5 for x in factors)),
                 (f"They cost at most 5 % more than recording objects does ({100 * (means[0] - means[1]):.1f} points)", means[0] - means[1] <= 0.05)],
                "Sample mode with the module `pages`: requests follow from reuse in windows, a fiftieth of the time; exact are those of full mode with each access in the model. Of each program, the object whose share is off most. "
                "Processor time of the program, as for objects mode, of the larger runs of the row on overhead.",
                table(("program", "requests", "from samples", "object", "exact %", "from samples %"), lines)
                + "\n\n" + table(("program", "samples", "objects"), [(n, *(c["ratio"] for c in pair)) for n, pair in costs.items()]))


def phases(shop, run, length):
    """Requests by interval and object, from a recording."""
    text = shop.output(shop.memprof, "trace", f"--phases={length}", "--pages=nehalem", shop.trace(run, "pages"))
    rows = [line.split(" ", 4) for line in text.splitlines() if not line.startswith("#")]
    if len(rows) < 10:
        raise Broken(f"hybrid: {run.text()}: {len(rows)} rows of phases")
    return [[int(a), int(b), int(c), int(d), e] for a, b, c, d, e in rows]


def bandwidth(figures, rows):
    whole = [(first / 1e6, 64 * (r + w + k) / 1e6) for first, r, w, k, of in rows if of == "all"]
    objects = {}
    for first, r, w, k, of in rows:
        if of not in ("all", "others"):
            objects.setdefault(re.sub(r" at \S*?([^/ ]+:\d+)", r" \1", of), []).append((first / 1e6, 64 * (r + w + k) / 1e6))
    top = sorted(objects.items(), key=lambda o: -sum(y for _, y in o[1]))[:5]
    peak = max(y for _, y in whole)
    ratio = peak / max(min(y for _, y in whole[:-1] or whole), 1e-6)
    return Item("Figure 12", "Memory traffic over time", f"between the intervals {ratio:.1f} times as much at the peak as at the least", "a curve; no numbers known to us; 4.66 GB/s with 256 threads, 72.81 % of the peak",
                [("Traffic shows phases of the program: the largest interval has at least twice that of the smallest", ratio >= 2)],
                "Lines of 64 bytes that the modelled cache reads and writes back, in each interval of accesses of `bfs 16`; time is counted in accesses, as a model has no clock. "
                "Bandwidth in bytes a second, and its growth with threads, need a machine with counters.",
                figures.lines("hybrid-traffic", "Traffic of bfs over time", "million accesses", "MB in the interval", {"all": whole, **dict(top)}, "set yrange [0:]\n"))


def requests_over_time(shop, run):
    """Requests of data: time, address, object; every so many of them."""
    text = shop.output(shop.memprof, "trace", "--pages=nehalem,LLC=256K/16", shop.trace(run, "pages"))
    rows = [l.split(" ", 7) for l in text.splitlines() if not l.startswith("#")]
    rows = [(int(r[2]), int(r[5], 16), r[7]) for r in rows if r[6] == "0"]
    if len(rows) < 1000:
        raise Broken(f"hybrid: {run.text()}: {len(rows)} requests")
    step = max(len(rows) // 1500, 1)
    return rows[::step]


def addresses(figures, rows, names):
    objects = {}
    for time, address, of in rows:
        name = next((v for k, v in names.items() if k in of), None)
        if name in ("column", "rowstarts", "pred"):
            objects.setdefault(name, []).append((time / 1e6, address))
    lows = {n: min(a for _, a in p) for n, p in objects.items()}
    series = {n: [(t, (a - lows[n]) / 1024) for t, a in p][:2000] for n, p in objects.items()}
    return Item("Figures", "Addresses over time of regular and irregular objects", f"{', '.join(series)} apart, of one trace", "plots; no numbers known to us",
                [("Requests of one trace can be told apart by object", len(series) >= 2)],
                "Each point is a request of the search for a line, distance from the first line of its array; rows of column lie anywhere, and are read in order inside.",
                figures.lines("hybrid-addresses", "Requests of the search by array", "million accesses", "KB into the array", series, "", "points pt 7 ps 0.35", 380))


def canneal(sums):
    whole = total(sums, "reads", "writes")
    e, p = sums.get("elements", {}), sums.get("places", {})
    cells = [100 * e["reads"] / whole, 100 * e["writes"] / whole, 100 * p["reads"] / whole, 100 * p["writes"] / whole]
    walks = 100 * e["walks"] / max(total(sums, "walks"), 1)
    return Item("Figures", "Requests and walks of canneal by object", f"elements {cells[0]:.1f} % r {cells[1]:.1f} % w, places {cells[2]:.1f} % r; elements {walks:.1f} % of the walks",
                "_elements 30.87 % r 27.92 % w, _locations 28.39 % r; 25.84 % of the walks (8 threads)",
                [("Two objects have 85 % of the requests and more", sum(cells) >= 85),
                 (f"The places are hardly written ({cells[3]:.1f} %)", cells[3] < 1)],
                "`anneal`, of canneal's kind: no source of PARSEC here. Its elements have their neighbours in them, canneal's are pointers to names, so requests are divided in "
                "another way. It has one thread, so growth of walks and reduced speedup over threads (1.27 and 1.34 with 8) are not measured.",
                table(("of", "elements r %", "elements w %", "places r %", "places w %"), [("here", *cells), ("paper", 30.87, 27.92, 28.39, 0.0)]))


def not_here():
    return [Item("Figures", "Bandwidth over threads", "none", "4.66 GB/s with 256 threads; 1.2 times a doubling of 1 to 4 threads, then 1.28", [],
                 "Two virtual processors without counters of memory traffic."),
            Item("Figures", "Volume of traces, page tables and objects", "none", "canneal: 200 GB, 6.2 MB, 26.8 KB", [],
                 "There is no card that records, and no patched kernel that dumps page tables; `pages:pagemap` reads frames from the kernel as administrator instead."),
            Item("Table I and hardware", "The card and the machine", "none", "photographs and parts", [], "Hardware.")]


def page(shop, figures):
    lines = 16384 if shop.quick else 65536
    five = shop.keep("hybrid five arrays", lambda: list(pages_validation.rows(shop.memprof, lines)), lines)
    sums = {t: shop.keep(f"hybrid search {t}", lambda t=t: by_variable(shop, shop.profile(search(t), "pages", MODEL), BFS_C), search(t)) for t in THREADS}
    huge = shop.keep("hybrid search huge", lambda: by_variable(shop, shop.profile(search(1, "huge"), "pages", MODEL), BFS_C))
    times = shop.keep("hybrid search times", lambda: bfs_times(shop, 3 if shop.quick else 7))
    annealed = Run("anneal", "200000 200000", "20000 2000")
    placed = shop.keep("hybrid anneal", lambda: by_variable(shop, shop.profile(annealed, "pages", MODEL), ANNEAL_C), annealed)
    cost = {r.name: shop.keep(f"hybrid overhead {r.name}", lambda r=r: shop.timed(r, (shop.build(r.name), ""), [
        (shop.build(r.name, *shop.generate("default", "objects")), f"merge=0:output={shop.folder}/profiles/objects.json")], 7, cpu=True)[0], r, "cpu") for r in (OVERHEAD[:2] if shop.quick else OVERHEAD)}
    agree = {r.name: shop.keep(f"hybrid sampled {r.name}", lambda r=r: sampled(shop, r), r) for r in (SAMPLED[:2] if shop.quick else SAMPLED)}
    paid = {r.name: shop.keep(f"hybrid sampled cost {r.name}", lambda r=r: sampled_cost(shop, r), r) for r in (OVERHEAD[:2] if shop.quick else OVERHEAD)}
    traced = Run("bfs", "16 1", "12 1")
    interval = 2000000 if not shop.quick else 100000
    over_time = shop.keep("hybrid phases", lambda: phases(shop, traced, interval), traced, interval)
    small = Run("search", "15 1", "12 1")
    points = shop.keep("hybrid points", lambda: requests_over_time(shop, small), small)
    document = shop.document(shop.profile(search(1), "pages", MODEL))
    named = variables(document, BFS_C)
    names = {f"bfs.c:{g['line']}": named[g["id"]] for g in document["groups"] if g.get("line")}
    items = [table_ii(five, lines), table_iii(sums), growth(figures, sums), walk_shares(figures, sums[1]),
             huge_pages(sums[1], huge, times), overhead(figures, cost), requests_of_samples(agree, paid), bandwidth(figures, over_time), addresses(figures, points, names),
             canneal(placed), *not_here()]
    return Page("hybrid", "Requests and page walks by object", PAPER,
                "The paper: a card between memory and its slot, two Xeon E5504 of 4 cores, kernel 2.6.32, Graph500's breadth-first search with 2^23 vertices, canneal and streamcluster of PARSEC. "
                "Here: the module `pages`, a model of that machine's TLB, page-table caches and last-level cache, "
                "and programs of ours: `bfs.c` with 2^18 vertices, `anneal.c` for canneal, `fivearrays.c` as described in the paper. "
                "Of the figures only the number 12 is known to us; the others go by what they show.", items)
