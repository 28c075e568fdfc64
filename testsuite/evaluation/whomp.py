# whomp.py - WHOMP: figure 5 of Wu et al., CGO 2004, and what the paper says beside it.
# SPDX-License-Identifier: GPL-3.0-or-later
import hashlib
import os
import re
import subprocess
from statistics import mean

import recordings as r
from page import Item, Page, percent, table
from shop import Broken, NotAvailable

PAPER = ("Qiang Wu, Artem Pyatakov, Alexey Spiridonov, Easwaran Raman, Douglas W. Clark, David I. August: *Exposing Memory Access "
         "Regularities Using Object-Relative Memory Profiling*, CGO 2004: the lossless profiler WHOMP.")
RUNS = (r.GZIP, r.ANNEAL, r.MST, r.MINISAT, r.PUGIXML, r.BZIP2, r.TOUR)
SEQUENCES = ("instructions", "groups", "objects", "offsets")
MIMALLOC = "/usr/lib/x86_64-linux-gnu/libmimalloc.so.2"


def sizes(shop, run):
    """Bytes of the grammars, and whether they give the accesses back that the recording of a run has."""
    size = size_of(shop, r.whole(shop, run))
    if not (size["accesses"] > 10000 and 0 < size["omsg_bytes"] and size["rasg_a_bytes"] < size["rasg_ia_bytes"]):
        raise Broken(f"whomp: {run.text()}: absurd: {size}")
    return size


def size_of(shop, path):
    """What `memprof streams --sizes' prints."""
    text = shop.output(shop.memprof, "streams", "--sizes", path)

    def found(pattern):
        return int(re.search(pattern.replace("N", "([0-9,]+)"), text)[1].replace(",", ""))
    omsg = found(r"OMSG \(.*\): N bytes")
    return {"accesses": found("N accesses"), "omsg_bytes": omsg, "lifetime_bytes": found("lifetimes N") - omsg,
            "rasg_a_bytes": found("RASG of addresses: N bytes"), "rasg_ia_bytes": found("RASG of addresses and sites: N bytes")}


def speeds(shop, run):
    """Seconds of processor time that Sequitur takes: of the four sequences, and of the addresses alone."""
    shop.make("sequitur_speed")
    text = shop.output(shop.builddir + "/sequitur_speed", r.streams_of(r.whole(shop, run)), "1")
    seconds = {}
    for name, terminals, speed in re.findall(r"segment \d+ (\w+) +(\d+) terminals +\d+ symbols +([\d.]+) M/s", text):
        seconds[name] = seconds.get(name, 0) + int(terminals) / (float(speed) * 1e6)
    return {"omsg": sum(s for n, s in seconds.items() if n != "address"), "rasg": seconds.get("address", 0)}


def expanded(shop, path):
    """Digest of the accesses that the grammars represent."""
    done = subprocess.Popen([shop.memprof, "streams", "--expand", path], stdout=subprocess.PIPE)
    sums = {"all": hashlib.sha256(), "places": hashlib.sha256(), "lines": 0}
    for line in done.stdout:
        sums["all"].update(line)
        sums["places"].update(line.rsplit(b" ", 1)[0])
        sums["lines"] += 1
    if done.wait() or not sums["lines"]:
        raise Broken("whomp: nothing is expanded")
    return {"all": sums["all"].hexdigest(), "places": sums["places"].hexdigest(), "lines": sums["lines"]}


def invariance(shop, run):
    """Which sequences are the same with glibc's allocator and with mimalloc."""
    if not os.path.exists(MIMALLOC):
        raise NotAvailable("no mimalloc: apt-get install libmimalloc2.0")
    shop.make("stream_digest")
    # memprof's malloc must come before the other one, which it then calls.
    preload = f"{shop.builddir}/runtime/target/.libs/libmemprof_rt.so:{MIMALLOC}"
    paths = [r.whole(shop, run), r.whole(shop, run, (("LD_PRELOAD", preload),))]
    digests = [shop.output(shop.builddir + "/stream_digest", r.streams_of(p)).split() for p in paths]
    rasg = [size_of(shop, p)["rasg_a_bytes"] for p in paths]
    (accesses, unknown, *sums), (_, _, *others) = digests
    return {**{name: a == b for name, a, b in zip(SEQUENCES, sums, others)}, "known": 1 - int(unknown) / int(accesses), "rasg": rasg}


