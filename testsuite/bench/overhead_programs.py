# overhead_programs.py - the programs whose profiling overhead.py measures.
# SPDX-License-Identifier: GPL-3.0-or-later
"""What there is, from which sources it is built, on what input it runs.

Kernels are single files of ours; the others come from Debian's sources
(testsuite/long/debian-source.sh, cached in MEMPROF_SOURCES) and run on inputs
that are made here, the same in each run.
"""
import dataclasses
import glob
import os
import random
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SRCDIR = os.environ.get("MEMPROF_SRCDIR", os.path.dirname(os.path.dirname(HERE)))
SOURCES = os.environ.get("MEMPROF_SOURCES", "/tmp/memprof-sources")


class NotAvailable(Exception):
    """The program's sources cannot be had here; the text says why."""


class Broken(Exception):
    """A build or a run fails, or tells nothing; the text says what."""


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    group: str          # affine, irregular, pointer, real; or "edge": no geomean
    args: list          # of the program
    quick: list         # the same for a small input
    source: str = ""    # of a kernel
    build: object = None  # of the others: function of Build
    inputs: tuple = ()  # functions that make a file: (directory, quick) -> None
    status: int = 0     # with which it ends


class Build:
    """One variant of a program: its folder, compilers and flags."""

    def __init__(self, folder, target, cc, cxx, flags):
        self.folder, self.target = folder, target
        self.cc, self.cxx, self.flags = cc, cxx, flags

    def run(self, command, **more):
        done = subprocess.run(command, cwd=self.folder, capture_output=True,
                              text=True, env={**os.environ, "MPRT_OPTIONS": "off=1"},
                              **more)
        if done.returncode:
            tail = "\n".join((done.stdout + done.stderr).splitlines()[-12:])
            raise Broken(f"{command[0]} fails:\n{tail}")

    def compile(self, sources, *options, libs=("-lm",)):
        """All SOURCES into the program, one object each as make would."""
        objects = []
        for source in sources:
            compiler = self.cxx if source.endswith(".cc") else self.cc
            objects.append(os.path.basename(source) + ".o")
            self.run([*compiler, *self.flags, *options, "-c", source, "-o", objects[-1]])
        self.run([*compiler, *self.flags, *objects, "-o", self.target, *libs])


def debian_source(package):
    done = subprocess.run([f"{SRCDIR}/testsuite/long/debian-source.sh", package, SOURCES],
                          capture_output=True, text=True)
    if done.returncode:
        raise NotAvailable(done.stderr.strip())
    return done.stdout.strip()


def build_kernel(program, build):
    build.compile([f"{SRCDIR}/{program.source}"])


def build_gzip(build):
    source = debian_source("gzip")
    configured = f"{os.path.dirname(build.target)}/configured"
    if not os.path.exists(f"{configured}/Makefile"):  # the same for all variants
        os.makedirs(configured, exist_ok=True)
        # Debian changes configure.ac: make would run autoconf and configure again in each build.
        build.run(["sh", "-c", 'cd "$1"; [ configure -nt configure.ac ] || { for f in aclocal.m4 configure lib/config.hin; '
                   "do touch $f; done; find . -name Makefile.in -exec touch {} +; }", "sh", source])
        build.run(["sh", "-c", 'cd "$1" && sh "$2/configure" -q CC="$3" CFLAGS=-O2', "sh",
                   configured, source, build.cc[0]])
    shutil.copytree(configured, build.folder, dirs_exist_ok=True)
    for part in (["-C", "lib"], ["version.h"], ["gzip"]):   # no manual pages, no scripts
        build.run(["make", "-s", *part, "CFLAGS=" + " ".join(build.flags)])
    shutil.copy(f"{build.folder}/gzip", build.target)


def build_bzip2(build):
    source = debian_source("bzip2")
    names = "blocksort huffman crctable randtable compress decompress bzlib bzip2"
    build.compile([f"{source}/{n}.c" for n in names.split()],
                  "-D_FILE_OFFSET_BITS=64")


def build_lz4(build):
    source = debian_source("lz4")
    build.compile(sorted(glob.glob(f"{source}/lib/*.c") + glob.glob(f"{source}/programs/*.c")),
                  f"-I{source}/lib", "-DXXH_NAMESPACE=LZ4_")


