# prompt.py - the profiling framework: tables 3 to 12 of Xu et al., PROMPT, 2023.
# SPDX-License-Identifier: GPL-3.0-or-later
import os
import re
import sys

from overhead_table import geomean
from page import Item, Page, table
from programs import Run, share_configured_gzip
from shop import BENCH, SRCDIR, Broken

PAPER = ("Ziyang Xu, Yebin Chon, Yian Su, Zujun Tan, Sotiris Apostolakis, Simone Campanoni, David I. August: *PROMPT: A Fast and Extensible "
         "Memory Profiling Framework*, 2023 (arXiv 2311.03263).")
PROGRAMS = ("gemm", "jacobi", "cg", "treesum", "mst", "gzip", "bzip2", "minisat")
QUICK_PROGRAMS = ("gemm", "mst")
MODULES = ("dependence", "dependence:all", "dependence:context", "value", "lifetime", "pointers", "points_to")
PUBLISHED = {"dependence": ("count", 7.5), "dependence:all": ("all types with distances", 10.8), "dependence:context": ("with contexts", 13.1)}
STEPS = (("baseline", 21.89), ("and specialization", 14.48), ("and the queue", 12.29), ("and data parallelism", 7.84), ("and containers", 7.26))
REDUCTION = {"dependence": 17.19, "value": 54.04, "lifetime": 71.86, "points_to": 52.89}
ABLATED = (Run("gemm", "240", "120"), Run("cg", "20000 6", "2000 2"), Run("treesum", "20000 7 2", "3000 7 1"),
           Run("fft", "16 2", "10 1"), Run("mst", "1500 16", "300 8"), Run("gzip", "-c mixed"))

WORKED = ("dependence", "default")


def script(shop, *command):
    """What a benchmark of testsuite/bench prints."""
    environment = {**os.environ, "MEMPROF_BUILDDIR": shop.builddir, "MEMPROF_CC": shop.cc[0], "MEMPROF_CXX": shop.cxx[0], "PYTHONDONTWRITEBYTECODE": "1",
                   "MEMPROF_SOURCES": os.environ.get("MEMPROF_SOURCES", "/tmp/memprof-sources")}
    return shop.output(*command, env=environment)


def overhead(shop, name):
    """A row of overhead.py: slowdowns of each module by itself."""
    out, work = f"{shop.folder}/profiles/overhead.json", f"{shop.folder}/programs/overhead"
    share_configured_gzip(work + "/gzip", os.path.dirname(shop.folder))
    script(shop, sys.executable, BENCH + "/overhead.py", "--modules", ",".join(MODULES), "-n", "1", "--json", out, "--work", work,
           *(("--quick",) if shop.quick else ("--quick", "--long", "affine,irregular,pointer")), name)
    row, = shop.document(out)["programs"]
    if any(row["slowdown"][m]["ratio"] < 0.3 for m in MODULES):
        raise Broken(f"prompt: {name}: absurd: {row['slowdown']}")
    return row


def lines_of_code(shop):
    """Lines of logic of each module (module-lines.sh), by module."""
    sums = {}
    for line in script(shop, "sh", BENCH + "/module-lines.sh").splitlines():
        count, name = line.split()
        sums[name.split("/")[0]] = sums.get(name.split("/")[0], 0) + int(count)
    return sums


def table_lines(lines):
    small = {n: lines[n] for n in ("value", "lifetime", "points_to", "pointers")}
    whole = lines["dependence"] + lines["value"] + lines["lifetime"] + lines["points_to"]
    rows = [("dependence, all variants", lines["dependence"], "136 (redesigned), 898 (LAMP ported)"), ("value", lines["value"], "69"), ("lifetime", lines["lifetime"], "117"),
            ("points_to", lines["points_to"], "248"), ("the four together", whole, "570"), ("privatisation, lifetime, points_to, value",
             lines["privatisation"] + lines["lifetime"] + lines["points_to"] + lines["value"], "1,486 (Privateer ported)")]
    return Item("Lines of modules", "How little a profiler takes in the framework", f"dependence {lines['dependence']:,}, value {small['value']}, lifetime {small['lifetime']}, points-to {small['points_to']}",
                "136, 69, 117, 248",
                [("Value, lifetime and points-to take no more lines than the paper's", small["value"] <= 69 and small["lifetime"] <= 117 and small["points_to"] <= 248),
                 (f"The four together take at most 570 lines ({whole:,})", whole <= 570)],
                "Lines that are neither blank, comment nor include. Our dependence module works in closed form on ranges, rows and nests of accesses, which is what its lines are for; the paper's looks at each access.",
                table(("module", "lines here", "paper"), rows))


