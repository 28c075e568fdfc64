#!/usr/bin/env python3
# pages_cachegrind.py - requests of the module pages beside valgrind's cachegrind.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   testsuite/bench/pages_cachegrind.py BUILDDIR [PROGRAM...]
#
# Runs each program twice with a last-level cache of 1 MB, 16 ways: compiled as always under
# cachegrind (first level: 32 KB, 8 ways), and with the module pages, which looks at everything and has a
# TLB that knows all pages, since cachegrind has no walks. Prints the lines that each of both reads from memory.
#
# What differs by design: cachegrind sees libraries, the stack and what the program does before main,
# and its last level sees only what misses the first one, so it forgets lines that are in use there.
import json
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = {"kernels/fft.c": ["16", "1"], "kernels/jacobi.c": ["500", "3"],
            "kernels/cg.c": ["20000", "2"], "kernels/pagerank.c": ["14", "2"],
            "kernels/mst.c": ["600", "16"], "kernels/health.c": ["5", "60"],
            "programs/bfs.c": ["14"], "programs/anneal.c": ["40000", "40000"]}
TLB = "L1TLB=65536/65536,L2TLB=65536/65536,HUGETLB=4096/4096"


def build(folder, source, *options):
    program = os.path.join(folder, "program")
    subprocess.run(["gcc", "-O2", "-g", *options, os.path.join(SOURCE, source), "-o", program,
                    "-lm", "-pthread"], check=True)
    return program


def cachegrind(folder, source, arguments):
    out = os.path.join(folder, "cachegrind")
    subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=yes", "--D1=32768,8,64",
                    "--LL=1048576,16,64", "--cachegrind-out-file=" + out,
                    build(folder, source), *arguments], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(out, encoding="utf-8") as file:
        text = file.read()
    names = re.search(r"^events: (.*)$", text, re.M).group(1).split()
    figures = re.search(r"^summary: (.*)$", text, re.M).group(1).split()
    row = dict(zip(names, map(int, figures)))
    return row["DLmr"] + row["DLmw"]


def model(folder, source, arguments, specs):
    program = build(folder, source, "-specs=" + specs, "-fprofile-mem-generate",
                    "-fprofile-mem-mode=full", "-fprofile-mem-modules=pages")
    profile = os.path.join(folder, "profile.json")
    options = f"output={profile}:merge=0:pages={TLB},LLC=1M/16,sample=1,window=1"
    subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "MPRT_OPTIONS": options})
    with open(profile, encoding="utf-8") as file:
        document = json.load(file)
    return sum(r.get("memory", {}).get("requests", 0) for r in document["pages"])


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: pages_cachegrind.py BUILDDIR [PROGRAM...]")
    specs = subprocess.run([os.path.join(sys.argv[1], "memprof"), "--specs"], capture_output=True,
                           text=True, check=True).stdout.strip()
    chosen = [s for s in PROGRAMS if len(sys.argv) == 2 or
              os.path.basename(s)[:-2] in sys.argv[2:]]
    print("program     cachegrind       pages   ratio")
    for source in chosen:
        with tempfile.TemporaryDirectory() as folder:
            theirs = cachegrind(folder, source, PROGRAMS[source])
            ours = model(folder, source, PROGRAMS[source], specs)
        print(f"{os.path.basename(source)[:-2]:10} {theirs:11,} {ours:11,}   {ours / theirs:5.3f}",
              flush=True)


if __name__ == "__main__":
    main()