def sqlite3_amalgamation():
    """The folder with sqlite3.c and shell.c, which the source makes with Tcl."""
    folder = f"{SOURCES}/sqlite3-amalgamation"
    if not os.path.exists(f"{folder}/sqlite3.c"):
        source = debian_source("sqlite3")
        if not shutil.which("tclsh"):
            raise NotAvailable("no tclsh to make sqlite3.c")
        os.makedirs(folder, exist_ok=True)
        for command in ([f"{source}/configure", "-q"], ["make", "-s", "sqlite3.c", "shell.c"]):
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return folder


def build_sqlite3(build):
    folder = sqlite3_amalgamation()
    build.compile([f"{folder}/sqlite3.c", f"{folder}/shell.c"], f"-I{folder}", "-w",
                  libs=("-lm", "-ldl", "-lpthread"))


def build_lua(build):
    source = debian_source("lua5.4") + "/src"
    with open(f"{build.folder}/lua5.4-deb-multiarch.h", "w", encoding="utf-8") as f:
        f.write('#define DEB_HOST_MULTIARCH "any"\n')  # Debian's build makes it
    build.compile([s for s in sorted(glob.glob(f"{source}/*.c"))
                   if os.path.basename(s) not in ("luac.c", "ltests.c")],
                  f"-I{source}", "-I.", "-DLUA_USE_POSIX")


def build_minisat(build):
    source = debian_source("minisat2")
    build.compile([f"{source}/minisat/{n}.cc" for n in
                   ("core/Main", "core/Solver", "utils/Options", "utils/System")],
                  f"-I{source}", "-D__STDC_LIMIT_MACROS", "-D__STDC_FORMAT_MACROS",
                  "-DNDEBUG", "-w", libs=("-lz",))


