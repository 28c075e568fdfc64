# one_definition.py - no two files of one program define different types of one name: the check, and its test.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   python3 one_definition.py ROOT
#
# Two structs memprof::cli::Row in two headers compile, link and crash: the linker keeps one of their
# constructors, whichever comes first.  Types of one file are in an unnamed namespace.
import collections
import os
import re
import sys

TOPS = ("runtime", "feedback", "consumers", "plugin")
NAMESPACE = re.compile(r"^(?:inline )?namespace(?: ([\w:]+))?\s*(\{)?\s*$")
TYPE = re.compile(r"^(?:template .*> )?(?:struct|class|union|enum(?: class)?)\s+(?:alignas *\([^)]*\) *)?(\w+\b(?:<[\w:, ]*>)?)(?!::)[^;()=]*\{?$")


def types(text):
    """(name with namespaces, line) of the types that TEXT defines outside of unnamed namespaces and functions."""
    stack, lines = [], text.split("\n")
    for number, line in enumerate(lines):
        if re.match(r"\}\s*(//|/\*) *(anonymous )?namespace", line) or line.startswith("} // namespace"):
            if stack:
                stack.pop()
            continue
        opened = NAMESPACE.match(line)
        if opened and (opened.group(2) or lines[number + 1:number + 2] == ["{"]):
            stack.append(opened.group(1))
            continue
        found = TYPE.match(line)
        if found and None not in stack and (line.endswith("{") or lines[number + 1:number + 2] == ["{"]):
            yield "::".join(n for n in stack if n) + "::" + found.group(1), number + 1


def twice(files):
    """Complaints about FILES, (name, text)."""
    places = collections.defaultdict(list)
    for name, text in files:
        for full, line in types(text):
            places[full].append(f"{name}:{line}")
    return [f"{full} is defined in {' and '.join(where)}" for full, where in sorted(places.items())
            if len({w.rsplit(':', 1)[0] for w in where}) > 1]


def self_test():
    def inside(name, text):
        return f"namespace memprof::{name} {{\n{text}\n}}  // namespace memprof::{name}\n"
    row, hidden = "struct Row {\n  int a;\n};", "namespace {\nstruct Row {\n};\n}  // namespace"
    assert twice([("a.h", inside("cli", row)), ("b.cc", inside("cli", row))])
    assert twice([("a.h", inside("cli", row)), ("b.h", inside("cli", "class Row : Base\n{\n};"))])
    assert not twice([("a.h", inside("cli", row)), ("b.h", inside("decide", row))])
    assert not twice([("a.h", inside("cli", row)), ("b.cc", inside("cli", hidden))])
    one, other = ("template <>\nstruct Rules<%s> {\n};" % of for of in ("Cache", "Reuse"))  # of one template
    assert twice([("a.h", inside("cli", one)), ("b.h", inside("cli", one))])
    assert not twice([("a.h", inside("cli", one)), ("b.h", inside("cli", other))])
    assert not twice([("a.h", inside("cli", row)), ("b.cc", inside("cli", "struct Row;\nRow f();"))])


def main(root):
    self_test()
    files = []
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".h", ".cc")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as f:
                        files.append((os.path.relpath(path, root), f.read()))
    count = sum(1 for _, text in files for _ in types(text))
    faults = twice(files)
    for fault in faults:
        print(f"one-definition: {fault}", file=sys.stderr)
    print(f"one-definition: {count} types in {len(files)} files, {len(faults)} faults")
    return 1 if faults or count < 300 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