def slowdowns(figures, rows):
    means = {m: geomean(r["slowdown"][m]["ratio"] for r in rows.values()) for m in MODULES}
    lines = [(n, *(r["slowdown"][m]["ratio"] for m in MODULES)) for n, r in rows.items()] + [("geomean", *means.values())]
    variants = {m: means[m] for m in PUBLISHED}
    return (Item("Variants of dependence", "Slowdown of dependence profiling", ", ".join(f"{PUBLISHED[m][0]} {x:.1f}" for m, x in variants.items()), "7.5, 10.8, 13.1 (geomeans, 16 workers)",
                 [(f"{PUBLISHED[m][0]}: at most {PUBLISHED[m][1]} times ({x:.2f})", x <= PUBLISHED[m][1]) for m, x in variants.items()],
                 "Each module by itself, in programs that report only what it needs; time by the clock; two processors, where the paper has 16 workers on two Xeons. "
                 "Ours have distances in all variants. Programs are kernels of ours and, with small inputs, real ones of Debian, not SPEC's: affine loops are cheap here for dependences, and dear for values, which need each one.",
                 table(("program", *MODULES), lines)),
            Item("Client workflow", "Slowdown of each module that a parallelising compiler asks", f"largest geomean {max(means.values()):.1f}, sum {sum(means[m] for m in ('dependence', 'value', 'lifetime', 'points_to')):.1f}",
                 "each below 35, critical path 5.9, sum 15.3",
                 [(f"Each module slows each program down by less than 35 (most: {max(r['slowdown'][m]['ratio'] for r in rows.values() for m in MODULES):.1f})",
                   max(r["slowdown"][m]["ratio"] for r in rows.values() for m in MODULES) < 35),
                  (f"The slowest of dependence, value, lifetime and points-to has a geomean of at most 5.9 ({max(means[m] for m in ('dependence', 'value', 'lifetime', 'points_to')):.2f})",
                   max(means[m] for m in ("dependence", "value", "lifetime", "points_to")) <= 5.9),
                  (f"They sum up to at most 15.3 ({sum(means[m] for m in ('dependence', 'value', 'lifetime', 'points_to')):.2f})", sum(means[m] for m in ("dependence", "value", "lifetime", "points_to")) <= 15.3)],
                 "The same runs. The paper's critical path is the slowest of modules that run at once.",
                 figures.bars("prompt-modules", "Slowdown of each module by itself, geomean", "times", list(means), {"here": [round(x, 2) for x in means.values()],
                              "paper": [PUBLISHED.get(m, (0, "?"))[1] for m in means]})))


def step_ratios(shop, run):
    """Time against native of dependence profiling, design by design; all in turn."""
    plain = (shop.build(run.name), "")
    out = f"merge=0:output={shop.folder}/profiles/steps.json"

    def variant(modules, level, workers):
        flags = (*shop.generate(modules), *shop.coalescing(level))
        return shop.build(run.name, *flags), f"{out}:modules=dependence:workers={workers}"

    ladder = [variant("dependence,value,pointers,points_to", "access", 1), variant("dependence", "access", 1), variant("dependence", "block", 1),
              variant("dependence", "range", 1), variant("dependence", "nest", 1), variant("dependence", "nest", 2)]
    return shop.timed(run, plain, ladder, 3)


