#!/usr/bin/env python3
# valid_profiles.py - whatever a run writes, `memprof validate' accepts.
# SPDX-License-Identifier: GPL-3.0-or-later
"""Usage: valid_profiles.py [--count N] [--first N]

The random programs of this folder (sequential ones, those that pass pointers around, and
those with threads) and programs with objects of 0 bytes in three languages. Each is
compiled in every mode with all modules, and with the default ones; it runs three times, so
that the second and the third run are merged into the profile of the first; the profile is
validated after each, and once more after `memprof merge' with itself. All runs must print
what the plain program prints.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

import generate
import threads

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("MEMPROF_BUILDDIR", "build"))
MEMPROF = os.path.join(BUILD, "memprof")
COMPILERS = {".c": os.environ.get("MEMPROF_CC", "gcc").split(),
             ".cc": os.environ.get("MEMPROF_CXX", "g++").split(),
             ".f90": os.environ.get("MEMPROF_FC", "gfortran").split()}
OPTIMISE = ["-O0", "-O1", "-O2", "-O3", "-Os", "-Og", "-O2 -flto"]
MODES = {"full, all": ["-fprofile-mem-mode=full", "-fprofile-mem-modules=all"],
         "full": ["-fprofile-mem-mode=full"],
         "sample, all": ["-fprofile-mem-mode=sample", "-fprofile-mem-modules=all"],
         "objects": ["-fprofile-mem-mode=objects"]}
RUNS = 3
SECONDS = 300


def execute(command, cwd, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("MPRT_")}
    return subprocess.run(command, cwd=cwd, env=env | environment, capture_output=True, text=True,
                          errors="replace", timeout=SECONDS, stdin=subprocess.DEVNULL)


def programs(first, count):
    """(name, suffix, text, options), the programs with 0 bytes before all others."""
    if first == 0:
        for suffix in COMPILERS:
            if COMPILERS[suffix] and shutil.which(COMPILERS[suffix][0]):
                with open(os.path.join(HERE, "zero_size" + suffix), encoding="utf-8") as f:
                    yield "zero_size", suffix, f.read(), []
    for seed in range(first, first + count):
        yield f"program {seed}", ".c", generate.program(seed, False)[0], []
        yield f"pointers {seed}", ".c", generate.program(seed, True)[0], []
        yield f"threads {seed}", ".c", threads.program(seed)[0], ["-fopenmp"]


def outcome(run):
    return run.returncode, run.stdout


def accesses(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)["run"]["accesses"]


def faults_of(directory, compile_it, mode, plain):
    """What is wrong with the profiles of one program in one mode."""
    profile = os.path.join(directory, "p.memprof.json")
    if os.path.exists(profile):
        os.remove(profile)
    built = execute(compile_it + [f"-specs={BUILD}/memprof.specs", "-fprofile-mem-generate",
                                  *MODES[mode], "-o", "p"], directory)
    if built.returncode:
        return [f"does not compile: {built.stderr[-1000:]}"]
    for run in range(1, RUNS + 1):
        ran = execute(["./p"], directory)
        if outcome(ran) != plain:
            return [f"run {run}: {outcome(ran)} instead of {plain}"]
        if not os.path.exists(profile):
            return [f"run {run}: no profile"]
        checked = execute([MEMPROF, "validate", profile], directory)
        if checked.returncode:
            return [f"run {run}: {checked.stdout[:2000]}{checked.stderr[:500]}"]
    if mode != "objects" and not accesses(profile):
        return ["the profile has no accesses"]
    both = execute([MEMPROF, "merge", "-o", "twice.json", profile, profile], directory)
    checked = execute([MEMPROF, "validate", "twice.json"], directory)
    if both.returncode or checked.returncode:
        return [f"merged: {both.stderr}{checked.stdout[:2000]}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--first", type=int, default=0)
    args = parser.parse_args()
    bad = checks = 0
    for number, (name, suffix, text, options) in enumerate(programs(args.first, args.count)):
        directory = tempfile.mkdtemp(prefix="memprof-valid.")
        try:
            source = "p" + suffix
            with open(os.path.join(directory, source), "w", encoding="utf-8") as f:
                f.write(text)
            optimise = OPTIMISE[number % len(OPTIMISE)].split()
            compile_it = COMPILERS[suffix] + ["-w", "-g", *optimise, *options, source]
            built = execute(compile_it + ["-o", "plain"], directory)
            if built.returncode:
                sys.exit(f"{name} does not compile: {built.stderr}")
            plain = outcome(execute(["./plain"], directory))
            for mode in MODES:
                checks += 1
                for fault in faults_of(directory, compile_it, mode, plain):
                    bad += 1
                    print(f"{name}{suffix} {' '.join(optimise)}, {mode}: {fault}", flush=True)
        finally:
            shutil.rmtree(directory)
    if checks < len(MODES):
        sys.exit("nothing was checked")
    print(f"{checks} programs and modes, {bad} with faults")
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