def figure_5(figures, rows):
    saving = {n: (1 - s["omsg_bytes"] / s["rasg_a_bytes"], 1 - s["omsg_bytes"] / s["rasg_ia_bytes"]) for n, s in rows.items()}
    means = [mean(s[i] for s in saving.values()) for i in (0, 1)]
    lines = [(n, rows[n]["accesses"], rows[n]["omsg_bytes"], rows[n]["lifetime_bytes"], rows[n]["rasg_a_bytes"],
              rows[n]["rasg_ia_bytes"], percent(a), percent(b)) for n, (a, b) in saving.items()]
    figure = figures.bars("whomp-saving", "How much smaller the OMSG is than the RASG", "%", list(rows),
                          {"addresses": [round(100 * a, 1) for a, _ in saving.values()],
                           "addresses and instructions": [round(100 * b, 1) for _, b in saving.values()]})
    worst = min(a for a, _ in saving.values())
    return Item("Figure 5", "Size of the object-relative grammar against that of addresses",
                f"{percent(means[0])} smaller (mean of {len(rows)}), {percent(means[1])} than addresses with instructions",
                "22 % smaller (mean of 7)",
                [(f"The OMSG is at least 22 % smaller than the RASG, mean ({percent(means[0])})", means[0] >= 0.22),
                 (f"It is smaller for each program (least: {percent(worst)})", worst > 0)],
                "Bytes of whole runs, stack left out, without the table of lifetimes, as in the paper. "
                "The paper's bars by program are not known to us. Addresses of today have 47 bits, so a grammar of them has longer symbols than on the paper's machine.",
                figure + "\n\n" + table(("paper's program", "accesses", "OMSG bytes", "lifetimes", "RASG bytes", "with instructions",
                                         "saving", "saving, with instructions"), lines))


def collection(rows):
    ratio = {n: s["omsg"] / s["rasg"] for n, s in rows.items() if s["rasg"]}
    average = mean(ratio.values())
    return Item("Text", "Time of collection", f"OMSG takes {average:.2f} times as long as RASG", "1 % faster",
                [(f"The four grammars take about as long as the one of addresses: at most 1.1 times ({average:.2f})", average <= 1.1)],
                "Processor time of Sequitur alone, without running the program and finding its objects, which the paper's time has in it. Each of the four sequences is as long as that of addresses, but three of them are of few symbols. "
                "Programs with less than 100,000 accesses are left out.",
                table(("paper's program", "four grammars s", "grammar of addresses s", "ratio"),
                      [(n, rows[n]["omsg"], rows[n]["rasg"], x) for n, x in ratio.items()]))


def invariant(rows, lossless):
    same = [n for n, x in rows.items() if all(x[k] for k in SEQUENCES)]
    lines = [(n, *("same" if x[k] else "differs" for k in SEQUENCES), percent(x["known"]), *x["rasg"]) for n, x in rows.items()]
    return Item("Section 3", "Lossless, and the same under another allocator", f"four sequences the same with mimalloc in {len(same)} of {len(rows)} programs",
                "the object-relative stream does not depend on allocator and run",
                [("Sequences of instructions, groups, objects and offsets are the same with glibc's allocator and with mimalloc", len(same) == len(rows)),
                 ("Grammars of addresses change in size, so there was something to be invariant against", any(a != b for a, b in (x["rasg"] for x in rows.values()))),
                 ("The grammars give the accesses of a recording of the run back, each with its address", lossless)],
                "Compared symbol by symbol (`testsuite/bench/stream_digest.cc`), but the offsets of accesses to no known object, which are addresses: of tables of libc, say. "
                "Where what a program does depends on addresses (hashes of pointers, order by address), so do its sequences.",
                table(("paper's program", *SEQUENCES, "accesses to known objects", "RASG bytes, glibc", "mimalloc"), lines))


def lossless(shop, run):
    """One process makes grammars of the recording that --accesses prints."""
    trace = shop.trace(run, "whole_stream")
    profile = f"{shop.folder}/profiles/lossless.memprof.json"
    shop.output(shop.backend, "--from", trace, "--output", profile, env={**os.environ, "MPRT_OPTIONS": ""})
    printed = hashlib.sha256(subprocess.run([shop.backend, "--accesses", trace], stdout=subprocess.PIPE, check=True).stdout)
    return printed.hexdigest() == expanded(shop, profile)["all"]


def page(shop, figures):
    size = {x.stands_for: shop.keep(f"whomp sizes {x.stands_for}", lambda x=x: sizes(shop, x), x) for x in RUNS}
    speed = {x.stands_for: shop.keep(f"whomp speed {x.stands_for}", lambda x=x: speeds(shop, x), x) for x in RUNS}
    same = {x.stands_for: shop.keep(f"whomp allocators {x.stands_for}", lambda x=x: invariance(shop, x), x) for x in RUNS}
    back = shop.keep("whomp lossless", lambda: lossless(shop, RUNS[-1]), RUNS[-1])
    return Page("whomp", "WHOMP", PAPER,
                "The paper: seven programs of SPEC CPU2000 with training inputs. Here, whole runs of programs of the same role: "
                + ", ".join(f"`{x.text()}` for {x.stands_for}" for x in RUNS) + ".",
                [figure_5(figures, size), collection(speed), invariant(same, back)])
