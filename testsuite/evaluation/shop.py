# shop.py - builds programs, runs them, and keeps what was measured: the one runner of the evaluation.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything is kept below build/evaluation/full or quick:

    inputs/     files that programs read, the same in each run (programs.py)
    programs/   builds, one for each set of flags
    traces/     recorded streams of events
    profiles/   profiles, and whole streams of accesses beside them
    results/    one JSON file for each measurement, with how long it took

A result holds as long as its arguments, the command, the backend and the plugin are the same, so an
evaluation that was broken off goes on where it was. `make evaluation FRESH=1' forgets them all.
"""
import fcntl
import glob
import hashlib
import inspect
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SRCDIR = os.environ.get("MEMPROF_SRCDIR") or os.path.dirname(os.path.dirname(HERE))
BENCH = SRCDIR + "/testsuite/bench"
os.environ["MEMPROF_SRCDIR"] = SRCDIR
sys.path.insert(0, BENCH)

import overhead_programs  # noqa: E402
from paired import measure  # noqa: E402
from programs import INPUTS, PROGRAMS  # noqa: E402

Broken, NotAvailable = overhead_programs.Broken, overhead_programs.NotAvailable


def digest(*things):
    return hashlib.sha256(repr(things).encode()).hexdigest()[:12]


class Shop:
    """One evaluation: full or quick, in one folder of the build tree."""

    def __init__(self, quick):
        self.quick = quick
        self.builddir = os.path.abspath(os.environ.get("MEMPROF_BUILDDIR") or SRCDIR + "/build")
        self.memprof, self.backend = self.builddir + "/memprof", self.builddir + "/memprof-backend"
        if not os.path.exists(self.memprof):
            raise SystemExit(f"evaluation: {self.builddir} has no memprof: run make there, or set MEMPROF_BUILDDIR")
        self.folder = f"{self.builddir}/evaluation/" + ("quick" if quick else "full")
        for name in ("inputs", "programs", "traces", "profiles", "results"):
            os.makedirs(f"{self.folder}/{name}", exist_ok=True)
        self.cc = (os.environ.get("MEMPROF_CC") or "gcc").split()[:1]
        self.cxx = [(os.environ.get("MEMPROF_CXX") or "g++").split()[0], "-std=c++20"]
        self.specs = self.output(self.memprof, "--specs").strip()
        self.tools = digest(*(hashlib.sha256(open(p, "rb").read()).hexdigest() for p in self.products()))
        self.times = []
        self.inputs()

    def products(self):
        found = sorted(glob.glob(self.builddir + "/plugin/.libs/memprof*.so")
                       + glob.glob(self.builddir + "/plugin/*/.libs/memprof*.so"))
        return [self.memprof, self.backend, *found]

    @staticmethod
    def output(*command, **more):
        """Standard output of COMMAND, which must succeed."""
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
        if done.returncode:
            raise Broken(f"{' '.join(command)[:200]}: status {done.returncode}: {done.stderr[-400:]}")
        return done.stdout

    def make(self, *targets):
        """Programs of the build tree that only benchmarks need."""
        subprocess.run([os.environ.get("MAKE", "make"), "-s", "-C", self.builddir, *targets], check=True,
                       stdout=subprocess.DEVNULL)

    def keep(self, name, compute, *facts):
        """What COMPUTE() gives, a JSON value; from a file if tools and FACTS are those of that time."""
        path = f"{self.folder}/results/{name.replace('/', '-').replace(' ', '-')}.json"
        key = digest(self.tools, *facts)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                kept = json.load(file)
            if kept["key"] == key:
                self.times.append((name, kept["seconds"], True))
                return kept["value"]
        start = time.monotonic()
        value = json.loads(json.dumps(compute()))
        seconds = time.monotonic() - start
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump({"key": key, "seconds": round(seconds, 2), "value": value}, file)
        os.rename(path + ".new", path)
        self.times.append((name, seconds, False))
        print(f"  {name}: {seconds:.1f} s", flush=True)
        return value

    # Programs.

    def inputs(self):
        """The folder with the files that programs read. Other files than last time: nothing that was kept holds."""
        folder, key = self.folder + "/inputs", digest([inspect.getsource(f) for f in INPUTS])
        made = folder + "/.made"
        if os.path.exists(made) and open(made, encoding="utf-8").read() == key:
            return folder
        for name in ("traces", "profiles", "results"):
            shutil.rmtree(f"{self.folder}/{name}")
            os.makedirs(f"{self.folder}/{name}")
        for write in INPUTS:
            write(folder, self.quick)
        with open(made, "w", encoding="utf-8") as file:
            file.write(key)
        return folder

    def build(self, name, *flags, changed=None):
        """The program NAME, compiled with FLAGS; CHANGED (name, function) changes a copy of its source."""
        profiled = any("fprofile-mem" in f for f in flags)
        home = f"{self.folder}/programs/{name}"
        target = f"{home}/{name}.{digest(flags, changed and changed[0], profiled and self.tools)}"
        os.makedirs(home, exist_ok=True)
        with open(home + "/lock", "w", encoding="utf-8") as lock:   # two evaluations may run at once
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not os.path.exists(target):
                self.compile(name, home + "/work", target, flags, changed)
        return target

    def compile(self, name, work, target, flags, changed):
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)
        build = overhead_programs.Build(work, target + ".new", self.cc, self.cxx, ["-O2", "-g", *flags])
        build.changed = changed and changed[1]
        PROGRAMS[name].build(build)
        os.rename(target + ".new", target)
        shutil.rmtree(work)

    def generate(self, modules, mode="full"):
        return ("-specs=" + self.specs, "-fprofile-mem-generate", "-fprofile-mem-mode=" + mode,
                "-fprofile-mem-modules=" + modules)

    def coalescing(self, level):
        """Arguments for a plugin must follow it."""
        with open(self.specs, encoding="utf-8") as file:
            plugin = re.search(r"-fplugin=(/\S+)", file.read())[1]
        plugin = plugin.replace("%(version)", self.output(*self.cc, "-dumpfullversion").strip())
        return ("-fplugin=" + plugin, "-fplugin-arg-memprof-coalesce=" + level)

    def arguments(self, run):
        return shlex.split(run.quick if self.quick and run.quick is not None else run.args)

    def execute(self, run, binary, options="", environment=(), output=subprocess.DEVNULL):
        """Seconds by the clock of one run."""
        start = time.monotonic()
        done = subprocess.run([binary, *self.arguments(run)], cwd=self.inputs(), stdin=subprocess.DEVNULL, stdout=output,
                              stderr=subprocess.PIPE, env={**os.environ, **dict(environment), "MPRT_OPTIONS": options})
        if done.returncode != PROGRAMS[run.name].status:
            raise Broken(f"{run.text()}: status {done.returncode}: {done.stderr[-300:].decode(errors='replace')}")
        return time.monotonic() - start

    def trace(self, run, modules="default", flags=()):
        """The recorded stream of events of RUN."""
        path = f"{self.folder}/traces/{run.name}.{digest(self.tools, run, modules, flags)}"
        if not os.path.exists(path):
            self.execute(run, self.build(run.name, *self.generate(modules), *flags), f"file={path}.new")
            if os.path.getsize(path + ".new") < 1000:
                raise Broken(f"{run.text()}: an empty recording")
            os.rename(path + ".new", path)
        return path

    def profile(self, run, modules, options="", mode="full", flags=(), environment=(), changed=None):
        """The profile of RUN."""
        key = digest(self.tools, run, modules, options, mode, flags, environment, changed and changed[0])
        folder = f"{self.folder}/profiles/{run.name}.{key}"
        path = f"{folder}/{run.name}.memprof.json"
        if not os.path.exists(folder):
            shutil.rmtree(folder + ".new", ignore_errors=True)
            os.makedirs(folder + ".new")
            binary = self.build(run.name, *self.generate(modules, mode), *flags, changed=changed)
            out = f"{folder}.new/{run.name}.memprof.json"
            self.execute(run, binary, f"merge=0:output={out}" + (options and ":" + options), environment)
            with open(out, encoding="utf-8") as file:
                facts = json.load(file)["run"]
            if not facts["complete"] or not (facts["accesses"] or mode == "objects"):
                raise Broken(f"{run.text()}: an empty or partial profile")
            os.rename(folder + ".new", folder)
        return path

    def json(self, *command):
        return json.loads(self.output(self.memprof, *command))

    def document(self, path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)

    def timed(self, run, base, others, rounds=5, seconds=60, cpu=False):
        """[{ratio, low, high, base_s, other_s}]: how many times as long as BASE each of OTHERS takes.

        Each command is (binary, MPRT_OPTIONS). Runs are taken in turn."""
        commands = [["env", "MPRT_OPTIONS=" + options, binary, *self.arguments(run)] for binary, options in (base, *others)]
        if PROGRAMS[run.name].status:
            commands = [["sh", "-c", f'"$@"; [ $? = {PROGRAMS[run.name].status} ]', "sh", *c] for c in commands]
        if self.quick:
            rounds = 2
        ratios = measure(commands[0], commands[1:], rounds, rounds, 0.01, seconds, cpu, same=True, folder=self.inputs())
        return [{"ratio": 1 / r.ratio, "low": 1 / r.high, "high": 1 / r.low, "base_s": r.base_s, "other_s": r.other_s}
                for r in ratios]

    def replayed(self, trace, options, rounds=7):
        """{low, high, ratio, base_s, other_s, same}: the backend alone, with the first of two OPTIONS against the second."""
        outs = [f"{self.folder}/profiles/replayed.{i}.json" for i in (0, 1)]
        commands = [[self.backend, "--from", trace, "--options", "merge=0:" + o, "--output", out] for o, out in zip(options, outs)]
        ratio, = measure(commands[0], commands[1:], *[2 if self.quick else rounds] * 2)
        first, second = (open(out, "rb").read() for out in outs)
        return {"ratio": ratio.ratio, "low": ratio.low, "high": ratio.high, "base_s": ratio.base_s, "other_s": ratio.other_s,
                "same": first == second}

    def report_times(self):
        total = sum(seconds for _, seconds, kept in self.times if not kept)
        print(f"{len(self.times)} measurements, {sum(kept for *_, kept in self.times)} of them kept from before; {total:.0f} s")
