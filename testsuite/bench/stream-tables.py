#!/usr/bin/env python3
"""stream-tables.py [NAME...] - the tables of doc/streams.md: whole streams and hot data streams of programs.

usage: MEMPROF_BUILDDIR=build MEMPROF_SOURCES=DIR stream-tables.py [NAME...]

Two tables, of the first 300,000 accesses each (STREAM_ACCESSES=N for more): sizes of OMSG and RASG (WHOMP, CGO 2004) beside
general compressors and a value-predictor coder (value_coder.cc), and the metrics of hot data streams
(Chilimbi, PLDI 2001). Programs are kernels and programs of this folder and Debian's sources
(testsuite/long/debian-source.sh); one whose source cannot be had is left out, and said so. Empty or
absurd results end it with status 1.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from overhead_programs import NotAvailable, debian_source, sqlite3_amalgamation

SRC = pathlib.Path(os.environ.get("MEMPROF_SRCDIR") or pathlib.Path(__file__).resolve().parents[2])
BUILD = pathlib.Path(os.environ.get("MEMPROF_BUILDDIR") or SRC / "build").resolve()
MEMPROF = str(BUILD / "memprof")
STOP = int(os.environ.get("STREAM_ACCESSES") or 300000)
BENCH = SRC / "testsuite/bench"

LUA = """local t = {}
for i = 1, 1500 do t[i] = tostring((i * 7919) % 10009) end
table.sort(t)
local words = {}
for i, s in ipairs(t) do words[s] = (words[s] or "") .. i % 7 end
"""
SQL = "create table t(a integer primary key, b text);" + "".join(
    f"insert into t values({i}, 'w{i * 7919 % 997}');" for i in range(400)) + \
    "create index i on t(b); select count(*), b from t group by b order by 1;"
XML = "<l>" + "".join(f'<i n="{i}" s="{i * i % 97}"><a>n{i}</a>&lt;</i>\n' for i in range(1500)) + "</l>"
PUGI = (SRC / "testsuite/bench/programs/pugi.cc").read_text()


def cnf():
    state, out = 1, []
    for _ in range(420):
        row = []
        while len(row) < 3:
            state = state * 1103515245 + 12345 & 0x7FFFFFFF
            v = (state >> 8) % 100 + 1
            if v not in map(abs, row):
                row.append(v if state >> 20 & 1 else -v)
        out.append(" ".join(map(str, row)) + " 0\n")
    return "p cnf 100 420\n" + "".join(out)


# name: package or None, sources, flags, arguments
PROGRAMS = {
    "gzip": ("gzip", None, "", "-c text"),
    "bzip2": ("bzip2", "blocksort huffman crctable randtable compress decompress bzlib bzip2",
              "-D_FILE_OFFSET_BITS=64", "-c text"),
    "pugixml": ("pugixml", "src/pugixml.cpp pugi.cc", "-I{s}/src", "xml"),
    "minisat": ("minisat2", "minisat/core/*.cc minisat/utils/*.cc",
                "-D__STDC_LIMIT_MACROS -D__STDC_FORMAT_MACROS -I{s} -lz", "-verb=0 cnf"),
    "lua": ("lua5.4", "src/*.c", "-DLUA_USE_POSIX -Iinclude -lm", "s.lua"),
    "sqlite3": ("sqlite3", "sqlite3.c shell.c", "-DSQLITE_OMIT_LOAD_EXTENSION -lm -lpthread -ldl", ":memory: .read\\ sql"),
    "anneal": (None, "programs/anneal.c", "-lm", "600 60"),
    "health": (None, "kernels/health.c", "", "4 200"),
    "mst": (None, "kernels/mst.c", "", "500 8"),
    "listwalk": (None, "programs/listwalk.c", "", "4000 1 8"),
    "treesum": (None, "programs/treesum.c", "", ""),
}


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options)


def size_of(command, *files):
    return sum(len(run(*command, f).stdout) for f in files)


def compiled(name, specs):
    package, sources, flags, _ = PROGRAMS[name]
    folder = BENCH
    if package:
        try:
            folder = pathlib.Path(sqlite3_amalgamation() if package == "sqlite3" else debian_source(package))
        except NotAvailable:
            return False
    options = ["-specs=" + specs, "-O2", "-g", "-w", "-fprofile-mem-generate",
               "-fprofile-mem-mode=full", "-fprofile-mem-modules=whole_stream"]
    quiet = dict(os.environ, MPRT_OPTIONS="off=1")
    if sources is None:  # gzip
        os.mkdir("gzip.d")
        run(folder / "configure", "-q", cwd="gzip.d", env=dict(quiet, CC="gcc", CFLAGS="-O2"))
        run("make", "-s", "CC=gcc", "CFLAGS=" + " ".join(options), "MAKEINFO=true", cwd="gzip.d", env=quiet)
        os.rename("gzip.d/gzip", "prog")
        return True
    files = []
    for s in sources.split():
        base = folder / s if "." in s else folder / (s + ".c")
        files += [s] if s == "pugi.cc" else sorted(map(str, base.parent.glob(base.name)))
    files = [f for f in files if not f.endswith("/luac.c")]
    cxx = any(f.endswith(("cc", "cpp")) for f in files)
    flags = flags.format(s=folder).split()
    run("g++" if cxx else "gcc", *options, *[f for f in flags if f[:2] != "-l"], *files, "-o", "prog",
        *[f for f in flags if f[:2] == "-l"], env=quiet)
    return True


def measure(name, coder):
    _, _, _, arguments = PROGRAMS[name]
    subprocess.run("./prog " + arguments, shell=True, check=False, stdout=subprocess.DEVNULL,
                   env=dict(os.environ, MPRT_OPTIONS=f"output=p.json:merge=0:streams=rasg,stop={STOP}"))
    with open("expanded", "wb") as out:
        subprocess.run([MEMPROF, "streams", "--expand", "p.json"], check=True, stdout=out)
    with open("expanded", "rb") as text:
        run(coder, ".", stdin=text)
    row = json.loads(run(MEMPROF, "streams", "--json", "--name=object", "--potential", "--top=1", "p.json").stdout)
    row["zstd"] = size_of(["zstd", "-19", "-c", "-q"], "raw")
    row["xz"] = size_of(["xz", "-9", "-c"], "raw")
    row["vpc"] = size_of(["bzip2", "-9", "-c"], "codes", "missed")
    row["raw"] = os.path.getsize("raw")
    return row


def absurd(row):
    w, h, l = row["whole_stream"], row["hot_streams"], row["locality"]
    return (w["accesses"] < 10000 or row["raw"] != 12 * w["accesses"] or not 0 < w["omsg_bytes"] < row["raw"]
            or not w["rasg_a_bytes"] < w["rasg_ia_bytes"] or not 0 < h["coverage"] <= 1
            or h["wps0_ascii"] == 0 or not 0 < l["skew_addresses"] <= 1 or min(row["zstd"], row["xz"], row["vpc"]) == 0)


def line(*cells):
    print("| " + " | ".join(f"{c:,}" if isinstance(c, int) else c for c in cells) + " |", flush=True)


def percent(x):
    return f"{100 * x:.1f} %"


def tables(rows):
    print("\n| program | accesses | OMSG | lifetimes | RASG-a | RASG-ia | saving (a) | saving (ia) | values | zstd -19 | xz -9 |\n"
          + "|---" * 11 + "|")
    savings = []
    for name, r in rows.items():
        w = r["whole_stream"]
        savings.append([1 - w["omsg_bytes"] / w[k] for k in ("rasg_a_bytes", "rasg_ia_bytes")])
        line(name, w["accesses"], w["omsg_bytes"], w["lifetime_bytes"], w["rasg_a_bytes"], w["rasg_ia_bytes"],
             *map(percent, savings[-1]), r["vpc"], r["zstd"], r["xz"])
    means = [percent(sum(s[i] for s in savings) / len(savings)) for i in (0, 1)]
    line("mean", "", "", "", "", "", *means, "", "", "")
    print("\n| program | references | k | streams | objects in streams | weighted size | weighted interval | packing | WPS0 | WPS1 "
          "| edges | 90 % of references: addresses, sites | misses left: prefetch, cluster, both |\n" + "|---" * 13 + "|")
    for name, r in rows.items():
        h, l, p = r["hot_streams"], r["locality"], r["potential"][0]
        left = ", ".join(percent(p[k] / max(p["misses"], 1)) for k in ("prefetch", "cluster", "both"))
        line(name, h["references"], f"{h['multiple']}" + ("" if h["coverage"] >= 0.9 else f" ({percent(h['coverage'])})"),
             h["found"], percent(h["members"] / h["names"]), f"{l['spatial']:.1f}", f"{l['temporal']:,.1f}",
             percent(l["packing"]), h["wps0_ascii"], h["wps1_ascii"], h["edges"],
             percent(l["skew_addresses"]) + ", " + percent(l["skew_sites"]), left)


def main():
    names = sys.argv[1:] or list(PROGRAMS)
    rows, missing = {}, []
    with tempfile.TemporaryDirectory(prefix="memprof-streams.") as work:
        coder = work + "/value_coder"
        run("g++", "-std=c++20", "-O2", BENCH / "value_coder.cc", "-o", coder)
        specs = run(MEMPROF, "--specs", text=True).stdout.strip()
        for name in names:
            folder = pathlib.Path(work, name)
            folder.mkdir()
            os.chdir(folder)
            os.mkdir("include")
            pathlib.Path("include/lua5.4-deb-multiarch.h").write_text(
                '#define LUA_MULTIARCH "any"\n#define DEB_HOST_MULTIARCH "any"\n')
            pathlib.Path("text").write_bytes((SRC / "COPYING").read_bytes())
            for file, text in (("s.lua", LUA), ("sql", SQL), ("xml", XML), ("pugi.cc", PUGI), ("cnf", cnf())):
                pathlib.Path(file).write_text(text)
            if not compiled(name, specs):
                missing.append(name)
                continue
            rows[name] = measure(name, coder)
            if absurd(rows[name]):
                sys.exit(f"stream-tables: {name}: absurd: {rows[name]}")
            print(f"{name}: done", file=sys.stderr, flush=True)
    if not rows:
        sys.exit("stream-tables: nothing was measured")
    tables(rows)
    if missing:
        print("\nno source: " + ", ".join(missing))


if __name__ == "__main__":
    main()
