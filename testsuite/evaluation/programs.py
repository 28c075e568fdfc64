# programs.py - the programs of the evaluation, their inputs, and which programs of the papers they represent.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program is a source that is free: one of ours (testsuite/bench, examples), or of Debian's sources
(testsuite/long/debian-source.sh). Inputs are made here from fixed seeds."""
import dataclasses
import os
import random
import re

import overhead_programs as sources

SRCDIR = sources.SRCDIR


@dataclasses.dataclass(frozen=True)
class Program:
    build: object       # function of overhead_programs.Build
    status: int = 0     # with which it ends
    what: str = ""      # what it does, for the pages


@dataclasses.dataclass(frozen=True)
class Run:
    """A program with arguments; QUICK are those of the quick evaluation."""
    name: str
    args: str
    quick: str = None
    stands_for: str = ""    # the program of the paper

    def text(self):
        return f"{self.name} {self.args}"


def ours(path, *flags, libs=("-lm", "-pthread")):
    def build(b):
        text = f"{SRCDIR}/{path}"
        if b.changed:
            text = f"{b.folder}/{os.path.basename(path)}"
            with open(f"{SRCDIR}/{path}", encoding="utf-8") as old, open(text, "w", encoding="utf-8") as new:
                new.write(b.changed(old.read()))
        b.compile([text], f"-I{SRCDIR}/runtime/target", *flags, libs=libs)
    return build


def share_configured_gzip(folder, evaluations):
    """FOLDER/configured is that of all EVALUATIONS: gzip is configured once, since that takes minutes."""
    shared = os.path.abspath(evaluations) + "/gzip-configured"
    os.makedirs(shared, exist_ok=True)
    os.makedirs(folder, exist_ok=True)
    if not os.path.lexists(folder + "/configured"):
        os.symlink(shared, folder + "/configured")


def gzip(b):
    """Changed sources are found before those of the package."""
    home = os.path.dirname(b.target)
    share_configured_gzip(home, f"{home}/../../..")
    if b.changed:
        source = sources.debian_source("gzip")
        for name in ("deflate.c", "util.c"):
            with open(f"{source}/{name}", encoding="latin-1") as file:
                text = b.changed(file.read())
            with open(f"{b.folder}/{name}", "w", encoding="latin-1") as file:
                file.write(text)
    sources.build_gzip(b)


def pugixml(b):
    source = sources.debian_source("pugixml")
    with open(f"{b.folder}/pugi.cc", "w", encoding="utf-8") as file:   # one unit
        file.write(f'#include "{sources.HERE}/programs/pugi.cc"\n#include "pugixml.cpp"\n')
    b.compile([f"{b.folder}/pugi.cc"], f"-I{source}/src", "-w")


def tcc(b):
    """A C compiler in one unit; it compiles itself, without system headers."""
    source = sources.debian_source("tcc")
    b.run(["cp", "-r", source + "/.", b.folder])
    b.run(["sh", "./configure", "--cc=" + b.cc[0]])
    b.compile([f"{b.folder}/tcc.c"], "-DONE_SOURCE=1", "-DTCC_TARGET_X86_64", f"-I{b.folder}", "-w",
              libs=("-lm", "-ldl", "-lpthread"))


def kernel(name):
    return ours(f"testsuite/bench/kernels/{name}.c")


def program(name, *flags):
    suffix = ".cc" if name in ("codec", "ledger") else ".c"
    return ours(f"testsuite/bench/programs/{name}{suffix}", *flags)


PROGRAMS = {
    "gzip": Program(gzip, what="Debian's gzip, the paper's program in a later version"),
    "bzip2": Program(sources.build_bzip2, what="Debian's bzip2, the paper's program in a later version"),
    "sqlite3": Program(sources.build_sqlite3, what="Debian's sqlite3: a database"),
    "lua": Program(sources.build_lua, what="Debian's Lua: an interpreter of scripts"),
    "minisat": Program(sources.build_minisat, 20, "Debian's minisat: a search through a tree of assignments"),
    "pugixml": Program(pugixml, what="Debian's pugixml: a parser and the tree that it makes"),
    "tcc": Program(tcc, what="Debian's tcc: a C compiler"),
    "anneal": Program(program("anneal"), what="places a netlist by simulated annealing"),
    "tour": Program(program("tour"), what="round trips through points of a plane, in records"),
    "treesum": Program(program("treesum"), what="sums of a tree of small objects"),
    "listwalk": Program(program("listwalk"), what="lists of small objects"),
    "ledger": Program(program("ledger"), what="a list of records, walked in the order of their dates"),
    "search": Program(program("bfs", "-DSEARCH_ONLY"), what="breadth-first search of a graph of Graph500's kind, the search alone"),
    "bfs": Program(program("bfs"), what="the same, timed"),
    "fivearrays": Program(program("fivearrays", "-DMIXES_ONLY"), what="the paper's validation program"),
    "advised": Program(program("advised"), what="loops as they are and as hints would have them"),
    "spmv": Program(ours("examples/spmv.c"), what="sparse matrix times vector"),
    "hashjoin": Program(ours("examples/hashjoin.c"), what="a join with a hash table"),
    "census": Program(program("census")), "orderbook": Program(program("orderbook")),
    "isort": Program(program("isort")), "relax": Program(program("relax")), "imagefilter": Program(program("imagefilter")),
    **{n: Program(kernel(n)) for n in ("cg", "fft", "gemm", "health", "jacobi", "mst", "nbody", "pagerank", "cholesky", "stencil3d")},
}


# Inputs: functions that write files into a folder.

def mixed(folder, quick):
    """Text, machine code, tables and noise, in three sizes: `part', `mixed', and `large' for what is timed."""
    for name, size in (("part", 100_000), ("large", 10_000_000), ("mixed", 1_000_000)):
        sources.mixed_file(folder, False, 60_000 if quick else size)
        os.rename(f"{folder}/mixed", f"{folder}/{name}")


def scripts(folder, quick):
    with open(f"{folder}/script.lua", "w", encoding="utf-8") as file:
        file.write(sources.LUA_SCRIPT)
    sources.sql_script(folder, True)
    with open(f"{folder}/script.sql", encoding="utf-8") as file:
        lines = file.read().split("\n")
    rows = 600 if quick else 3000
    kept = [l for i, l in enumerate(lines) if not l.startswith("insert into person") or int(re.search(r"\d+", l)[0]) < rows]
    with open(f"{folder}/script.sql", "w", encoding="utf-8") as file:
        file.write("\n".join(kept))


def formula(folder, quick):
    """Clauses of three literals; the seed is of a formula that cannot be satisfied."""
    variables = 90 if quick else 150
    r = random.Random(3)
    clauses = int(variables * 4.8)
    with open(f"{folder}/formula.cnf", "w", encoding="utf-8") as file:
        file.write(f"p cnf {variables} {clauses}\n")
        for _ in range(clauses):
            chosen = r.sample(range(1, variables + 1), 3)
            file.write(" ".join(str(v if r.random() < 0.5 else -v) for v in chosen) + " 0\n")


def document(folder, quick):
    with open(f"{folder}/list.xml", "w", encoding="utf-8") as file:
        file.write("<l>" + "".join(f'<i n="{i}" s="{i * i % 97}"><a>n{i}</a>&lt;</i>\n'
                                   for i in range(500 if quick else 12000)) + "</l>")


def c_source(folder, quick):
    """Functions in C for the compiler, without headers."""
    with open(f"{folder}/source.c", "w", encoding="utf-8") as file:
        for i in range(60 if quick else 1000):
            file.write(f"struct s{i} {{ int a, b; struct s{i} *next; }};\n"
                       f"static int f{i} (struct s{i} *p, int n)\n{{\n  int sum = {i};\n"
                       f"  for (struct s{i} *q = p; q && sum < {i * 7 % 1000}; q = q->next)\n"
                       f"    sum += q->a * {i % 13} + (n > q->b ? q->b << {i % 5} : -n);\n"
                       f"  return sum;\n}}\nint g{i} (int x) {{ return f{i} (0, x) + x * {i}; }}\n")


INPUTS = (mixed, scripts, formula, document, c_source)
