#!/usr/bin/env python3
# differential.py - the exactness test: profiles against an independent oracle.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   differential.py [--first N] [--count N] [--levels LIST] [--optimise LIST]
#                   [--faults LIST] [--jobs N] [--keep DIR] [--runs N]
#
# For each random program (generate.py) and each coalescing level: compile with
# both plugins (oracle_plugin.cc says how), run, and compare the profile with
# what analysis.py makes of the oracle's log.  The optimisation level goes round
# with the number of the program.  Besides:
#
#   * the program's output and exit status are those of the plain build;
#   * at -O0 the totals are those that the generator knows from the source;
#   * the product alone, whose loops the oracle's calls do not disturb, gives
#     the same profile as far as it does not depend on addresses.
#
# --faults makes the product wrong in one place and succeeds as soon as a
# program notices.
#
# --runs N takes programs with threads (threads.py), runs each N times at each level,
# and compares each profile with the oracle of the same run.
#
# The build: MEMPROF_BUILDDIR; oracle.so and oracle_runtime.o are made by
# `make check' in its testsuite/exact.
import argparse
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import analyse  # noqa: E402
import generate  # noqa: E402
import observers  # noqa: E402
import threads  # noqa: E402

OPTIMISE = ["-O0", "-O1", "-O2", "-O3", "-Os", "-Og"]
# values, all, context, readers, pointers and targets are as nest, with other modules.
MODULES = {"values": "default,value:all,silent_store",
           "all": "default,dependence:all,lifetime,dead_store,sharing,privatisation",
           "context": "default,dependence:context",
           "readers": "default,dependence:readers",
           "pointers": "default,pointers",
           "targets": "points_to"}
KINDS = ("all", "context", "readers")
LEVELS = ["nest", "range", "block", "access", *MODULES]
SECONDS = 300

BUILD = os.path.abspath(os.environ.get("MEMPROF_BUILDDIR", "build"))
CC = os.environ.get("MEMPROF_CC", "gcc").split()
ORACLE = os.path.join(BUILD, "testsuite/exact/.libs/oracle.so")
RUNTIME = os.path.join(BUILD, "testsuite/exact/oracle_runtime.o")
SPECS = os.path.join(BUILD, "memprof.specs")


def faults_of(name):
    """The faults of a faults.def that this test must notice: name -> level."""
    path = os.path.join(HERE, "../..", name)
    with open(path, encoding="utf-8") as f:
        found = dict(re.findall(r'^FAULT \((\w+), ".*[";] *exact/exact-faults (\w+)[";]',
                                f.read(), re.M))
    if not found:
        raise Broken(f"{path} has no faults for this test")
    return found


class Broken(Exception):
    """The test itself does not work."""


def plugin():
    with open(SPECS, encoding="utf-8") as f:
        name = re.search(r"-fplugin=(/\S+)", f.read()).group(1)
    version = subprocess.run([*CC, "-dumpfullversion"], capture_output=True, text=True,
                             check=True).stdout.strip()
    return name.replace("%(version)", version)


def execute(command, cwd, **environment):
    env = {k: v for k, v in os.environ.items() if not k.startswith("MPRT_")}
    env.update(environment)
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True,
                          text=True, errors="replace", timeout=SECONDS,
                          stdin=subprocess.DEVNULL)


def compile_c(command, cwd):
    r = execute(command, cwd)
    if r.returncode:
        return [f"does not compile: {' '.join(command)}\n{r.stderr[-2000:]}"]
    return []


def product(level, fault):
    modules = []
    if level in MODULES:
        level, modules = "nest", [f"-fprofile-mem-modules={MODULES[level]}"]
    command = CC + ["-w", "-g", "-fchecking", f"-fplugin={plugin()}",
                    f"-fplugin-arg-memprof-coalesce={level}",
                    f"-specs={SPECS}", "-fprofile-mem-generate", "-fprofile-mem-mode=full", *modules]
    if fault in faults_of("plugin/faults.def"):
        command.append(f"-fplugin-arg-memprof-fault={fault}")
    return command


