#!/bin/sh
# layering.sh - who may include whom (doc/coding-guidelines.md).
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
srcdir=${MEMPROF_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
python=${MEMPROF_PYTHON:-python3}
exec "$python" - "$srcdir" <<'END'
import os
import re
import sys

root = sys.argv[1]
# Folder -> folders whose headers it may include besides its own.
MAY = {
    "runtime/wire": [],
    "runtime/target": ["runtime/wire"],
    "runtime/arena": [],
    "feedback": [],
    "consumers/decide": ["feedback"],
    "runtime/backend": ["runtime/wire", "feedback"],
    "consumers/cli": ["feedback", "consumers/decide"],
    "plugin": ["runtime/wire", "feedback", "consumers/decide"],
    "examples": [],
    "testsuite": ["runtime/wire", "runtime/target", "runtime/backend", "runtime/arena",
                  "feedback", "consumers/decide", "consumers/cli", "plugin"],
}
SUFFIXES = (".c", ".cc", ".h", ".def", ".hpp")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
# Headers that only GCC's plugin folder has.
GCC = re.compile(r"^(gcc-plugin|plugin-version|coretypes|tree|tree-.*|gimple"
                 r"|gimple-.*|cfgloop|cfg.*|basic-block|cgraph|ssa|diagnostic"
                 r"|stringpool|attribs|backend|system)\.h$")
# Names that occur in GCC's folder but are ordinary words for other files.
errors = []
seen = 0


def folder_of(path):
    return max((f for f in MAY if path == f or path.startswith(f + "/")),
               key=len, default=None)


files = []
for top in sorted({f.split("/")[0] for f in MAY}):
    for d, dirs, names in os.walk(os.path.join(root, top)):
        dirs.sort()
        files += [os.path.relpath(os.path.join(d, n), root)
                  for n in sorted(names) if n.endswith(SUFFIXES)]

known = set(files)
for path in files:
    own = folder_of(path)
    with open(os.path.join(root, path), encoding="utf-8") as f:
        text = f.read()
    includes = INCLUDE.findall(text)
    for quote, name in includes:
        seen += 1
        here = os.path.normpath(os.path.join(os.path.dirname(path), name))
        target = here if quote == '"' and here in known else name
        gcc = GCC.match(name) and target not in known
        if gcc and own != "plugin" and not path.startswith("testsuite/exact/"):
            errors.append(f"{path}: {name}: GCC headers only in plugin/")
        if "nlohmann/" in name and not re.fullmatch(
                r"(feedback|testsuite/unit/.+)/[^/]+\.cc", path):
            errors.append(f"{path}: {name}: only in feedback/*.cc")
        if re.match(r"(oneapi/)?tbb/", name) and own not in ("runtime/backend",
                                                             "testsuite"):
            errors.append(f"{path}: {name}: only in runtime/backend")
        if name == "memprof-config.h" and own == "plugin":
            errors.append(f"{path}: {name}: clashes with GCC's headers")
        if own in ("runtime/wire", "runtime/target", "runtime/arena") and quote == "<" and \
                re.fullmatch(r"[a-z_]+", name):
            if name not in ("atomic", "cstdint", "cstddef", "type_traits", "new"):
                errors.append(f"{path}: <{name}>: no C++ library in {own}")
        if target in known:
            to = folder_of(target)
            if to != own and to not in MAY[own]:
                errors.append(f"{path}: {target}: {own} may not use {to}")
    if any("nlohmann/" in n for _, n in includes) and \
            any(GCC.match(n) and n not in known for _, n in includes):
        errors.append(f"{path}: GCC headers and json.hpp together")
    if "SPDX-License-Identifier:" not in text[:2000] and \
            not path.startswith("examples/third"):
        errors.append(f"{path}: no SPDX line")

if seen < 5:
    errors.append(f"only {seen} includes found: wrong folder?")
for e in errors:
    print(f"layering: {e}", file=sys.stderr)
print(f"layering: {len(files)} files, {seen} includes, {len(errors)} faults")
sys.exit(1 if errors else 0)
END