def mixed_file(folder, quick, full_size=10_000_000):
    """Text, machine code, tables and noise."""
    size = 1_000_000 if quick else full_size
    r = random.Random(1)
    cc1 = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True,
                         text=True, check=True).stdout.strip()
    with open(cc1, "rb") as f:
        f.seek(1 << 20)
        binary = f.read(size // 3)
    words = ["".join(r.choices("etaoinshrdlu", k=r.randint(2, 9))) for _ in range(4000)]
    text = " ".join(r.choices(words, weights=[1 / (i + 1) for i in range(4000)],
                              k=size // 8)).encode()[:size // 3]
    table = b"".join(b"%08d;%06.2f;%s\n" % (i, r.random() * 100, r.choice(words).encode())
                     for i in range(size // 60))[:size // 4]
    data = text + binary + table
    with open(f"{folder}/mixed", "wb") as f:
        f.write(data + r.randbytes(size - len(data)))


def large_mixed_file(folder, quick):
    mixed_file(folder, quick, 16_000_000)


def sql_script(folder, quick):
    """Two tables, an index, joins, sorting, updates, deletions."""
    rows = 20000 if quick else 250000
    r = random.Random(2)
    with open(f"{folder}/script.sql", "w", encoding="utf-8") as f:
        f.write("pragma journal_mode=off; pragma cache_size=-40000;\n"
                "create table person(id integer primary key, name text, town int, age int);\n"
                "create table town(id integer primary key, name text);\nbegin;\n")
        for i in range(200):
            f.write(f"insert into town values({i},'town{i * 7919 % 1000}');\n")
        for i in range(rows):
            f.write(f"insert into person values({i},'p{r.randrange(10 ** 6)}',"
                    f"{r.randrange(200)},{r.randrange(100)});\n")
        f.write("commit;\ncreate index by_name on person(name);\n"
                "select town.name, count(*), avg(age) from person join town on "
                "person.town=town.id group by town.name order by 3 desc, 1 limit 5;\n"
                "select count(*) from person a join person b on a.name=b.name where a.id<b.id;\n"
                "update person set age=age+1 where town%3=1;\n"
                "delete from person where name like '%7';\n"
                "select sum(age), max(name) from person;\n"
                "select upper(name)||age from person order by age, name desc limit 3;\n")


LUA_SCRIPT = """
local n = tonumber(arg[1])
local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end
local x = 42
local function random(m) x = (x * 1103515245 + 12345) % 2147483648; return x % m end
local t, count = {}, {}
for i = 1, n do t[i] = random(1000000) end
table.sort(t)
for i = 1, n do
  local key = "k" .. t[i] % 997
  count[key] = (count[key] or 0) + 1
end
local parts = {}
for i = 1, n // 10 do parts[#parts + 1] = string.format("%d:%s", i, t[i]):reverse() end
local text = table.concat(parts, ",")
local found = 0
for word in text:gmatch("%d+7") do found = found + #word end
local Point = {}
Point.__index = Point
function Point.new(a, b) return setmetatable({a = a, b = b}, Point) end
function Point:add(o) return Point.new(self.a + o.a, self.b - o.b) end
local p = Point.new(0, 0)
for i = 1, n do p = p:add(Point.new(i, t[i])) end
print(fib(20 + n // 40000), count.k1, #text, found, p.a, p.b)
"""


def lua_script(folder, quick):
    del quick
    with open(f"{folder}/script.lua", "w", encoding="utf-8") as f:
        f.write(LUA_SCRIPT)


def formula(folder, quick):
    """Random clauses of three literals, at the ratio where they are hardest; the seeds
    are of formulas that cannot be satisfied, so that the exit status is 20."""
    variables, seed = (170, 5) if quick else (240, 9)
    r = random.Random(seed)
    clauses = int(variables * 4.26)
    with open(f"{folder}/formula.cnf", "w", encoding="utf-8") as f:
        f.write(f"p cnf {variables} {clauses}\n")
        for _ in range(clauses):
            chosen = r.sample(range(1, variables + 1), 3)
            f.write(" ".join(str(v if r.random() < 0.5 else -v) for v in chosen) + " 0\n")


def kernel(name, group, args, quick, source=""):
    return Program(name, group, args.split(), quick.split(),
                   source or f"testsuite/bench/kernels/{name}.c")


PROGRAMS = [
    kernel("gemm", "affine", "", "300"),
    kernel("jacobi", "affine", "", "600 50"),
    kernel("cholesky", "affine", "", "700"),
    kernel("floyd", "affine", "", "400"),
    kernel("stencil3d", "affine", "", "80 60"),
    kernel("fft", "irregular", "", "16 8"),
    kernel("cg", "irregular", "", "40000 60"),
    kernel("spmv", "irregular", "20 7 6", "16 7 6", "examples/spmv.c"),
    kernel("bfs", "irregular", "19 7 6", "16 7 6", "examples/bfs.c"),
    kernel("pagerank", "irregular", "", "15 20"),
    kernel("hashjoin", "irregular", "22 7 7", "18 7 4", "examples/hashjoin.c"),
    kernel("bytes", "irregular", "", "400 20"),
    kernel("nbody", "affine", "", "800 25"),
    kernel("treesum", "pointer", "250000 7 3", "30000 7 3",
           "testsuite/bench/programs/treesum.c"),
    kernel("mst", "pointer", "", "2000"),
    kernel("health", "pointer", "", "5 400"),
    Program("gzip", "real", ["-c", "mixed"], ["-c", "mixed"], build=build_gzip,
            inputs=(mixed_file,)),
    Program("bzip2", "real", ["-c", "mixed"], ["-c", "mixed"], build=build_bzip2,
            inputs=(mixed_file,)),
    Program("lz4", "real", ["-9", "-c", "mixed"], ["-9", "-c", "mixed"],
            build=build_lz4, inputs=(large_mixed_file,)),
    Program("sqlite3", "real", [":memory:", ".read script.sql"],
            [":memory:", ".read script.sql"], build=build_sqlite3, inputs=(sql_script,)),
    Program("lua", "real", ["script.lua", "700000"], ["script.lua", "60000"],
            build=build_lua, inputs=(lua_script,)),
    Program("minisat", "real", ["-verb=0", "formula.cnf"], ["-verb=0", "formula.cnf"],
            build=build_minisat, inputs=(formula,), status=20),
    kernel("empty", "edge", "", ""),
    kernel("scatter1", "edge", "", ""),
    kernel("scatter8", "edge", "", ""),
]