def table_8(figures, steps):
    names = ("baseline: all events, one record an access, one worker", "and specialization: only the module's events", "and records of blocks", "and closed forms of loops (ranges)",
             "and of nests of loops", "and two steps on two processors")
    means = [geomean(s[i]["ratio"] for s in steps.values()) for i in range(6)]
    lines = [(n, *(s[i]["ratio"] for s in steps.values()), m) for i, (n, m) in enumerate(zip(names, means))]
    return Item("Table 8", "Step by step: what each design idea brings", " to ".join(f"{m:.1f}" for m in means), "21.89 to 14.48, 12.29, 7.84, 7.26",
                [(f"All ideas together make profiling at least 3 times as fast as the baseline, as in the paper ({means[0] / means[-1]:.1f})", means[0] / means[-1] >= 3),
                 (f"Specialization makes it faster ({means[0]:.2f} to {means[1]:.2f})", means[1] < means[0]),
                 (f"More processors make it faster ({means[4]:.2f} to {means[5]:.2f})", means[5] < means[4])],
                "The ideas are not those of the paper: its queue and containers are one step each, ours are there from the beginning. Geomeans of slowdowns by the clock. A step that brings nothing for a program leaves its bar as it was.",
                figures.bars("prompt-steps", "Slowdown of dependence profiling, step by step", "times", ["baseline", "special", "blocks", "ranges", "nests", "two steps"],
                             {n: [round(r["ratio"], 2) for r in s] for n, s in steps.items()}, "set logscale y\nset yrange [0.8:]\n")
                + "\n\n" + table(("step", *steps, "geomean"), lines))


def reduction(text):
    last = text.strip().splitlines()[-1]
    head = re.findall(r"[a-z_]+", next(l for l in text.splitlines() if "all: events" in l).split("bytes", 1)[1])
    shares = [float(x) for x in re.findall(r"([\d.]+)%", last)]
    events = dict(zip(head, shares[::2]))
    lines = [(m, x, REDUCTION.get(m, "")) for m, x in events.items()]
    return Item("Specialization", "Events that a module does not need", ", ".join(f"{m} {x:.0f} %" for m, x in events.items()), "dependence 17.19 %, value 54.04 %, lifetime 71.86 %, points-to 52.89 %",
                [(f"{m}: at least {REDUCTION[m]} % fewer events ({events[m]:.1f} %)", events[m] >= REDUCTION[m]) for m in REDUCTION if m in events],
                "Against all modules at once; geomean over programs (`testsuite/bench/specialisation.sh`). Points-to here looks at accesses and births of objects; `pointers` is the module like the paper's.",
                table(("module", "fewer events %", "paper %"), lines))


def queue(text):
    """Lines of event-queue.sh: name, ns per event."""
    found = {m[1].strip(): float(m[2]) for m in re.finditer(r"^(.+?) {2,}([\d.]+) ns per event", text, re.M)}
    if len(found) < 2:
        raise Broken(f"prompt: queue: {text}")
    one, eight = found["ring, 1 consumer"], next(v for k, v in found.items() if "8 consumers" in k)
    spsc, lockfree = found.get("boost::lockfree::spsc_queue"), found.get("boost::lockfree::queue")
    theirs = {"ring, 1 consumer": 2.68, "ring, 8 consumers that read all": 3.22, "boost::lockfree::spsc_queue": 55.51, "boost::lockfree::queue": 460.37}
    claims = [(f"Eight consumers cost at most a fifth more than one ({eight / one:.2f} times)", eight <= 1.2 * one)]
    if spsc:
        claims.insert(0, (f"The queue is at least 81 % faster than boost's ({spsc / one:.1f} and {lockfree / one:.0f} times)", one * 1.81 <= min(spsc, lockfree)))
    return Item("Queue", "Time of an event through the queue", f"{one:.2f} ns with one consumer, {eight:.2f} with eight", "2.68 and 3.22 ns (26.8 and 32.2 ms for 10^7 events)", claims,
                "10^7 events between two processes (`testsuite/bench/event-queue.sh`). Eight consumers share two processors here.",
                table(("queue", "ns an event", "paper"), [(n, x, theirs.get(n, "")) for n, x in found.items()]))