def options(fault):
    return {"MPRT_OPTIONS": f"fault={fault}"} \
        if fault in faults_of("runtime/backend/base/faults.def") else {}


def read_profile(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def without_addresses(profile):
    """What two builds of one program must agree about."""
    def name(g):
        return [g["kind"], g.get("function"), g.get("line")]
    groups = {g["id"]: name(g) for g in profile["groups"]}
    return {
        "modules": profile["modules"],
        "dependences": profile.get("dependences"),
        "points_to": [[r["site"], sorted(([groups[g], n] for g, n in r["groups"]),
                                         key=str)]
                      for r in profile["points_to"]],
        "accesses": profile["run"]["accesses"],
    }


def first_difference(a, b, where=""):
    if type(a) is not type(b):
        return f"{where}: {a!r} / {b!r}"
    if isinstance(a, dict):
        for k in sorted(set(a) | set(b)):
            if a.get(k) != b.get(k):
                return first_difference(a.get(k), b.get(k), f"{where}/{k}")
    if isinstance(a, list):
        for i, (x, y) in enumerate(zip(a, b)):
            if x != y:
                return first_difference(x, y, f"{where}/{i}")
        return f"{where}: {len(a)} / {len(b)} rows"
    return f"{where}: {a!r} / {b!r}"


def compare(directory, program, known, level, plain_stores, ordered=True):
    static = analyse.Map(os.path.join(directory, "oracle.map"))
    watch = (observers.Lifetimes, observers.DeadStores, observers.Sharing,
             observers.Privatisation)
    actual = analyse.replay(os.path.join(directory, "oracle.log"), static, program,
                            level if level in KINDS else "raw",
                            watch if level == "all" else
                            (observers.Pointers,) if level == "pointers" else ())
    profile = read_profile(os.path.join(directory, "both.memprof.json"))
    c = analyse.Comparison(static, actual, profile, ordered)
    if level == "targets":
        c.targets(known)
        return c, profile
    several = c.everything(known)
    if level == "all":
        c.lifetimes(several)
        c.dead_stores()
        c.sharing()
        c.privatisation(several)
    if level == "pointers":
        c.pointers()
    if level == "values" and plain_stores:
        c.values(os.path.join(directory, "oracle.log"))
    return c, profile


def one(seed, levels, optimise, fault=None, keep=None):
    """[(level, differences, accesses)] of one program."""
    directory = os.path.join(keep, f"{seed}{optimise}") if keep else \
        tempfile.mkdtemp(prefix="memprof-exact.")
    os.makedirs(directory, exist_ok=True)
    try:
        found, special = [], None
        for level in levels:
            if special != (level == "pointers"):
                special = level == "pointers"
                plain, known = reference(directory, seed, optimise, special)
            try:
                found.append((level, *at_level(directory, level, optimise, fault,
                                               plain, known)))
            except subprocess.TimeoutExpired as e:
                found.append((level, [f"timeout: {' '.join(e.cmd)}"], 0))
        return found
    finally:
        if not keep:
            shutil.rmtree(directory)


def reference(directory, seed, optimise, pointers):
    """How the plain program runs; at -O0 its loads and stores, else None.  POINTERS:
    that of the level `pointers'."""
    with open(os.path.join(directory, "p.c"), "w", encoding="utf-8") as f:
        f.write(generate.program(seed, pointers)[0])
    bad = compile_c(CC + ["-w", *optimise.split(), "p.c", "-o", "plain"], directory)
    if bad:
        raise Broken(bad[0])
    plain = execute(["./plain"], directory)
    if optimise != "-O0" or pointers:
        return plain, None
    if compile_c(CC + ["-w", "-DCOUNT", "p.c", "-o", "count"], directory):
        raise Broken("the counting build does not compile")
    return plain, tuple(map(int, execute(["./count"], directory).stderr.split()))


def at_level(directory, level, optimise, fault, plain, known):
    forget(directory)
    both = product(level, fault) + optimise.split() + [
        f"-fplugin={ORACLE}", "-fplugin-arg-oracle-map=oracle.map",
        "p.c", RUNTIME, "-o", "both"]
    bad = compile_c(both, directory)
    if bad:
        return bad, 0
    more = options(fault) | ({"ORACLE_VALUES": "1"} if level == "values" else
                              {"ORACLE_POINTERS": "1"} if level == "pointers" else {})
    ran = execute(["./both"], directory, ORACLE_LOG="oracle.log", **more)
    bad = same_run("with both plugins", plain, ran)
    if not os.path.exists(os.path.join(directory, "both.memprof.json")):
        return bad + ["no profile was written"], 0
    c, profile = compare(directory, os.path.join(directory, "both"), known, level,
                         optimise == "-O0")
    bad += c.differences
    if level in ("nest", "targets") and not fault and not bad:
        bad += alone(directory, level, optimise, plain, profile)
    return bad, c.a.time


def threaded(seed, levels, optimise, runs, keep=None):
    """The same of a program with threads, run RUNS times at each level."""
    directory = os.path.join(keep, f"t{seed}{optimise}") if keep else \
        tempfile.mkdtemp(prefix="memprof-exact.")
    os.makedirs(directory, exist_ok=True)
    both = os.path.join(directory, "both")
    try:
        with open(os.path.join(directory, "p.c"), "w", encoding="utf-8") as f:
            f.write(threads.program(seed)[0])
        sources = ["-fopenmp", *optimise.split(), "p.c"]
        bad = compile_c(CC + ["-w", *sources, "-o", "plain"], directory)
        if bad:
            raise Broken(bad[0])
        plain = execute(["./plain"], directory)
        found = []
        for level in levels:
            forget(directory)
            bad = compile_c(product(level, None) + [
                f"-fplugin={ORACLE}", "-fplugin-arg-oracle-map=oracle.map",
                *sources, RUNTIME, "-o", "both"], directory)
            accesses = 0
            for run in range(0 if bad else runs):
                try:
                    ran = execute([both], directory, ORACLE_LOG="oracle.log",
                                  MPRT_OPTIONS="merge=0",
                                  **({"ORACLE_POINTERS": "1"} if level == "pointers" else {}))
                    bad = same_run("with both plugins", plain, ran)
                    if os.path.exists(f"{both}.memprof.json"):
                        c, _ = compare(directory, both, None, level, False,
                                       threads.ordered(seed))
                        bad += c.differences
                        accesses += c.a.time
                    else:
                        bad.append("no profile was written")
                except subprocess.TimeoutExpired as e:
                    bad = [f"timeout: {' '.join(e.cmd)}"]
                if bad:
                    bad.insert(0, f"run {run}")
                    break
            found.append((level, bad, accesses))
        return found
    finally:
        if not keep:
            shutil.rmtree(directory)


def forget(directory):
    for stale in ("oracle.map", "both.memprof.json", "alone.memprof.json"):
        if os.path.exists(os.path.join(directory, stale)):
            os.remove(os.path.join(directory, stale))


def alone(directory, level, optimise, plain, profile):
    bad = compile_c(product(level, None) + [*optimise.split(), "p.c", "-o", "alone"], directory)
    if bad:
        return bad
    bad = same_run("instrumented", plain, execute(["./alone"], directory))
    path = os.path.join(directory, "alone.memprof.json")
    if not os.path.exists(path):
        return bad + ["no profile was written without the oracle"]
    here, there = without_addresses(read_profile(path)), without_addresses(profile)
    if here != there:
        bad.append("without / with the oracle: " + first_difference(here, there))
    return bad


def same_run(what, plain, ran):
    bad = []
    for name in ("stdout", "stderr", "returncode"):
        if getattr(plain, name) != getattr(ran, name):
            bad.append(f"{what}, {name}: {getattr(ran, name)[-300:]!r} instead of "
                       f"{getattr(plain, name)[-300:]!r}" if name != "returncode" else
                       f"{what}, exit status {ran.returncode} instead of {plain.returncode}")
    return bad


def report(seed, level, optimise, differences):
    print(f"program {seed} {optimise} {level}: {len(differences)} differences")
    for d in differences[:analyse.MOST]:
        print(f"  {d}")
    sys.stdout.flush()


@functools.lru_cache(maxsize=None)
def clean(seed, level, optimise):
    [(_, differences, _)] = one(seed, [level], optimise)
    return not differences


def catch(fault, level, seeds):
    """Whether a program that is exact without the fault notices it."""
    for seed in seeds:
        optimise = OPTIMISE[seed % len(OPTIMISE)]
        [(_, differences, _)] = one(seed, [level], optimise, fault)
        # A compiler that refuses the fault proves nothing.
        if differences and differences[0].startswith("does not compile"):
            print(f"fault {fault}: {differences[0]}", flush=True)
            return False
        if differences and clean(seed, level, optimise):
            print(f"fault {fault}: noticed by program {seed} {optimise} {level}: "
                  f"{differences[0][:200]}", flush=True)
            return True
    print(f"fault {fault}: NOT noticed", flush=True)
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--optimise", default=",".join(OPTIMISE))
    parser.add_argument("--faults", default="")
    parser.add_argument("--runs", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--keep")
    parser.add_argument("--quiet", action="store_true")
    args = parser.parse_args()
    for path in (ORACLE, RUNTIME, SPECS):
        if not os.path.exists(path):
            print(f"differential: {path} is missing (make check builds it)", file=sys.stderr)
            return 99
    seeds = range(args.first, args.first + args.count)
    if args.faults:
        known = faults_of("plugin/faults.def") | faults_of("runtime/backend/base/faults.def")
        names = known if args.faults == "all" else args.faults.split(",")
        if strange := [n for n in names if n not in known]:
            parser.error(f"not for this test: {', '.join(strange)}")
        with ProcessPoolExecutor(args.jobs) as pool:
            caught = list(pool.map(catch, names, [known[n] for n in names],
                                   [seeds] * len(names)))
        print(f"{sum(caught)} of {len(caught)} seeded faults were noticed")
        return 0 if all(caught) else 1

    levels, optimise = args.levels.split(","), args.optimise.split(",")
    wrong = accesses = done = 0
    with ProcessPoolExecutor(args.jobs) as pool:
        work = {pool.submit(threaded, seed, levels, optimise[seed % len(optimise)],
                            args.runs, args.keep) if args.runs else
                pool.submit(one, seed, levels, optimise[seed % len(optimise)], None,
                            args.keep): seed for seed in seeds}
        for future in as_completed(work):
            seed = work[future]
            try:
                found = future.result()
            except Exception:  # report it with the program it belongs to
                traceback.print_exc()
                found = [("", ["the test itself failed"], 0)]
            for level, differences, n in found:
                done += 1
                accesses += n
                if differences:
                    wrong += 1
                    report(seed, level, optimise[seed % len(optimise)], differences)
    if not args.quiet:
        total = {}
        for seed in seeds:
            for f in (threads if args.runs else generate).program(seed)[1]:
                total[f] = total.get(f, 0) + 1
        print("programs with: " + ", ".join(f"{f} {total[f]}" for f in sorted(total)))
    print(f"{args.count} programs, levels {args.levels}: {done - wrong} of {done} "
          f"profiles equal to the oracle, {accesses} accesses compared")
    return 1 if wrong or not accesses else 0


if __name__ == "__main__":
    sys.exit(main())
