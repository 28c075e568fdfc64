# layering.py - which folder may include which, and what is named in one place only: the tables,
# the check, and its own test.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   python3 layering.py ROOT    checks the tree ROOT, then the check itself
#
# FOLDERS says which folder may include which (doc/architecture.md explains why).
# ROOMS orders what is inside a folder.  Each rule below is a function that yields
# its complaints about one file.  @rule gives it deliberate violations; the self-test
# gives the rule a file with each of them and one without.
import os
import re
import sys

# Folder: folders whose headers it may include besides its own.  A room's line adds
# to that of its folder.
FOLDERS = {
    "runtime/wire": [],
    "runtime/target": ["runtime/wire", "runtime/target/cpu"],
    "runtime/target/cpu": ["runtime/wire"],  # what depends on the processor in the user's program
    "runtime/arena": ["runtime/wire", "runtime/target/cpu"],
    "runtime/tune": ["runtime/wire", "runtime/arena"],
    "feedback": [],
    "feedback/streams": ["feedback"],
    "consumers/decide": ["feedback"],
    "runtime/backend": ["runtime/wire", "feedback", "feedback/streams"],
    "consumers/elf": [],
    "consumers/cli": ["feedback", "feedback/streams", "consumers/decide", "consumers/elf"],
    "consumers/link": ["consumers/decide", "consumers/elf"],
    "consumers/mpi": ["feedback", "consumers/cli"],
    "plugin": ["runtime/wire"],
    "plugin/use": ["consumers/decide"],
    "plugin/use/match": ["feedback"],  # the profile's side of bridge.h
    "examples": [],
    "testsuite": ["runtime/wire", "runtime/target", "runtime/target/cpu", "runtime/backend", "runtime/arena", "runtime/tune",
                  "feedback", "feedback/streams", "consumers/decide", "consumers/cli", "consumers/link",
                  "consumers/mpi",
                  "plugin"],
}

# Folder: its rooms, in order.  A room may include itself and the rooms above it:
# all of them (ABOVE), or those of a list.  A room is a subfolder or a file without
# its ending ("options" is options.h and options.cc); the longest name that fits
# counts, so generate/gen_pass.cc belongs to "generate/gen_pass".  Each file of the
# folder is in a room.
ABOVE = None
# What both halves of the plugin are made of, and what each transformation of plugin/use asks.
HALVES = ["gcc-common", "options", "sites", "tables"]
DECISIONS = ["use/bridge", "use/veto", "use/remarks", "use/match"]
ROOMS = {
    "plugin": {
        "gcc-compat": ABOVE,          # every difference between GCC's versions
        "gcc-common": ABOVE,          # every header of GCC
        "compiler_check": ["gcc-common"],
        "faults": ABOVE,              # deliberate errors, for tests
        "options": ABOVE,
        "target/target": ABOVE,       # what is asked of the processor
        "sites": ABOVE,               # what is profiled and how it is named
        "tables": ABOVE,              # what a unit tells about itself
        "target": ABOVE,              # answers: ordinary code, and a folder for each processor
        "generate": ABOVE,            # records, ranges, nests, tallies, loop events
        "generate/sample": ABOVE,     # the second body of a function
        "generate/gen_pass": ABOVE,   # the pass that calls them in order
        "use/bridge": [],             # what the compiler asks a profile, in plain data
        "use/veto": [*HALVES],        # what the user forbids
        "use/remarks": [*HALVES, "use/bridge", "use/veto"],
        "use/address": [*HALVES],     # how an address is computed, and which bytes that are
        "use/match": [*HALVES, "use/bridge", "use/veto", "use/address"],  # rows of this code
        "use/objects": [*HALVES, *DECISIONS, "target/target"],     # arenas, pages, fields
        "use/versioning": [*HALVES, *DECISIONS, "use/address"],
        "use/prefetch": [*HALVES, *DECISIONS, "target/target", "use/address", "use/objects"],
        "use/loops": [*HALVES, *DECISIONS, "use/address"],
        "use/streaming": [*HALVES, *DECISIONS, "target/target", "use/address"],
        "use/use_pass": [*HALVES, *DECISIONS, "use/objects", "use/versioning", "use/prefetch", "use/loops", "use/streaming"],
        "plugin": ABOVE,              # the entry
    },
    "runtime/backend": {
        "machine": ABOVE,             # the processor: addresses, pages, caches, TLB
        "base": ABOVE,                # maps, arrays, ids, faults
        "event": ABOVE,               # what the author of a module reads
        "program": ABOVE,             # objects, groups, loops, units, contexts
        "shadow": ABOVE,              # which site wrote which byte
        "stream": ABOVE,              # where records come from
        "decode": ABOVE,              # from records to batches of events
        "modules/sampled": ["machine", "base", "event", "program", "shadow"],
        "modules/dependence": ["machine", "base", "event", "program", "shadow", "modules/sampled"],
        "modules/leap": ["machine", "base", "event", "program", "shadow"],
        "modules": ["machine", "base", "event", "program", "shadow"],
        "profile": ABOVE,             # from rows to the document
        "run_options": ABOVE,
        "driver": ABOVE,              # batches from the decoder to all modules
        "session": ABOVE,             # one program's stream
        "main": ABOVE,
    },
}

