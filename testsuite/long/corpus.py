#!/usr/bin/env python3
# corpus.py - builds and tests Debian source packages plain, profiled and rebuilt, and makes a table.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: corpus.py [-d DIR] [-t SECONDS] [PACKAGE]...

For each package of corpus.list (or each PACKAGE of it) without a result in DIR:

  1. fetches its source with debian-source.sh, and copies it for each of the three builds
  2. builds it with its own rules and -O2 -g: plain; with -fprofile-mem-generate=DIR; after the tests of that
     one with -fprofile-mem-use=DIR
  3. runs its own tests in each
  4. compares the tests one by one (their exit status where they have no names), checks each profile with
     `memprof validate', and compares the warnings of the builds

A package that does not build or test by itself here says nothing about memprof: its row says why.

Exit status: 1 if a package differs: other test results, an invalid profile, a build that fails, a warning of
ours alone.
"""
import collections
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import time

SRC, BUILD = os.environ["MEMPROF_SRCDIR"], os.environ["MEMPROF_BUILDDIR"]
JOBS = os.environ.get("CORPUS_JOBS", "2")
# Debian's patches are newer than what was made from the files that they change: those are not made again.
GENERATED = "find . -name aclocal.m4 -exec touch {} + && sleep 1 && find . '(' -name configure -o -name Makefile.in " \
    "-o -name '*.h.in' -o -name config.hin -o -name '*.info' -o -name '*.1' ')' -exec touch {} +"
KINDS = ("plain", "profiled", "rebuilt")
# Results with names: automake, ctest, meson.
RESULTS = (re.compile(r"^(PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): (.+)$", re.M),
           re.compile(r"Test +#\d+: (\S+) \.*[ *]*(Passed|Failed|Not Run|Timeout|Exception)", re.M),
           re.compile(r"^ *\d+/\d+ (.+?) +(OK|FAIL|SKIP|TIMEOUT|ERROR)\b", re.M))


class Trouble(Exception):
    """What ends a package."""


class Package:
    def __init__(self, name, kind, options, folder, seconds):
        self.name, self.kind, self.folder = name, kind, os.path.join(folder, name)
        self.sub = next((o[4:] for o in options if o.startswith("dir=")), "")
        self.options = [o for o in options if not o.startswith("dir=")]
        self.end = time.monotonic() + seconds
        self.profiles = self.folder + "/profiles"
        self.row = {"package": name}

    def run(self, command, cwd, log, **environment):
        left = self.end - time.monotonic()
        if left < 1:
            raise Trouble("out of time")
        with open(log, "ab") as out:
            process = subprocess.Popen(command, shell=True, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                       start_new_session=True, env={**os.environ, "LC_ALL": "C", "USE_VALGRIND": "0", "FORCE_UNSAFE_CONFIGURE": "1", **environment})
            try:
                return process.wait(timeout=left)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait()
                raise Trouble("out of time") from None

    def must(self, what, command, cwd, log, **environment):
        if self.run(command, cwd, log, **environment):
            raise Trouble(f"{what} fails")

    def flags(self, which):
        base = "-O2 -g -fPIC" if self.kind == "make" else "-O2 -g"
        more = {"plain": "", "profiled": f" -fprofile-mem-generate={self.profiles}",
                "rebuilt": f" -fprofile-mem-use={self.profiles} -fprofile-mem-remarks={self.folder}/remarks"}[which]
        prefix = "" if which == "plain" else BUILD + "/memprof-"
        return {"CC": prefix + "gcc", "CXX": prefix + "g++", "FC": prefix + "gfortran", "F77": prefix + "gfortran",
                "CFLAGS": base + more, "CXXFLAGS": base + more, "FFLAGS": base + more, "FCFLAGS": base + more}

    def commands(self, which):
        """(configure, build, test)"""
        flags = self.flags(which)
        given = " ".join(f"'{k}={v}'" for k, v in flags.items())
        options = " ".join(self.options)
        if self.kind == "autotools":
            return (f"{{ [ -x ./configure ] || autoreconf -fi; }} && {GENERATED} && ./configure --disable-dependency-tracking {given} {options}",
                    f"make -j{JOBS} V=1", "make -k check V=1")
        if self.kind == "cmake":
            cmake = " ".join(f"'-DCMAKE_{l}_COMPILER={flags[c]}' '-DCMAKE_{l}_FLAGS={flags[f]}'"
                             for l, c, f in (("C", "CC", "CFLAGS"), ("CXX", "CXX", "CXXFLAGS"), ("Fortran", "FC", "FFLAGS"))
                             if l != "Fortran" or self.name == "lapack")
            return f"cmake -B memprof-build -DCMAKE_BUILD_TYPE=None {cmake} {options}", f"make -C memprof-build -j{JOBS} VERBOSE=1", \
                "cd memprof-build && ctest"
        if self.kind == "meson":
            return f"env {given} meson setup memprof-build --buildtype=plain {options}", \
                f"ninja -j{JOBS} -v -C memprof-build", "meson test -C memprof-build --print-errorlogs"
        build, test = (self.options + ["all", "check"])[:2]
        configure = f"env {given} ./configure --static" if self.name == "zlib" else "true"
        return configure, f"make -j{JOBS} {given} {build.replace(',', ' ')}", f"make -k {given} {test}"

    def build(self, which):
        """Builds and tests; the row's part."""
        log, folder = f"{self.folder}/{which}.log", f"{self.folder}/{which}"
        shutil.copytree(self.source, folder, symlinks=True)
        where = os.path.join(folder, self.sub)
        configure, build, test = self.commands(which)
        # Programs of configure are not what is profiled.
        self.must(f"{which}: configure", configure, where, log, MPRT_OPTIONS="off=1")
        begin = time.monotonic()
        self.must(f"{which}: build", build, where, log, MPRT_OPTIONS="off=1")
        seconds = time.monotonic() - begin
        with open(log, encoding="utf-8", errors="replace") as f:
            warnings = collections.Counter(re.sub(r"^\S*/|:\d+(:\d+)?", "", w) for w in re.findall(r"^.*\bwarning: .*$", f.read(), re.M))
        tests = f"{self.folder}/{which}.tests"
        status = self.run(test, where, tests)
        with open(tests, encoding="utf-8", errors="replace") as f:
            said = f.read()
        results = next((sorted(set(found)) for found in (r.findall(said) for r in RESULTS) if found), [])
        return {"seconds": seconds, "warnings": warnings, "status": status, "results": results, "text": text_bytes(folder)}

    def try_it(self):
        done = subprocess.run([SRC + "/testsuite/long/debian-source.sh", self.name, os.path.dirname(self.folder) + "/sources"],
                              capture_output=True, text=True, check=False)
        if done.returncode or not done.stdout.strip():
            raise Trouble("no source: " + done.stderr.strip()[-120:])
        self.source = done.stdout.strip()
        os.makedirs(self.folder)
        os.mkdir(self.profiles)
        plain = self.build("plain")
        self.row["tests"] = len(plain["results"])
        if plain["status"] and not plain["results"]:
            raise Trouble("plain: its tests fail")
        profiled = self.build("profiled")
        profiles = glob.glob(self.profiles + "/*.json")
        bad = [p for p in profiles if subprocess.run([BUILD + "/memprof", "validate", p], capture_output=True, check=False).returncode]
        rebuilt = self.build("rebuilt")
        ours = (profiled["warnings"] - plain["warnings"]) + (rebuilt["warnings"] - plain["warnings"])
        differ = [name for name, made in (("profiled", profiled), ("rebuilt", rebuilt))
                  if (made["status"], made["results"]) != (plain["status"], plain["results"])]
        self.row.update({
            "differ": differ, "profiles": len(profiles), "invalid": len(bad), "warnings": sorted(ours),
            "build": [round(m["seconds"], 1) for m in (plain, profiled, rebuilt)],
            "text": [round(m["text"] / max(plain["text"], 1), 2) for m in (profiled, rebuilt)], "taken": taken(self.folder + "/remarks")})

    def go(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        try:
            self.try_it()
        except Trouble as e:
            self.row["trouble"] = str(e)
        # Without the builds; the logs say what was wrong.
        for which in KINDS:
            shutil.rmtree(f"{self.folder}/{which}", ignore_errors=True)
        os.makedirs(self.folder, exist_ok=True)
        with open(self.folder + "/result.json", "w", encoding="utf-8") as f:
            json.dump(self.row, f)
        return self.row


def text_bytes(folder):
    """Code and constants of all programs and libraries below FOLDER."""
    found = subprocess.run(["find", folder, "-type", "f", "(", "-perm", "-100", "-o", "-name", "*.so*", ")", "-size", "+3k"],
                           capture_output=True, text=True, check=False).stdout.split("\n")
    sizes = subprocess.run(["size", *[f for f in found if f]], capture_output=True, text=True, check=False).stdout.split("\n")[1:] if found[0] else []
    return sum(int(line.split()[0]) for line in sizes if line.split()[:1] and line.split()[0].isdigit())


def taken(remarks):
    try:
        with open(remarks, encoding="utf-8", errors="replace") as f:
            return f.read().count('"taken":true')
    except OSError:
        return 0


def wrong(row):
    if "trouble" in row:
        # What plain GCC cannot build here is no fault of ours.
        return row["trouble"].startswith(("profiled", "rebuilt"))
    return bool(row["differ"] or row["invalid"] or row["warnings"])


def line(row):
    if "trouble" in row:
        return f"| {row['package']} | | | | | | {row['trouble']} |"
    plain, profiled, rebuilt = row["build"]
    same = "same" if row["profiles"] else "same, but no test ran its code"
    what = "; ".join([f"{name} differs" for name in row["differ"]] + row["warnings"]) or same
    return (f"| {row['package']} | {row['tests'] or 'status'} | {row['profiles']}{' (%d invalid)' % row['invalid'] if row['invalid'] else ''} | "
            f"{profiled / max(plain, 0.1):.1f} / {rebuilt / max(plain, 0.1):.1f} | {row['text'][0]} / {row['text'][1]} | {row['taken']} | {what} |")


def table(folder):
    rows = []
    for path in sorted(glob.glob(folder + "/*/result.json")):
        with open(path, encoding="utf-8") as f:
            rows.append(json.load(f))
    text = ["| package | tests | profiles | build time, profiled / rebuilt | text, profiled / rebuilt | taken | results |",
            "|---|---|---|---|---|---|---|"] + [line(r) for r in rows]
    with open(folder + "/table.md", "w", encoding="utf-8") as f:
        f.write("\n".join(text) + "\n")
    return rows


def main(words):
    folder, seconds = "corpus", 600
    while words[:1] in (["-d"], ["-t"]):
        if words[0] == "-d":
            folder = words[1]
        else:
            seconds = int(words[1])
        words = words[2:]
    folder = os.path.abspath(folder)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.dirname(os.path.abspath(__file__)) + "/corpus.list", encoding="utf-8") as f:
        listed = [entry.split() for entry in f if entry.strip() and not entry.startswith("#")]
    unknown = set(words) - {entry[0] for entry in listed}
    if unknown or any(w.startswith("-") for w in words):
        print(__doc__.strip() + "\n\nnot in corpus.list: " + " ".join(sorted(unknown)), file=sys.stderr)
        return 2
    for name, kind, *options in listed:
        if (words and name not in words) or os.path.exists(f"{folder}/{name}/result.json"):
            continue
        row = Package(name, kind, options, folder, seconds).go()
        print(line(row), flush=True)
        table(folder)
    rows = table(folder)
    bad = [row["package"] for row in rows if wrong(row)]
    ran = [row for row in rows if "trouble" not in row]
    print(f"corpus: {len(rows)} packages tried, {len(ran)} built and tested three times, {len(bad)} differ{': ' if bad else ''}{' '.join(bad)}")
    return 1 if bad or not ran else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
