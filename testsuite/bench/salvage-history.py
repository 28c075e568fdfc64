#!/usr/bin/env python3
# salvage-history.py - how much of the profile of one version of a program the next ones can use.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: salvage-history.py [--build BUILD] gzip|lua|zlib OLD NEW...

OLD and NEW are folders with sources of versions of the program, as apt-get source unpacks them.
OLD is profiled with a small input, each of NEW and OLD itself compiled with that profile, and
`memprof check' asked.  A row: the share of the profile's executions in functions that are
matched as they are, the share that is used with what is salvaged, what of the executions in
functions that changed is used again, and the functions by how they were found.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tempfile

CC = os.environ.get("MEMPROF_CC", "gcc").split()
LUA = ("local t = {} for i = 1, 20000 do t[i] = (i * 7919) % 10007 end table.sort(t) "
       "local s = {} for i = 1, 2000 do s[#s + 1] = string.format('%d:%s', t[i], ('x'):rep(i % 7)) end "
       "print(#table.concat(s, ','), s[7])")
ZLIB = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "zlib.h"
int main (void)
{
  enum { N = 200000 };
  unsigned char *in = malloc (N), *out = malloc (2 * N), *back = malloc (N);
  unsigned x = 1;
  for (int i = 0; i < N; i++) in[i] = "the quick brown fox "[(x = x * 1664525 + 1013904223) >> 28];
  uLongf n = 2 * N, m = N;
  if (compress (out, &n, in, N) != Z_OK || uncompress (back, &m, out, n) != Z_OK) return 1;
  return memcmp (in, back, N) != 0;
}
"""


def run(command, folder, **more):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)[:200]}: {done.stderr.decode(errors='replace')[-800:]}")
    return done.stdout


def sources_of(program, folder, work):
    """(options, source files) of the version in FOLDER, which may be configured in WORK."""
    if program == "lua":
        with open(f"{work}/lua5.4-deb-multiarch.h", "w", encoding="utf-8") as f:
            f.write('#define DEB_HOST_MULTIARCH "any"\n')
        files = [f for f in sorted(glob.glob(f"{folder}/src/*.c"))
                 if os.path.basename(f) not in ("luac.c", "ltests.c")]
        return ["-DLUA_USE_POSIX", f"-I{folder}/src", f"-I{work}"], files
    if program == "zlib":
        with open(f"{work}/main.c", "w", encoding="utf-8") as f:
            f.write(ZLIB)
        return ["-D_LARGEFILE64_SOURCE=1", "-DHAVE_UNISTD_H", f"-I{folder}"], \
            sorted(glob.glob(f"{folder}/*.c")) + [f"{work}/main.c"]
    run(["sh", "-c", f"CC='{' '.join(CC)}' {folder}/configure -q && make -s -j2 MAKEINFO=true"], work)
    files = [f"{folder}/{name}.c" for name in
             ("bits", "deflate", "gzip", "inflate", "lzw", "trees", "unlzh", "unlzw", "unpack",
              "unzip", "util", "zip")]
    library = f"{work}/lib/libgzip.a"
    return [f"-I{work}", f"-I{work}/lib", f"-I{folder}/lib", f"-I{folder}", "-include",
            f"{work}/version.h"], \
        files + [f"{work}/version.c", library]


def profile(program, folder, work, specs):
    options, files = sources_of(program, folder, work)
    run([*CC, specs, "-O2", "-g", "-w", "-fprofile-mem-generate", "-fprofile-mem-mode=full",
         *options, *files, "-lm", "-o", "prog"], work)
    if program == "lua":
        run(["./prog", "-e", LUA], work)
    elif program == "zlib":
        run(["./prog"], work)
    else:
        with open(f"{work}/input", "wb") as f:
            f.write(b"".join(b"%d the quick brown fox %d\n" % (i * i % 977, i) for i in range(20000)))
        run(["sh", "-c", "./prog -c input >input.gz && ./prog -dc input.gz | cmp - input"], work)
    return f"{work}/prog.memprof.json"


def row(program, folder, work, specs, used, memprof):
    options, files = sources_of(program, folder, work)
    remarks = f"{work}/remarks"
    for file in files:
        if file.endswith(".c"):
            run([*CC, specs, "-O2", "-g", "-w", f"-fprofile-mem-use={used}",
                 f"-fprofile-mem-remarks={remarks}", *options, "-c", file, "-o", "x.o"], work)
    checked = json.loads(subprocess.run([memprof, "check", "--json", used, remarks],
                                        capture_output=True, check=True).stdout)
    functions = checked["functions"]
    total = checked["executions"]
    matched = sum(f["used"] for f in functions if f["how"] == "matched")
    changed = [f for f in functions if f["how"] in ("salvaged", "lost")]
    of_changed = sum(f["executions"] for f in changed)
    again = sum(f["used"] for f in changed)
    counts = {how: sum(f["how"] == how for f in functions)
              for how in ("matched", "salvaged", "lost", "not compiled")}
    print(f"| {os.path.basename(folder)} | {matched / total:.1%} | {checked['used'] / total:.1%} | "
          + (f"{again / of_changed:.1%}" if of_changed else "-") + " | "
          + ", ".join(f"{n} {how}" for how, n in counts.items()) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default="build")
    parser.add_argument("program", choices=("gzip", "lua", "zlib"))
    parser.add_argument("old")
    parser.add_argument("new", nargs="*")
    args = parser.parse_args()
    memprof = os.path.abspath(args.build) + "/memprof"
    specs = "-specs=" + subprocess.run([memprof, "--specs"], text=True, check=True,
                                       capture_output=True).stdout.strip()
    print("| version | matched | with what is salvaged | of functions that changed | functions |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(f"{work}/old")
        used = profile(args.program, os.path.abspath(args.old), f"{work}/old", specs)
        for i, folder in enumerate([args.old, *args.new]):
            os.mkdir(f"{work}/{i}")
            row(args.program, os.path.abspath(folder), f"{work}/{i}", specs, used, memprof)


if __name__ == "__main__":
    main()