# Folders in which no two files (a header and its source count as one) include each other,
# directly or through others.
NO_CYCLES = ["plugin/sites", "plugin/tables", "plugin/generate", "plugin/use"]

SUFFIXES = (".c", ".cc", ".h", ".def", ".hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
# Headers that only GCC's plugin folder has.
GCC = re.compile(r"(gcc-plugin|plugin-version|coretypes|tree|tree-.*|gimple"
                 r"|gimple-.*|cfgloop|cfg.*|basic-block|cgraph|ssa|diagnostic"
                 r"|stringpool|attribs|backend|system|rtl|output)\.h")
# Macros and functions of some versions of GCC, and passes that are not named by a
# constant of plugin/gcc-compat.h, which has wrappers for all of them.
GCC_VERSIONS = re.compile(r'\bGCCPLUGIN_\w+|\b(?:BUILDING_)?GCC_VERSION\b|\b__GNUC__\b'
                          r'|\blast_(?:nondebug_)?stmt\b|\bcreate_iv\b'
                          r'|\brewrite_to_defined_\w+|\bgimple_needing_rewrite_undefined\b'
                          r'|\barith_code_with_undefined_signed_overflow\b'
                          r'|\bregister_pass_info\b|\bPLUGIN_PASS_MANAGER_SETUP\b'
                          r'|\binsert_pass_after \([^;]*"|\bcurrent_pass->name, "')
# What code without a C++ library may use of it: headers that need no object code.
FREESTANDING = ("atomic", "cstdint", "cstddef", "type_traits", "new")
JSON = "nlohmann/json.hpp"
# Where what depends on the processor may be named: all that a port adds to.
PORTS = ("plugin/target", "runtime/target/cpu", "runtime/backend/machine")
PORTED = ("plugin", "runtime", "feedback", "consumers")
# What only one processor has, or has another value on others: macros, GCC's names, inline
# assembly (a name after a declaration, and an empty text, which is none), system calls that
# newer processors lack, the width of addresses and the size of a page.
PROCESSOR = re.compile(
    r"\b__(?:x86_64|i386|aarch64|arm|powerpc64)__\b|\b__riscv\w*|\bTARGET_(?:64BIT|AVX\w*|SSE\w*)\b"
    r"|\bix86_\w+|\b__builtin_(?:ia32_\w+|cpu_(?:supports|is|init))\b|\bgnu::target\b"
    r"|\b__get_cpuid\w*|<(?:cpuid|x?[a-z]mmintrin|immintrin|arm_\w+)\.h>"
    r'|\bregister\b[^;=]*\b__asm__\b|\b(?:asm|__asm__)\s+volatile\s*\(\s*"(?!")'
    r'|\b(?:asm|__asm__)\s*\(\s*"[^"]*"\s*:(?<!""\s:)'
    r"|\bSYS_(?:open|poll|dup2|readlink|unlink|stat|lstat|access|pipe|fork|vfork|rename|mkdir"
    r"|rmdir|select|epoll_wait|arch_prctl)\b"
    r"|(?:\{1\}|\b1u?l*)\s*<<\s*47\b|\bk_address_bits\s*=(?!=)|\bk_(?:\w+_)?page_bytes\s*=\s*\d")
# Names of processors, also in comments.
PROCESSOR_NAME = re.compile(r"(?<![\w/-])(?:x86(?:[-_]64)?|i386|amd64|aarch64|arm64)(?![\w])", re.I)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def inside(path, folder):
    return path == folder or path.startswith(folder + "/")


# Lines of FOLDERS that belong to rooms.
ROOM_LINES = [f for f in FOLDERS if any(inside(f, r) and f != r for r in ROOMS)]


def longest(names, path):
    """The longest of NAMES that is PATH, a folder around it, or it without its ending."""
    return max((n for n in names if inside(path, n) or os.path.splitext(path)[0] == n),
               key=len, default=None)


def folder_of(path):
    """The folder of FOLDERS that PATH is in; rooms are none."""
    return longest([f for f in FOLDERS if f not in ROOM_LINES], path)


def room_of(path):
    """The folder with rooms that PATH is in, and its room; or None and None."""
    folder = longest(ROOMS, path)
    if folder is None:
        return None, None
    room = longest([f"{folder}/{r}" for r in ROOMS[folder]], path)
    return folder, room and room[len(folder) + 1:]


def rooms_seen_by(folder, room):
    """The other rooms of FOLDER whose headers ROOM may include."""
    above = list(ROOMS[folder])[:list(ROOMS[folder]).index(room)]
    allowed = ROOMS[folder][room]
    return above if allowed is ABOVE else [r for r in allowed if r in above]


class File:
    """A source file: its path below ROOT, its text, and what it includes as (quote
    or angle, name, path below ROOT or None)."""

    def __init__(self, path, text, known):
        self.path, self.text = path, text
        self.folder = folder_of(path)
        self.includes = []
        for mark, name in INCLUDE.findall(text):
            here = os.path.normpath(os.path.join(os.path.dirname(path), name))
            target = here if mark == '"' and here in known else name
            self.includes.append((mark, name, target if target in known else None))

    def gcc_headers(self):
        return [n for _, n, target in self.includes if target is None and GCC.fullmatch(n)]

    def json_headers(self):
        return [n for _, n, _ in self.includes if n.startswith("nlohmann/")]


RULES = []

def rule(*violations):
    """Makes a function a rule.  A violation is a file, a line that must not be in it
    (None: the file may not be there, or not be empty) and a part of the complaint."""

    def add(function):
        RULES.append((function, violations))
        return function
    return add


@rule(*[(f"{own}/violation.c", f'#include "{to}/header.h"', f"{own} may not use {to}")
        for own, may in FOLDERS.items() if own not in ROOM_LINES
        for to in FOLDERS if to != own and to not in [*may, *ROOM_LINES]])
def folders(f):
    may = [to for own, list_ in FOLDERS.items() if inside(f.path, own) for to in list_]
    for _, name, target in f.includes:
        if target and folder_of(target) not in [f.folder, *may]:
            yield f"{name}: {f.folder} may not use {folder_of(target)}"


@rule(*[(f"{folder}/{own}/violation.cc", f'#include "{folder}/{to}/header.h"',
         f"{folder}/{own} may not use {folder}/{to}")
        for folder, rooms in ROOMS.items() for own in rooms for to in rooms
        if to != own and to not in rooms_seen_by(folder, own)])
def rooms(f):
    folder, own = room_of(f.path)
    if own is None:
        return
    for _, name, target in f.includes:
        if target and inside(target, folder):
            to = room_of(target)[1]
            if to and to not in [own, *rooms_seen_by(folder, own)]:
                yield f"{name}: {folder}/{own} may not use {folder}/{to}"


@rule(*[(f"{folder}/no_room.cc", None, "is in no room") for folder in ROOMS])
def every_file_has_a_room(f):
    folder, room = room_of(f.path)
    if folder and room is None:
        yield f"is in no room of {folder}"


@rule(("feedback/violation.cc", '#include "gimple.h"', "only in plugin/"),
      ("runtime/target/violation.cc", '#include "tree-pass.h"', "only in plugin/"))
def gcc_headers(f):
    if f.folder != "plugin" and not f.path.startswith("testsuite/exact/"):
        for name in f.gcc_headers():
            yield f"{name}: GCC headers only in plugin/"


@rule(("plugin/tables/violation.cc", '#include "rtl.h"', "only gcc-common.h"),
      ("plugin/use/violation.h", '#include "any-header-of-gcc.h"', "only gcc-common.h"))
def plugin_sees_gcc_through_one_header(f):
    # The exception compares GCC's tables with those of the compiler that runs.
    names_gcc = ("plugin/gcc-common.h", "plugin/compiler_check.cc")
    if f.folder == "plugin" and f.path not in names_gcc:
        for mark, name, target in f.includes:
            if mark == '"' and target is None:
                yield f"{name}: only gcc-common.h includes GCC's headers"


@rule(*[("plugin/tables/violation.cc", line, "only in gcc-compat.h") for line in (
        "#if GCCPLUGIN_VERSION >= 14000", "#if __GNUC__ > 12",
        "gimple *last = last_stmt (bb);", "gimple *last = last_nondebug_stmt (bb);",
        "create_iv (base, step, NULL_TREE, loop, &at, after, &name, nullptr);",
        "gimple_seq_add_seq (seq, rewrite_to_defined_overflow (stmt));",
        "register_pass_info info;",
        'insert_pass_after (plugin_name,\n\t\t   new facts_pass (g), "ssa");',
        'if (!strcmp (current_pass->name, "tsan"))')])
def gcc_versions(f):
    if f.folder == "plugin" and f.path not in ("plugin/gcc-compat.h", "plugin/gcc-common.h"):
        for name in GCC_VERSIONS.findall(f.text):
            yield f"{' '.join(name.split())}: only in gcc-compat.h"


@rule(*[(f"{folder}/violation.cc", line, "processor") for folder in ("plugin/use", "runtime/target",
                                                                      "runtime/arena", "runtime/backend/base")
        for line in ("#ifdef __x86_64__", "#if defined TARGET_64BIT", "if (ix86_abi == MS_ABI)",
                     "return __builtin_ia32_rdtsc ();", 'if (__builtin_cpu_supports("avx2"))',
                     '[[gnu::target("avx2")]] void f();', "__get_cpuid(0, &a, &b, &c, &d);",
                     "#include <immintrin.h>", 'register long r8 __asm__ ("r8") = e;',
                     '__asm__ volatile ("hlt");', 'asm ("divq %2" : "+a"(low) : "r"(c));',
                     "sys (SYS_open, name);", "if (a < std::uint64_t{1} << 47) return;",
                     "// as on AArch64", "const char *own = \"x86-64\";", "constexpr int k_address_bits = 48;", "const size_t k_small_page_bytes = 4096;")])
def processors(f):
    if f.path.startswith(PORTED) and not f.path.startswith(PORTS):
        for found in PROCESSOR.findall(COMMENT.sub("", f.text)) + PROCESSOR_NAME.findall(f.text):
            yield f"{' '.join(found.split())}: names a processor outside of {', '.join(PORTS)}"


@rule(("feedback/violation.h", f"#include <{JSON}>", "only in feedback/ and lsp/"),
      ("consumers/cli/violation.cc", f"#include <{JSON}>", "only in feedback/ and lsp/"))
def json_headers(f):
    if not re.fullmatch(r"(feedback|consumers/cli/lsp|testsuite/fuzz|testsuite/unit/.+)/[^/]+\.cc", f.path):
        for name in f.json_headers():
            yield f"{name}: only in feedback/ and lsp/"


@rule(("testsuite/unit/feedback/violation.cc", f"#include <{JSON}>\n#include <tree.h>",
       "GCC headers and json.hpp together"))
def json_and_gcc(f):
    if f.json_headers() and f.gcc_headers():
        yield "GCC headers and json.hpp together"


# The command merges thousands of profiles; the libraries that compilers load have no threads.
TBB_FOLDERS = ("runtime/backend", "consumers/cli", "testsuite")


@rule(("feedback/violation.cc", "#include <tbb/task_group.h>", "only in runtime/backend and"),
      ("plugin/use/violation.cc", "#include <oneapi/tbb.h>", "only in runtime/backend and"))
def tbb_headers(f):
    for _, name, _ in f.includes:
        if re.match(r"(oneapi/)?tbb(/|\.h)", name) \
                and f.folder not in TBB_FOLDERS:
            yield f"{name}: only in runtime/backend and consumers/cli"


@rule(("consumers/cli/violation.cc", "#include <mpi.h>", "only in consumers/mpi"))
def mpi_headers(f):
    for _, name, _ in f.includes:
        if name == "mpi.h" and f.folder not in ("consumers/mpi", "examples"):
            yield f"{name}: only in consumers/mpi and examples"


@rule(("plugin/sites/violation.cc", '#include "memprof-config.h"', "clashes"))
def config_header(f):
    for _, name, _ in f.includes:
        if name == "memprof-config.h" and f.folder == "plugin":
            yield f"{name}: clashes with GCC's headers"


@rule(*[(f"runtime/{f}/violation.cc", "#include <vector>", "no C++ library")
        for f in ("wire", "target", "arena", "tune")])
def freestanding(f):
    if f.folder in ("runtime/wire", "runtime/target", "runtime/arena", "runtime/tune"):
        for mark, name, _ in f.includes:
            if mark == "<" and re.fullmatch(r"[a-z_]+", name) and name not in FREESTANDING:
                yield f"<{name}>: no C++ library in {f.folder}"


@rule(("plugin/tables/violation.cc", 'int\nf ()\n{\n#include "plugin/options.h"\n}', "inside of code"))
def includes_outside_of_code(f):
    for m in re.finditer(r'^\s*#\s*include\s*"([^"]+\.h)"', f.text, re.M):
        before = re.sub(r'extern "C" *\{', "", f.text[:m.start()])
        if re.search(r"^\{(?![^\0]*^\})", before, re.M):
            yield f"{m.group(1)}: included inside of code"


@rule(("feedback/violation.cc", None, "no SPDX line"))
def licence(f):
    if "SPDX-License-Identifier:" not in f.text[:2000]:
        yield "no SPDX line"


def cycles(files):
    """Complaints about files in folders of NO_CYCLES that include each other."""
    edges = {}
    for f in files:
        own = os.path.splitext(f.path)[0]
        if longest(NO_CYCLES, own):
            edges.setdefault(own, set()).update(
                os.path.splitext(t)[0] for _, _, t in f.includes if t and t.endswith(".h"))
    done = set()

    def visit(file, path):
        if file in path:
            yield f"{' -> '.join(path[path.index(file):] + [file])}: include each other"
        elif file in edges and file not in done:
            for other in sorted(edges[file] - {file}):
                yield from visit(other, path + [file])
            done.add(file)

    for file in sorted(edges):
        yield from visit(file, [])


def complaints(f):
    return [f"{f.path}: {c}" for function, _ in RULES for c in function(f)]


def read_sources(root):
    """Path below ROOT: text, of each source file."""
    sources = {}
    for top in sorted({f.split("/")[0] for f in FOLDERS}):
        for d, dirs, names in os.walk(os.path.join(root, top)):
            dirs.sort()
            for name in sorted(names):
                if name.endswith(SUFFIXES):
                    path = os.path.relpath(os.path.join(d, name), root)
                    with open(os.path.join(root, path), encoding="utf-8") as f:
                        sources[path] = f.read()
    return sources


def check(root):
    """Complaints about the tree ROOT, and how much was looked at."""
    sources = read_sources(root)
    files = [File(path, text, sources) for path, text in sources.items()]
    faults = [c for f in files for c in complaints(f)]
    faults += cycles(files)
    for folder, rooms_ in ROOMS.items():
        lived_in = {room_of(path)[1] for path in sources if inside(path, folder)}
        faults += [f"{folder}/{r}: room without files" for r in rooms_ if r not in lived_in]
        faults += [f"{folder}/{r}: {other} is not above it" for r in rooms_
                   for other in rooms_[r] or [] if other not in rooms_seen_by(folder, r)]
    includes = sum(len(f.includes) for f in files)
    if includes < 1000:
        faults.append(f"only {includes} includes found: wrong folder?")
    return faults, f"{len(files)} files, {includes} includes"


def self_test():
    """Faults of the rules themselves: violations that they do not complain about."""
    spdx = "// SPDX-License-Identifier: GPL-3.0-or-later\n"
    faults, count = [], 0
    for function, violations in RULES:
        if not violations:
            faults.append(f"rule {function.__name__} has no violation")
        for path, line, complaint in violations:
            count += 1
            included = {n for _, n in INCLUDE.findall(line or "") if n.endswith("/header.h")}
            known = {path, *included}
            found = list(function(File(path, spdx + line if line else "", known)))
            if len(found) != 1 or complaint not in found[0]:
                faults.append(f"rule {function.__name__}: {line!r} in {path}: {found}")
            if line and list(function(File(path, spdx, known))):
                faults.append(f"rule {function.__name__}: forbids an empty {path}")
    known = {f"{NO_CYCLES[0]}/{n}.h" for n in "abc"}
    ring = [File(f"{NO_CYCLES[0]}/{a}.cc", f'{spdx}#include "{NO_CYCLES[0]}/{b}.h"\n', known)
            for a, b in ("ab", "bc", "ca")]
    if len(list(cycles(ring))) != 1 or list(cycles(ring[:2])):
        faults.append("a cycle of includes is not found")
    return faults, f"{count + 1} deliberate violations found"


def main():
    faults, looked_at = check(sys.argv[1])
    own_faults, tried = self_test()
    for fault in faults + own_faults:
        print(f"layering: {fault}", file=sys.stderr)
    print(f"layering: {looked_at}, {len(faults)} faults; {tried}")
    sys.exit(1 if faults or own_faults else 0)


main()
