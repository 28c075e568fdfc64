# overhead_runs.py - the variants of a program, and runs of them taken in turn.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A variant is a build of the program and a way to run it.

Each round runs every variant once, in an order that turns from round to round;
a slowdown is the median over the rounds of variant / native of that round, so
that what else the machine does hits both.  Two kinds of time are kept: what the
clock says, and processor time of the program alone (the backend is no child of
ours; it says its own).  What the two tools of valgrind take is measured once,
on the small input.
"""
import dataclasses
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import overhead_programs as programs

MODES = ("sample", "objects")


@dataclasses.dataclass(frozen=True)
class Variant:
    name: str
    build: str                # the name of the build
    flags: tuple = ()         # of the compiler, besides -O2 -g
    consumer: str = ""        # "discard", "floor" or "backend"
    prefix: tuple = ()        # in front of the command
    once: bool = False        # one run on the small input
    environment: tuple = ()


def module_variants(tools, names):
    """One module at a time, in programs that report only what it needs."""
    return [Variant(name, name, ("-specs=" + tools.specs, "-fprofile-mem-generate=.",
                                 "-fprofile-mem-mode=full", "-fprofile-mem-modules=" + name), "backend")
            for name in names]


def known_variants(tools):
    """All that there are, in the order of the table."""
    generate = ("-specs=" + tools.specs, "-fprofile-mem-generate=.", "-fprofile-mem-mode=full")
    rows = [Variant("native", "plain"),
            Variant("discard", "generate", generate, "discard"),
            Variant("full", "generate", generate, "backend")]
    rows += [Variant(m, m, (*generate, "-fprofile-mem-mode=" + m), "backend") for m in MODES]
    rows += [Variant("floor", "generate", generate, "floor"),
             Variant("asan", "asan", ("-fsanitize=address",),
                     environment=(("ASAN_OPTIONS", "detect_leaks=0"),)),
             Variant("tsan", "tsan", ("-fsanitize=thread",)),
             Variant("gcov", "gcov", ("-fprofile-generate", "-fprofile-update=single")),
             Variant("cachegrind", "plain", once=True,
                     prefix=("valgrind", "-q", "--tool=cachegrind",
                             "--cachegrind-out-file=/dev/null")),
             Variant("lackey", "plain", once=True,
                     prefix=("valgrind", "-q", "--tool=lackey",
                             "--log-file=/dev/null"))]
    return rows


class Tools:
    """Compilers and our own programs."""

    def __init__(self, work):
        self.builddir = os.environ.get("MEMPROF_BUILDDIR", programs.SRCDIR + "/build")
        self.cc = [os.environ.get("MEMPROF_CC", "gcc").split()[0]]
        self.cxx = [os.environ.get("MEMPROF_CXX", "g++").split()[0], "-std=c++20"]
        self.work = work
        self.consumers = {"discard": self.builddir + "/bench_discard",
                          "floor": self.builddir + "/bench_floor",
                          "backend": self.builddir + "/memprof-backend"}
        if not os.path.exists(self.builddir + "/memprof"):
            raise SystemExit(f"overhead: {self.builddir} has no memprof; set MEMPROF_BUILDDIR")
        self.specs = subprocess.run([self.builddir + "/memprof", "--specs"], text=True,
                                    check=True, capture_output=True).stdout.strip()

    def exists_p(self, variant):
        """Whether the compiler, or valgrind, can do it."""
        if variant.prefix:
            return shutil.which(variant.prefix[0]) is not None
        source = f"{self.work}/probe.c"
        with open(source, "w", encoding="utf-8") as f:
            f.write("int main (void) { return 0; }\n")
        done = subprocess.run([*self.cc, *variant.flags, source, "-o", f"{self.work}/probe"],
                              capture_output=True)
        return done.returncode == 0


class Measured:
    """What the runs of one program gave."""

    def __init__(self):
        self.wall, self.cpu = {}, {}   # by variant: one entry per round
        self.facts = {}                # by variant: see facts_of()


def run(command, folder, environment, status):
    """(wall seconds, processor seconds, peak kB, hash of the output, stderr)"""
    with open(f"{folder}/out", "wb") as out, open(f"{folder}/err", "wb") as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err, env={**os.environ, **environment})
        _, ended, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(ended)
    with open(f"{folder}/err", encoding="utf-8", errors="replace") as f:
        said = f.read()
    if child.returncode != status:
        raise programs.Broken(
            f"{' '.join(command)} ends with {child.returncode}: {said[-300:]}")
    with open(f"{folder}/out", "rb") as f:
        output = hashlib.file_digest(f, "sha256").hexdigest()
    return wall, used.ru_utime + used.ru_stime, used.ru_maxrss, output, said


def text_bytes(path):
    """Of the section with the code; tables of sites are elsewhere."""
    done = subprocess.run(["size", "-A", path], capture_output=True, text=True)
    found = re.search(r"^\.text\s+(\d+)", done.stdout, re.M)
    return int(found.group(1)) if found else 0


class Bench:
    """One program: builds its variants, runs them, keeps what is measured."""

    def __init__(self, program, tools, variants, quick):
        self.program, self.tools, self.variants, self.quick = program, tools, variants, quick
        self.folder = f"{tools.work}/{program.name}"
        self.small = f"{self.folder}/small"
        self.builds = {}     # name: {"text"}
        self.output = {}     # of the native program, by folder
        os.makedirs(self.small, exist_ok=True)
        for make_input in program.inputs:
            make_input(self.small, True)
            make_input(self.folder, quick)

    def binary(self, build):
        return f"{self.folder}/{self.program.name}.{build}"

    def build(self):
        """The first one alone: it prepares the sources for all."""
        first, *others = {v.build: v for v in self.variants}.values()
        self.build_one(first)
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            list(pool.map(self.build_one, others))

    def build_one(self, variant):
        folder = f"{self.folder}/build.{variant.build}"
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        build = programs.Build(folder, self.binary(variant.build), self.tools.cc,
                               self.tools.cxx, ["-O2", "-g", *variant.flags])
        if self.program.build:
            self.program.build(build)
        else:
            programs.build_kernel(self.program, build)
        self.builds[variant.build] = {"text": text_bytes(self.binary(variant.build))}
        shutil.rmtree(folder)

    def one(self, variant, folder, arguments):
        # A colon would end the name in MPRT_OPTIONS.
        result = f"{folder}/{variant.name.replace(':', '-')}.result"
        environment = dict(variant.environment)
        if variant.consumer:
            path = self.tools.consumers[variant.consumer]
            environment["MPRT_OPTIONS"] = (
                f"verbose=1:merge=0:backend={path}:output={result}")
            if os.path.exists(result):
                os.remove(result)
        elif variant.build == "plain":
            environment["MPRT_OPTIONS"] = ""
        command = [*variant.prefix, self.binary(variant.build), *arguments]
        wall, cpu, peak, output, said = run(command, folder, environment, self.program.status)
        if self.output.setdefault(folder, output) != output:
            raise programs.Broken(f"{variant.name}: the output differs")
        facts = {"peak_mb": peak / 1024}
        if variant.consumer:
            facts.update(facts_of(variant, result, said))
        return wall, cpu, facts

    def measure(self, rounds):
        measured = Measured()
        arguments = self.program.quick if self.quick else self.program.args
        timed = [v for v in self.variants if not v.once]
        for r in range(rounds):
            for variant in timed[r % len(timed):] + timed[:r % len(timed)] if r else timed:
                wall, cpu, facts = self.one(variant, self.folder, arguments)
                measured.wall.setdefault(variant.name, []).append(wall)
                measured.cpu.setdefault(variant.name, []).append(cpu)
                measured.facts[variant.name] = facts
        once = [v for v in self.variants if v.once]
        if once:
            native = statistics.median(
                self.one(timed[0], self.small, self.program.quick)[1] for _ in range(3))
            for variant in once:
                _, cpu, _ = self.one(variant, self.small, self.program.quick)
                measured.facts[variant.name] = {"slowdown": cpu / max(native, 1e-3)}
        return measured


def facts_of(variant, result, said):
    """What the consumer said about the run."""
    if not os.path.exists(result):
        raise programs.Broken(f"{variant.name}: no profile: {said[-300:]}")
    with open(result, encoding="utf-8") as f:
        document = json.load(f)
    if variant.consumer == "discard":
        if not document["records"] or not document["bytes"]:
            raise programs.Broken("discard: the program has written nothing")
        return document
    if not document["run"]["complete"] or document["run"].get("events_lost", 0):
        raise programs.Broken(f"{variant.name}: the profile is not complete")
    used = re.search(r"memprof-backend used (\d+) kB of memory at most and (\d+) ms", said)
    if not used:
        raise programs.Broken(f"{variant.name}: no memory in: {said}")
    return {"backend_mb": int(used.group(1)) / 1024, "backend_s": int(used.group(2)) / 1e3,
            "profile_bytes": os.path.getsize(result), "accesses": document["run"]["accesses"],
            "events_lost": document["run"].get("events_lost", 0),
            "complete": document["run"]["complete"]}