def containers(shop, rounds):
    """What containers.sh does, of a recording that is there."""
    shop.make("dependence_pairs")
    folder = shop.folder + "/programs/containers"
    os.makedirs(folder, exist_ok=True)
    shop.output(shop.builddir + "/dependence_pairs", shop.trace(Run("gzip", "-c part")), folder + "/pairs")
    compile_ = [*shop.cxx, "-O2", "-g", "-I" + SRCDIR, BENCH + "/containers.cc", "-o", folder + "/containers"]
    absl = ["-DHAVE_ABSL", *(f"-labsl_{n}" for n in ("raw_hash_set", "hash", "city", "low_level_hash"))]
    try:
        shop.output(*compile_, *absl, "-ltbb", "-pthread")
    except Broken:      # no absl here
        shop.output(*compile_, "-ltbb", "-pthread")
    return shop.output(folder + "/containers", rounds, folder + "/pairs")


def table_containers(text):
    blocks, name = {}, ""
    for line in text.splitlines():
        m = re.match(r"^ *(.+?) {1,}([\d.]+) ns per insertion", line)
        if m:
            blocks.setdefault(name, {})[m[1].strip()] = float(m[2])
        elif line.strip():
            name = line.strip().rstrip(":")
    kind = next((b for n, b in blocks.items() if "gzip" in n or "dependence" in n), None) or next(iter(blocks.values()))
    ours = {k: v for k, v in kind.items() if k.startswith("reducing")}
    others = {k: v for k, v in kind.items() if not k.startswith("reducing")}
    one = next(iter(ours.values()))
    theirs = {"std::map": 31.9, "std::unordered_map": 26.4, "absl::flat_hash_map": 10.2}
    best = min(ours.values())
    return Item("Containers", "Time of an insertion into a counting map", f"{one:.2f} ns with one worker, {best:.2f} at best", "12.6 ns with one thread, 5.3 with 32; std::map 31.9",
                [(f"The reducing map is faster than std::map and std::unordered_map with one worker", one < min(v for k, v in others.items() if k.startswith("std"))),
                 (f"Its best is at least twice as fast as one flat map, as in the paper (10.2 and 5.3) ({min(others.values()) / best:.1f} times)", best * 1.9 <= min(others.values()))],
                "Dependences of gzip (`testsuite/bench/containers.sh`); the flat map is absl's, if it is installed. Two processors bound what more workers bring.",
                table(("map", "ns an insertion", "paper"), [(n, x, theirs.get(n, "")) for n, x in kind.items()]))


def workers(steps, replays):
    one, two = (geomean(s[i]["ratio"] for s in steps.values()) for i in (4, 5))
    alone = {m: geomean(r["ratio"] for (_, module), r in replays.items() if module == m) for m in WORKED}
    lines = [(n, m, r["base_s"], r["other_s"], r["ratio"], r["low"], r["high"]) for (n, m), r in replays.items()]
    return Item("Workers", "Time over workers of the backend", f"recordings {', '.join(f'{m} {x:.2f}' for m, x in alone.items())} times as fast with two; slowdown of programs {one:.1f} with one, {two:.1f} with two",
                "slowdown 12.3, 10.4, 8.3, 7.8, 7.6, 9.0 with 1 to 32; 1.18 times as fast with two",
                [*((f"{m}: two workers are faster than one for recordings ({x:.2f} times)", x > 1) for m, x in alone.items()),
                 ("Profiles are equal, byte for byte", all(r["same"] for r in replays.values())),
                 (f"They are beside the program, too ({one:.2f} to {two:.2f})", two < one)],
                "Recorded streams, which the backend reads alone, so that both of the two processors are its own; and programs that run beside it, `dependence` by itself. Decoding, each module, and each of the two steps of `dependence` "
                "can be at different batches; that is what workers divide here. Copies of a module that divide the sites, as the paper's workers do, bring nothing: decoding takes longer than most of our modules ([performance](../performance.md)).",
                table(("program", "modules", "one worker s", "two s", "times as fast", "from", "to"), lines))


