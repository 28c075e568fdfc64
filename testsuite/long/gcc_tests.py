#!/usr/bin/env python3
# gcc_tests.py - programs of GCC's own test suite behave as without the profiler.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: gcc_tests.py [--status | --compile] FILE...

Each FILE is a test that can be executed, and that the compiler here passes.  It is built
and run plainly; profiled, in the modes full and sample; and rebuilt with the full profile.
With --compile it is a test that need not be executed, and is only compiled.

  compiles       no build fails that the plain one does not
  behaves        exit status and what is printed are the same (with --status the status
                 alone, as of threads that print when they come to it; and of tests of which
                 two plain runs print different things, such as addresses)
  is complete    there is a profile, and it says that nothing is missing

Prints what differs, and the numbers.  Exit status: 1 if something does.

Environment: MEMPROF_BUILDDIR; MEMPROF_TEST_FLAGS, the options (-O2 -w); MEMPROF_PROFILE_FLAGS,
those of the profiled builds only; MEMPROF_CC, MEMPROF_CXX, MEMPROF_FC.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

MODES = ("full", "sample")
CC, CXX, FC = (os.environ.get("MEMPROF_" + name, default).split()
               for name, default in (("CC", "gcc"), ("CXX", "g++"), ("FC", "gfortran")))
COMPILERS = {".c": CC, ".C": CXX, ".cc": CXX, ".f": FC, ".f90": FC, ".F90": FC, ".f03": FC,
             ".f08": FC}
FLAGS = os.environ.get("MEMPROF_TEST_FLAGS", "-O2 -w").split()
PROFILE_FLAGS = os.environ.get("MEMPROF_PROFILE_FLAGS", "").split()
# The first compares the return addresses of one call: sample mode has it twice. The others
# call libc as if it were Microsoft's: sample mode has more calls of memcmp.
EXCEPT = {("20010122-1.c", "sample"), ("pr80969-4.c", "sample"), ("pr80969-4a.c", "sample"),
          ("pr80969-4b.c", "sample")}
# Not executed. They print the processor's flags, a dead variable, what was never set, the
# options; compare the frames of two functions; link only if a call is optimised away.
UNDEFINED = {"readeflags-1.c", "whole_file_14.f90", "pr47757-1.f90", "unlimited_polymorphic_31.f03",
             "sibcall-9.c", "strlenopt-81.c"}
# What a build refuses (doc/limits.md): other sanitizers of memory, 32 bits.
REFUSED = re.compile(r"-m(32|x32)|-fsanitize=.*(address|leak|thread)")
# Takes a minute as it is; as long a block of volatile stores is quadratic in GCC's dominator pass.
TOO_LONG = {"20001226-1.c", "limits-exprparen.c", "limits-fnargs.c", "limits-caselabels.c",
            "pr48141.c"}
SECONDS = 120


def run(command, folder, **environment):
    """(exit status, stdout, stderr)"""
    try:
        done = subprocess.run(command, cwd=folder, env={**os.environ, **environment},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "timeout", b"", b""
    return done.returncode, done.stdout, done.stderr


def own_options(text):
    """What the test asks for, as far as it is simple."""
    words = []
    for quoted in re.findall(r'dg-(?:additional-)?options\s+"([^"]*)"', text):
        words += quoted.split()
    return [w for w in words
            if not w.startswith(("-O", "-fdump", "-save-temps")) and not set("{}$") & set(w)]


class Test:
    def __init__(self, path, specs, folder, how):
        self.status_only, self.compiled_only = how == "--status", how == "--compile"
        self.name = os.path.basename(path)
        self.specs, self.folder, self.differs = "-specs=" + specs, folder, []
        with open(path, encoding="latin-1") as f:
            text = f.read()
        options = own_options(text)
        not_run = "dg-do" in text and "dg-do run" not in text or self.name in UNDEFINED
        self.compiler = COMPILERS[os.path.splitext(path)[1]]
        self.build_command = [*FLAGS, *options, path, "-c" if self.compiled_only else "-lm"]
        if (any(REFUSED.match(o) for o in options) or self.name in TOO_LONG
                or not_run and not self.compiled_only):
            self.build_command = None

    def build(self, name, *options):
        return run([*self.compiler, *options, *self.build_command, "-o", name], self.folder)

    def works_plainly(self):
        if not self.build_command or self.build("plain")[0] != 0:
            return False
        if self.compiled_only:
            return True
        self.plain = run(["./plain"], self.folder)
        self.status_only |= run(["./plain"], self.folder) != self.plain
        return self.plain[0] == 0

    def try_build(self, what, *options):
        """Notes where WHAT, built with OPTIONS, does not do what the plain program does."""
        status, _, said = self.build(what, self.specs, *options)
        if status != 0:
            self.differs.append(f"{what} does not compile: {said.decode(errors='replace')[-800:]}")
            return
        if self.compiled_only:
            return
        found = run([f"./{what}"], self.folder,
                    MPRT_OPTIONS=f"merge=0:output={self.folder}/{what}.json")
        if found[0] != self.plain[0]:
            self.differs.append(f"{what} ends with {found[0]}: {found[2].decode()[-300:]}")
        elif not self.status_only and found != self.plain:
            self.differs.append(f"{what} prints something else: {found[2].decode()[-300:]}")

    def check_complete(self, what):
        try:
            with open(f"{self.folder}/{what}.json", encoding="utf-8") as f:
                if not json.load(f)["run"]["complete"]:
                    self.differs.append(f"the profile of {what} is not complete")
        except FileNotFoundError:
            self.differs.append(f"{what} leaves no profile")

    def check(self):
        modes = [mode for mode in MODES if (self.name, mode) not in EXCEPT]
        for mode in modes:
            self.try_build(mode, "-fprofile-mem-generate", "-fprofile-mem-mode=" + mode,
                           *PROFILE_FLAGS)
        if self.compiled_only:
            return
        for mode in modes:
            self.check_complete(mode)
        self.try_build("rebuilt", f"-fprofile-mem-use={self.folder}/full.json")


def judge(path, specs, how):
    """What differs, or null: not a test here."""
    with tempfile.TemporaryDirectory(prefix="memprof-gcc-test.") as folder:
        test = Test(os.path.abspath(path), specs, folder, how)
        if not test.works_plainly():
            return None
        test.check()
        return test.differs


def main(paths):
    how = paths.pop(0) if paths[:1] in (["--status"], ["--compile"]) else ""
    if not paths or paths[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    memprof = os.environ.get("MEMPROF_BUILDDIR", "build") + "/memprof"
    specs = subprocess.run([memprof, "--specs"], text=True, check=True,
                           capture_output=True).stdout.strip()
    passed = failed = 0
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        judged = pool.map(lambda path: judge(path, specs, how), paths)
        for path, differs in zip(paths, judged):
            if differs:
                failed += 1
                print(path, *differs, sep="\n  ", flush=True)
            elif differs is not None:
                passed += 1
    print(f"gcc_tests: {passed} tests behave as without the profiler, {failed} do not")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
