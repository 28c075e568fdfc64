#!/usr/bin/env python3
# fault_injection.py - failing system calls and kills: an old profile stays whole, or a new one is.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: fault_injection.py calls|kills|merge [--rounds N] [--verbose]

A program is profiled once; its profile is the old one.  Then it runs again, and

  calls   strace makes one system call of the runtime or of the backend fail (-e inject=CALL:error=E:when=N):
          every call that an undisturbed run makes, up to N of each kind in each process (default 4), with the
          errors that its kind may have
  kills   SIGKILL ends the program, the backend or both after a random time, N times each (default 40)
  merge   the same for `memprof merge' of two profiles into an old file

After each of them

  1. the program has printed and returned what it does without memprof (not when it was killed)
  2. the old profile is as it was, or it is valid and has the sum; "complete": true only with all accesses
  3. a file beside it is a valid profile, or a stream (where there is no shared memory) that makes one
  4. merge has replaced the file if it returned 0, and only then
  5. the backend is gone, and after one more run so is every temporary file
  6. it took less than a minute

Prints what does not hold, then the numbers.  Exit status: 1 if anything does not hold.

Environment: MEMPROF_BUILDDIR, MEMPROF_CC, FAULT_SEED.
"""
import collections
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.environ.get("MEMPROF_BUILDDIR", "build")
CC = os.environ.get("MEMPROF_CC", "gcc").split()
MEMPROF = BUILD + "/memprof"
PROGRAM = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static long sums[2];
static void *work (void *number)
{
  long *own = malloc (400 * sizeof *own), *sum = number;
  for (int i = 0; i < 400; i++) own[i] = i;
  for (int n = 0; n < 50; n++)
    for (int i = 1; i < 400; i++) *sum += own[i] ^= own[i - 1];
  free (own);
  return 0;
}
int main (void)
{
  pthread_t other;
  int alone = pthread_create (&other, 0, work, &sums[1]);
  work (&sums[0]);
  if (alone)
    work (&sums[1]);
  else
    pthread_join (other, 0);
  printf ("%ld %ld\n", sums[0], sums[1]);
  return 7;
}
"""
# What a call may fail with; others get EPERM and ENOMEM.
ERRORS = collections.defaultdict(lambda: ("EPERM", "ENOMEM"), {
    "openat": ("EMFILE", "EACCES", "ENOENT"), "read": ("EIO", "EINTR"), "pread64": ("EIO",), "write": ("ENOSPC", "EIO", "EINTR"),
    "mmap": ("ENOMEM",), "rename": ("EACCES", "ENOSPC"), "fsync": ("EIO",), "clone": ("EAGAIN",), "clone3": ("EAGAIN",),
    "vfork": ("EAGAIN",), "execve": ("ENOENT", "ENOMEM"), "memfd_create": ("ENOSYS", "EMFILE"), "ftruncate": ("ENOMEM",),
    "futex": ("ENOSYS",), "flock": ("EINTR", "ENOLCK"), "fcntl": ("EINVAL", "ENOLCK"), "close": ("EIO",)})
# The program's own: that it cannot print or get memory is no fault of ours.  What cannot fail.
OWN = {"write", "brk", "exit_group", "exit", "newfstatat", "rt_sigreturn", "restart_syscall", "munmap", "set_robust_list",
       "rseq", "futex", "clone", "clone3", "madvise", "mprotect", "rt_sigprocmask"}
NEVER = {"exit_group", "exit", "rt_sigreturn", "restart_syscall", "brk", "arch_prctl", "set_tid_address", "clock_gettime"}
CALL = re.compile(r"^(?:\d+ +)?([a-z_0-9]+)\(")


def run(command, folder, seconds=90, **more):
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False, **more)


class Trial:
    """A folder with the program, a backend of its own, and the old profile."""

    def __init__(self, folder):
        self.folder = folder
        with open(f"{folder}/p.c", "w", encoding="utf-8") as f:
            f.write(PROGRAM)
        specs = subprocess.run([MEMPROF, "--specs"], text=True, check=True, capture_output=True).stdout.strip()
        run([*CC, "-O2", "-pthread", "p.c", "-o", "plain"], folder).check_returncode()
        run([*CC, "-specs=" + specs, "-O2", "-g", "-pthread", "-fprofile-mem-generate", "-fprofile-mem-mode=full", "p.c", "-o", "p"],
            folder).check_returncode()
        self.backend = f"{folder}/memprof-backend"
        shutil.copy(f"{BUILD}/memprof-backend", self.backend)
        self.plain = run(["./plain"], folder)
        self.profile = f"{folder}/p.memprof.json"
        self.environment = {**os.environ, "MPRT_OPTIONS": "backend=" + self.backend}
        self.program()
        with open(self.profile, "rb") as f:
            self.old = f.read()
        self.accesses = json.loads(self.old)["run"]["accesses"]
        self.files = set(os.listdir(folder))
        self.faults = []
        self.runs = 0
        self.kept = self.added = self.lost = 0

    def program(self, wrapper=(), **environment):
        return run([*wrapper, "./p"], self.folder, env={**self.environment, **environment})

    def left_processes(self):
        """Backends that run."""
        left = []
        for path in glob.glob("/proc/[0-9]*/exe"):
            try:
                if os.readlink(path).startswith(self.folder):
                    left.append(path.split("/")[2])
            except OSError:
                pass
        return left

    def complain(self, what, text):
        self.faults.append(f"{what}: {text}")
        print(self.faults[-1], flush=True)

    def valid(self, path):
        return run([MEMPROF, "validate", path], self.folder).returncode == 0

    def look_at_profile(self, what):
        try:
            with open(self.profile, "rb") as f:
                now = f.read()
        except OSError as e:
            return self.complain(what, f"the old profile is gone: {e}")
        if now == self.old:
            self.kept += 1
            return None
        if not self.valid(self.profile):
            return self.complain(what, "the profile is damaged")
        new = json.loads(now)["run"]
        if new["runs"] != 2:
            return self.complain(what, f"{new['runs']} runs in the profile")
        self.added += 1
        # Without its thread the program makes some accesses less; a chunk has thousands.
        if new["complete"] and abs(new["accesses"] - 2 * self.accesses) > 50:
            return self.complain(what, f"complete, but {new['accesses']} accesses")
        return None

    def settle(self, what):
        """Waits for backends; then one more run, after which nothing is left."""
        for _ in range(600):
            if not self.left_processes():
                break
            time.sleep(0.1)
        else:
            self.complain(what, "a process is left")
            for process in self.left_processes():
                os.kill(int(process), signal.SIGKILL)
        self.look_at_profile(what)
        self.program()
        for name in set(os.listdir(self.folder)) - self.files:
            if name.endswith(".memprof-stream"):
                made = "made.memprof.json"
                run([self.backend, "--from", name, "--output", made], self.folder)
                if not self.valid(made):
                    self.complain(what, f"{name} makes no profile")
                os.unlink(f"{self.folder}/{made}")
            # Of another name where the program's own is not known.
            elif not re.fullmatch(r"\w+(\.\d)?\.memprof\.json", name):
                self.complain(what, f"{name} is left")
            elif not self.valid(name):
                self.complain(what, f"{name} is no profile")
            os.unlink(f"{self.folder}/{name}")
        self.restore()
        self.runs += 1

    def restore(self):
        with open(self.profile, "wb") as f:
            f.write(self.old)

    def check(self, what, command, **environment):
        begin = time.monotonic()
        try:
            done = self.program(command, **environment)
            if (done.returncode, done.stdout) != (self.plain.returncode, self.plain.stdout):
                self.complain(what, f"status {done.returncode}, output {done.stdout!r}, {done.stderr[-200:]!r}")
        except subprocess.TimeoutExpired:
            self.complain(what, "it hangs")
        if time.monotonic() - begin > 60:
            self.complain(what, f"it took {time.monotonic() - begin:.0f} s")
        self.settle(what)


def calls_of(path, first=None):
    """Numbers of calls by name in a trace, and how many of each come before FIRST."""
    count, before = collections.Counter(), collections.Counter()
    seen = first is None
    with open(path, encoding="utf-8", errors="replace") as f:
        for line in f:
            found = CALL.match(line)
            if not found:
                continue
            seen = seen or found.group(1) == first
            count[found.group(1)] += 1
            if not seen:
                before[found.group(1)] += 1
    return count, before


def injections(count, before, rounds, leave_out):
    for call in sorted(set(count) - leave_out - NEVER):
        for number in range(before[call] + 1, min(count[call], before[call] + rounds) + 1):
            for error in ERRORS[call]:
                yield call, error, number


def backend_wrapper(trial, arguments):
    """A backend that strace starts."""
    path = f"{trial.folder}/traced"
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"#!/bin/sh\nexec {shutil.which('strace')} -f {arguments} {trial.backend} \"$@\"\n")
    os.chmod(path, 0o755)
    trial.files.add("traced")
    return {"MPRT_OPTIONS": "backend=" + path}


def fail_calls(trial, rounds):
    trace = trial.folder + ".trace"
    trial.program(["strace", "-o", trace])
    trial.restore()
    count, before = calls_of(trace, "memfd_create")
    kinds = set()
    for call, error, number in injections(count, before, rounds, OWN):
        kinds.add(call)
        trial.check(f"program, {call} number {number}: {error}",
                    ["strace", "-o", "/dev/null", "-e", f"inject={call}:error={error}:when={number}"])
    trial.program(**backend_wrapper(trial, f"-o {trace}"))
    trial.restore()
    count, before = calls_of(trace)
    for call, error, number in injections(count, before, rounds, set()):
        kinds.add(call)
        trial.check(f"backend, {call} number {number}: {error}", [],
                    **backend_wrapper(trial, f"-o /dev/null -e inject={call}:error={error}:when={number}"))
    return kinds


def kill(trial, whom, rng):
    begin = time.monotonic()
    program = subprocess.Popen(["./p"], cwd=trial.folder, env=trial.environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    time.sleep(rng.random() * 0.06)
    if whom != "program":
        for process in trial.left_processes():
            if int(process) != program.pid:
                try:
                    os.kill(int(process), signal.SIGKILL)
                except ProcessLookupError:
                    pass
    if whom != "backend":
        program.kill()
    output = program.communicate(timeout=90)[0]
    if program.returncode >= 0 and (program.returncode, output) != (trial.plain.returncode, trial.plain.stdout):
        trial.complain(f"{whom} killed", f"status {program.returncode}, output {output!r}")
    trial.settle(f"{whom} killed")
    if time.monotonic() - begin > 20:
        trial.complain(f"{whom} killed", f"it took {time.monotonic() - begin:.0f} s")


def kill_processes(trial, rounds):
    rng = random.Random(int(os.environ.get("FAULT_SEED", "1")))
    for whom in ("program", "backend", "both"):
        for _ in range(rounds):
            kill(trial, whom, rng)
    return {"SIGKILL"}


class Merge:
    """`memprof merge' of two profiles into a file that is there."""

    def __init__(self, trial):
        self.trial = trial
        self.command = [MEMPROF, "merge", "--num-threads=2", "-o", "sum.memprof.json", "a.memprof.json", "b.memprof.json"]
        for name in ("a", "b", "sum"):
            shutil.copy(trial.profile, f"{trial.folder}/{name}.memprof.json")
        run(self.command, trial.folder).check_returncode()
        self.sum = self.read()
        trial.files = set(os.listdir(trial.folder))

    def read(self):
        with open(f"{self.trial.folder}/sum.memprof.json", "rb") as f:
            return f.read()

    def restore(self):
        with open(f"{self.trial.folder}/sum.memprof.json", "wb") as f:
            f.write(self.trial.old)

    def look(self, what, status):
        now = self.read()
        if now not in (self.trial.old, self.sum):
            self.trial.complain(what, "the file is neither the old one nor the sum")
        elif status == 0 and now != self.sum:
            self.trial.complain(what, "status 0, but the file is the old one")
        self.trial.kept += now == self.trial.old
        self.trial.added += now == self.sum
        run(self.command, self.trial.folder)
        for name in set(os.listdir(self.trial.folder)) - self.trial.files:
            self.trial.complain(what, f"{name} is left")
            os.unlink(f"{self.trial.folder}/{name}")
        self.trial.runs += 1

    def fail(self, call, error, number):
        self.restore()
        what = f"merge, {call} number {number}: {error}"
        done = run(["strace", "-f", "-o", "/dev/null", "-e", f"inject={call}:error={error}:when={number}", *self.command], self.trial.folder)
        self.look(what, done.returncode)

    def killed(self, seconds):
        self.restore()
        process = subprocess.Popen(self.command, cwd=self.trial.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(seconds)
        process.kill()
        self.look("merge killed", process.wait())


def fail_merge(trial, rounds):
    merge = Merge(trial)
    trace = trial.folder + ".trace"
    run(["strace", "-f", "-o", trace, *merge.command], trial.folder)
    count, before = calls_of(trace)
    kinds = set()
    for call, error, number in injections(count, before, 3 * rounds, set()):
        kinds.add(call)
        merge.fail(call, error, number)
    rng = random.Random(int(os.environ.get("FAULT_SEED", "1")))
    for _ in range(25 * rounds):
        merge.killed(rng.random() * 0.03)
    return kinds


def main(words):
    modes = {"calls": (fail_calls, 4), "kills": (kill_processes, 40), "merge": (fail_merge, 4)}
    if not words or words[0] not in modes:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    what, rounds = modes[words[0]]
    if words[1:2] == ["--rounds"]:
        rounds = int(words[2])
    with tempfile.TemporaryDirectory(prefix="memprof-faults.") as folder:
        trial = Trial(folder + "/t" if os.mkdir(folder + "/t") is None else folder)
        kinds = what(trial, rounds)
        print(f"fault_injection: {words[0]}: {trial.runs} trials of {len(kinds)} kinds; the old profile stayed in {trial.kept}, "
              f"the new one is whole in {trial.added}; {len(trial.faults)} faults")
    # A trial that disturbs nothing would find nothing.
    return 1 if trial.faults or trial.runs < 20 or trial.kept == 0 or trial.added == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
