#!/usr/bin/env python3
# mutated_profiles.py - no profile, however damaged, breaks a compile.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: mutated_profiles.py [--first SEED] [--count N] "PROGRAM.c [ARGUMENT]..."...

Each PROGRAM is profiled; N times (default 1000) values, members and rows of its profile are changed
(numbers become extreme or those of another row, members are lost, doubled or of another kind), and the
program is compiled with it, under -fchecking and with each transformation allowed, and with a veto file of
random lines.  Unlike permuted_profiles.py, most of these profiles make no sense.

The compiler ends within a minute, without an internal error: it compiles, or refuses the profile with one
message that names its file.  What was compiled prints what the plain program prints.

Prints the seeds that fail and keeps their files, then the numbers.  Exit status: 1 if a seed fails, or if
hardly any profile was used, or none refused.

Environment: MEMPROF_BUILDDIR, MEMPROF_CC.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

CC = os.environ.get("MEMPROF_CC", "gcc").split()
NUMBERS = [0, 1, -1, 63, 64, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**40, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 0.5, 1e300]
OTHERS = [None, "", "external", "x" * 300, [], {}, True, "0xffffffffffffffff"]
WORDS = ["@prefetch", "@versioning", "@field-order", "@layout", "main", "*", "[", "struct", "a.c:1", ":", "x:99999999999", "\t"]


def places(value, name="", found=None):
    """(container, key, name) of each value."""
    found = [] if found is None else found
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found.append((value, key, key if isinstance(value, dict) else name))
        places(inner, found[-1][2], found)
    return found


def mutate(profile, rng):
    for _ in range(rng.randint(1, 4)):
        every = places(profile)
        where, key, name = rng.choice(every)
        value = where[key]
        what = rng.random()
        if what < 0.35 and isinstance(value, (int, float)):
            where[key] = rng.choice(NUMBERS)
        elif what < 0.6:
            same = [(w, k) for w, k, n in every if n == name and isinstance(w[k], type(value))]
            other, at = rng.choice(same)
            where[key] = json.loads(json.dumps(other[at]))
        elif what < 0.75:
            del where[key]
        elif what < 0.9 and isinstance(where, list):
            where.append(json.loads(json.dumps(value)))
        else:
            where[key] = rng.choice(NUMBERS + OTHERS)


class Program:
    def __init__(self, words, specs, folder):
        self.path, *self.arguments = words.split()
        self.path = os.path.abspath(self.path)
        self.name = os.path.basename(self.path)
        self.folder = os.path.join(folder, self.name)
        os.mkdir(self.folder)
        self.specs = "-specs=" + specs
        self.compile("plain")
        self.plain = self.run("./plain")
        self.compile("profiled", "-fprofile-mem-generate", "-fprofile-mem-mode=full")
        self.run("./profiled")
        with open(f"{self.folder}/profiled.memprof.json", encoding="utf-8") as f:
            self.profile = f.read()

    def compile(self, what, *options, folder=None):
        return subprocess.run([*CC, self.specs, "-O2", "-g", "-w", *options, self.path, "-lm", "-o", what],
                              cwd=folder or self.folder, capture_output=True, text=True, errors="replace", timeout=60)

    def run(self, program, folder=None):
        done = subprocess.run([program, *self.arguments], cwd=folder or self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def fault(self, seed, folder):
        """What is wrong, or null; how the compile ended."""
        rng = random.Random(seed)
        profile = json.loads(self.profile)
        mutate(profile, rng)
        with open(f"{folder}/p.memprof.json", "w", encoding="utf-8") as f:
            json.dump(profile, f)
        with open(f"{folder}/veto", "w", encoding="utf-8") as f:
            f.write("".join(rng.choice(WORDS) + rng.choice(" \n:") for _ in range(rng.randint(0, 6))))
        try:
            done = self.compile("rebuilt", "-fchecking", "-fprofile-mem-use=p.memprof.json", "-fprofile-mem-move-fields",
                                "-fprofile-mem-veto=veto", "-fprofile-mem-remarks=remarks", folder=folder)
        except subprocess.TimeoutExpired:
            return "the compile takes more than a minute", None
        if "internal compiler error" in done.stderr or done.returncode < 0:
            return done.stderr[-600:], None
        if done.returncode:
            refused = "memprof" in done.stderr and "p.memprof.json" in done.stderr
            return (None if refused else done.stderr[-600:]), "refused"
        if self.run("./rebuilt", folder) != self.plain:
            return "it prints something else", None
        return None, "used"

    def check(self, seed):
        folder = tempfile.mkdtemp(prefix=f"seed-{seed}.", dir=self.folder)
        wrong, how = self.fault(seed, folder)
        if not wrong:
            shutil.rmtree(folder)
        return wrong and f"{self.name} seed {seed}: {wrong}; {folder}", how


def main(words):
    numbers = {"--first": 1, "--count": 1000}
    while words[:1] and words[0] in numbers:
        numbers[words[0]] = int(words[1])
        words = words[2:]
    if not words or words[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    memprof = os.environ.get("MEMPROF_BUILDDIR", "build") + "/memprof"
    specs = subprocess.run([memprof, "--specs"], text=True, check=True, capture_output=True).stdout.strip()
    folder = tempfile.mkdtemp(prefix="memprof-mutated.")
    failed, ends = 0, {"used": 0, "refused": 0, None: 0}
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for word in words:
            program = Program(word, specs, folder)
            for wrong, how in pool.map(program.check, range(numbers["--first"], numbers["--first"] + numbers["--count"])):
                ends[how] += 1
                if wrong:
                    failed += 1
                    print(wrong, flush=True)
    if not failed:
        shutil.rmtree(folder)
    print(f"mutated_profiles: {sum(ends.values())} compiles: {ends['used']} with the profile, {ends['refused']} refuse it, {failed} fail")
    return 1 if failed or ends["used"] < 10 or ends["refused"] < 1 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