def memory(rows):
    lines = [(n, r["facts"]["native"]["peak_mb"], r["facts"]["dependence"]["backend_mb"], r["facts"]["dependence"]["backend_mb"] / max(r["facts"]["native"]["peak_mb"], 0.1),
              100 * (r["builds"]["dependence"]["text"] / r["builds"]["plain"]["text"] - 1)) for n, r in rows.items()]
    large = [l for l in lines if l[1] >= 20]
    factor, grown = max((l[3] for l in large), default=0), max(l[4] for l in lines)
    return Item("Memory", "Memory of the backend, and size of programs", f"backend at most {factor:.1f} times the program's (programs of 20 MB and more), code at most {grown:.0f} % larger",
                "backend 1.2 to 9.7 times, programs 17 to 231 % larger",
                [(f"The backend takes at most 9.7 times the memory of the program, where that has 20 MB and more ({factor:.1f})", factor <= 9.7),
                 (f"Code grows by at most 231 % ({grown:.0f} %)", grown <= 231)],
                "The module dependence by itself. A backend has some 40 MB in any case, so small programs are left out. Code is the section .text; the paper has sizes of files.",
                table(("program", "program MB", "backend MB", "times", "code %"), lines))


def not_here():
    return [Item("Ported profilers", "LAMP and Privateer against their ports", "none", "5.3 and 7.1 times as fast; 911 and 1,505 lines instead of 2,875 and 5,253", [],
                 "LAMP and Privateer are passes of LLVM in versions of their own; there is nothing here to compare with. `dependence` and `privatisation` do their work."),
            Item("Lines of the framework", "Frontend, backend and queue", "none", "3,400, 3,000 and 500 lines", [],
                 "Counting lines says nothing here: plugin, runtime and backend also do what the paper's do not (sampling, threads, signals, several versions of GCC, rebuilds).")]


def page(shop, figures):
    names = QUICK_PROGRAMS if shop.quick else PROGRAMS
    rows = {n: shop.keep(f"prompt overhead {n}", lambda n=n: overhead(shop, n)) for n in names}
    lines = shop.keep("prompt lines", lambda: lines_of_code(shop))
    chosen = ABLATED[:3] if shop.quick else ABLATED
    steps = {r.name: shop.keep(f"prompt steps {r.name}", lambda r=r: step_ratios(shop, r), r) for r in chosen}
    replays = {(r.name, m): shop.keep(f"prompt replay {r.name} {m}", lambda r=r, m=m: shop.replayed(shop.trace(r, m), ("workers=1", "workers=2")), r)
               for r in chosen for m in WORKED}
    rounds = "1" if shop.quick else "3"
    kernels = ("bfs", "isort") if shop.quick else ("bfs", "hashjoin", "spmv", "isort", "matrix", "palette", "swarm", "treesum", "bzip2")
    events = shop.keep("prompt events", lambda: script(shop, "sh", BENCH + "/specialisation.sh", *kernels))
    queues = shop.keep("prompt queue", lambda: script(shop, "sh", BENCH + "/event-queue.sh", rounds))
    maps = shop.keep("prompt containers", lambda: containers(shop, rounds))
    items = [table_lines(lines), *slowdowns(figures, rows), table_8(figures, steps), reduction(events), queue(queues), workers(steps, replays), table_containers(maps),
             memory(rows), *not_here()]
    return Page("prompt", "PROMPT", PAPER,
                "The paper: two Xeon E5-2697 v3, LLVM 9, 15 programs of SPEC CPU 2017 with train inputs, up to 16 workers. Here: kernels of ours, two processors. "
                "Of tables 3 to 12 only the number of the one on design ideas, 8, is known to us; the others go by what they are about.", items)
