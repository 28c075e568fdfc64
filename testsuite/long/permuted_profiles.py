#!/usr/bin/env python3
# permuted_profiles.py - a profile that is wrong in every row changes no program's output.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: permuted_profiles.py [--first SEED] [--count N] "PROGRAM.c [ARGUMENT]..."...

Each PROGRAM is built plain and profiled, and run.  N times, for seeds from
SEED on, the rows of the profile are permuted: in each table, a column such as `site' or the
numbers of a row are dealt out anew among the rows.  So the profile is well formed and says
what is true of other sites, loops and objects.  In every other round the source changes too,
one line more in each function, so that sites are found again by their texts (salvaged), which
are permuted as well.  The program rebuilt with it, under -fchecking, prints what the plain one
prints and ends as it does.

Prints the seeds that fail and keeps their profiles, then the numbers.  Exit status: 1 if a
seed fails or if hardly any rebuild transforms something.

Environment: MEMPROF_BUILDDIR, MEMPROF_CC.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

CC = os.environ.get("MEMPROF_CC", "gcc").split()
SECONDS = 120
# Columns that say where a row belongs, by table; the others of a row are dealt out together.
PLACES = {"site", "source", "sink", "group", "loop", "at"}
SITE_TEXTS = ("expression", "type", "field", "width", "kind")


def run(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment},
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    return done.returncode, done.stdout, done.stderr


def deal(rows, keys, rng):
    """Permutes the values of KEYS, together, among the ROWS that have all of them."""
    having = [r for r in rows if all(k in r for k in keys)]
    values = [[r[k] for k in keys] for r in having]
    rng.shuffle(values)
    for row, value in zip(having, values):
        row.update(zip(keys, value))


def permute(profile, rng, texts):
    functions = [f for m in profile["modules"] for f in m["functions"]]
    sites = [s for f in functions for s in f.get("sites", [])]
    deal(sites, ["executions"], rng)
    if texts:
        for function in functions:
            deal(function.get("sites", []), SITE_TEXTS, rng)
    for function in functions:
        deal(function.get("loops", []), ["invocations", "iterations"], rng)
    for name, rows in profile.items():
        if not isinstance(rows, list) or name in ("modules", "types", "fields") or not rows:
            continue
        if not isinstance(rows[0], dict):
            continue
        for key in sorted(set(rows[0]) & PLACES):
            if rng.random() < 0.7:
                deal(rows, [key], rng)
    deal(profile["groups"], ["objects", "bytes", "span"], rng)


class Program:
    def __init__(self, words, specs, folder):
        path, *self.arguments = words.split()
        self.name = os.path.basename(path)
        self.folder = os.path.join(folder, self.name)
        os.mkdir(self.folder)
        self.specs = "-specs=" + specs
        self.headers = "-I" + os.path.dirname(os.path.abspath(path))
        shutil.copy(path, self.folder)
        with open(path, encoding="utf-8") as f:
            self.text = f.read()
        # A statement that is executed once in each function: another checksum.
        self.changed = re.sub(r"\)\n\{$", ")\n{ static volatile int entered; entered = 1;",
                              self.text, flags=re.M)
        self.build("plain", self.folder)
        self.plain = run(["./plain", *self.arguments], self.folder)
        self.build("profiled", self.folder, self.specs, "-fprofile-mem-generate", "-fprofile-mem-mode=full")
        run(["./profiled", *self.arguments], self.folder)
        with open(f"{self.folder}/profiled.memprof.json", encoding="utf-8") as f:
            self.profile = f.read()

    def build(self, what, folder, *options):
        status, _, said = run([*CC, "-O2", "-g", "-w", self.headers, *options, self.name, "-lm",
                               "-o", what], folder)
        if status:
            raise RuntimeError(f"{what} does not compile: {said.decode(errors='replace')[-600:]}")

    def check(self, seed):
        """(what is wrong or null, number of transformations)"""
        rng = random.Random(seed)
        profile = json.loads(self.profile)
        changed = seed % 2 == 1
        permute(profile, rng, changed)
        folder = tempfile.mkdtemp(prefix=f"seed-{seed}.", dir=self.folder)
        with open(f"{folder}/{self.name}", "w", encoding="utf-8") as f:
            f.write(self.changed if changed else self.text)
        with open(f"{folder}/p.memprof.json", "w", encoding="utf-8") as f:
            json.dump(profile, f)
        try:
            self.build("rebuilt", folder, self.specs, "-fchecking", "-fprofile-mem-use",
                       "-fprofile-mem-remarks=remarks")
            found = run(["./rebuilt", *self.arguments], folder)
        except (RuntimeError, subprocess.TimeoutExpired) as e:
            return f"{self.name} seed {seed}: {e}; {folder}", 0
        if found != self.plain:
            return f"{self.name} seed {seed}: ends with {found[0]}, or prints something else; {folder}", 0
        taken = 0
        if os.path.exists(f"{folder}/remarks"):
            with open(f"{folder}/remarks", encoding="utf-8") as f:
                taken = f.read().count('"taken":true')
        shutil.rmtree(folder)
        return None, taken


def main(words):
    numbers = {"--first": 1, "--count": 100}
    while words[:1] and words[0] in numbers:
        numbers[words[0]] = int(words[1])
        words = words[2:]
    if not words or words[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    memprof = os.environ.get("MEMPROF_BUILDDIR", "build") + "/memprof"
    specs = subprocess.run([memprof, "--specs"], text=True, check=True,
                           capture_output=True).stdout.strip()
    folder = tempfile.mkdtemp(prefix="memprof-permuted.")
    seeds = range(numbers["--first"], numbers["--first"] + numbers["--count"])
    failed = transformed = transformations = rounds = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for word in words:
            program = Program(word, specs, folder)
            for wrong, taken in pool.map(program.check, seeds):
                rounds += 1
                transformed += taken > 0
                transformations += taken
                if wrong:
                    failed += 1
                    print(wrong, flush=True)
    if not failed:
        shutil.rmtree(folder)
    print(f"permuted_profiles: {rounds} rebuilds, {transformed} of them transform something, "
          f"{transformations} transformations, {failed} behave differently")
    return 1 if failed or transformed * 10 < rounds else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
