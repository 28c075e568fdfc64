# lengths.py - no file, function or class is larger than one can survey: the check, and its test.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   python3 lengths.py ROOT
#
#   file       at most 500 lines; scripts and inputs of tests 800
#   function   at most 80 lines, from the line with its name or type to its closing brace
#   class      its member functions are in at most two .cc files: more are more than one class
#
# Code is formatted such that a function begins with a line at the left margin and ends with a
# brace there. Functions inside of a class are short.
import collections
import os
import re
import sys

MAX_FILE, MAX_SCRIPT, MAX_FUNCTION, MAX_SOURCES = 500, 800, 80, 2
TOPS = ("runtime", "feedback", "consumers", "plugin", "testsuite")
PRODUCT = ("runtime/", "feedback/", "consumers/", "plugin/")
CODE = (".c", ".cc", ".h", ".def")
OTHER = (".sh", ".py", ".inc")
CLASS = re.compile(r"^\s*(?:class|struct)\s+(\w+)[^;{()]*\{", re.M)
MEMBER = re.compile(r"^(?![ \t#/}])(?:[^\n;={}()]*[\s*&>])?((?:\w+(?:<[^<>\n]*>)?::)+)"
                    r"~?(?:operator\b[^(]*|\w+)[ \n]*\(", re.M)


def functions(text):
    """(line, lines) of each function of TEXT."""
    lines = text.split("\n")
    start = None  # number of the first line of what may be a head
    i = 0
    while i < len(lines):
        line = lines[i]
        if re.match(r"\S", line) and not re.match(r"[}#/{]|namespace|extern|template|using", line):
            if start is None:
                start = i
        if line.startswith("{") or (start is not None and line.endswith("{")
                                    and not re.match(r"\s*(class|struct|enum|union)\b", lines[start])):
            head = " ".join(lines[start if start is not None else i:i + 1])
            if "(" in head and not re.match(r"\s*(class|struct|enum|union|namespace|extern)\b", head) \
               and " = {" not in head and not head.rstrip().endswith("= {"):
                first = start if start is not None else i
                end = i
                while end < len(lines) and not lines[end].startswith("}"):
                    end += 1
                yield first + 1, end - first + 1
                i = end
            start = None
        elif line.endswith(";") or line.startswith("}") or not line:
            start = None
        i += 1


def members(text, classes):
    """Classes of CLASSES whose member functions TEXT defines."""
    found = set()
    for names in MEMBER.findall(text):
        known = [n for n in re.sub(r"<[^<>]*>", "", names).split("::") if n in classes]
        found.update(known[-1:])
    return found


def complaints(sources):
    """Complaints about SOURCES: path, text."""
    for path, text in sources.items():
        code = path.endswith(CODE) and not path.startswith("testsuite/e2e/src/")
        if (n := text.count("\n")) > (MAX_FILE if code else MAX_SCRIPT):
            yield f"{path}: {n} lines"
        if path.endswith((".c", ".cc", ".h")):
            for line, n in functions(text):
                if n > MAX_FUNCTION:
                    yield f"{path}:{line}: a function of {n} lines"
    product = {p: t for p, t in sources.items() if p.startswith(PRODUCT)}
    classes = {name for text in product.values() for name in CLASS.findall(text)}
    where = collections.defaultdict(set)
    for path, text in product.items():
        if path.endswith(".cc"):
            for name in members(text, classes):
                where[name].add(path)
    for name, files in sorted(where.items()):
        if len(files) > MAX_SOURCES:
            yield f"class {name} is in {len(files)} files: {', '.join(sorted(files))}"


def self_test():
    """Deliberate violations, each of which must give one complaint."""
    body = "  x++;\n"
    many = {f"plugin/{n}.cc": "void\nledger::add (int x)\n{\n}\n" for n in "ab"}
    many["plugin/l.h"] = "class ledger\n{\n  void add (int x);\n};\n"
    good = {
        "file": {"feedback/a.cc": "\n" * MAX_FILE},
        "GNU style": {"plugin/a.cc": "static void\nf (int x)\n{\n" + body * 76 + "}\n"},
        "Google style": {"feedback/a.cc": "int f(int x,\n      int y) {\n" + body * 77 + "}\n"},
        "class": many,
    }
    bad = {
        "file": {"feedback/a.cc": "\n" * (MAX_FILE + 1)},
        "GNU style": {"plugin/a.cc": "static void\nf (int x)\n{\n" + body * 77 + "}\n"},
        "Google style": {"feedback/a.cc": "int f(int x,\n      int y) {\n" + body * 78 + "}\n"},
        "class": {**many, "plugin/c.cc": "int\nledger::sum () const\n{\n}\n"},
    }
    for name, sources in good.items():
        if list(complaints(sources)):
            yield f"forbids what is allowed: {name}: {list(complaints(sources))}"
    for name, sources in bad.items():
        if len(list(complaints(sources))) != 1:
            yield f"does not notice: {name}"


def main():
    sources = {}
    for top in TOPS:
        for d, dirs, names in os.walk(os.path.join(sys.argv[1], top)):
            dirs.sort()
            for name in sorted(names):
                if name.endswith(CODE + OTHER):
                    path = os.path.relpath(os.path.join(d, name), sys.argv[1])
                    with open(os.path.join(sys.argv[1], path), encoding="utf-8") as f:
                        sources[path] = f.read()
    count = sum(len(list(functions(t))) for p, t in sources.items() if p.endswith((".cc", ".h", ".c")))
    faults = list(complaints(sources)) + [f"the check itself {f}" for f in self_test()]
    if count < 2000:
        faults.append(f"only {count} functions found: wrong folder?")
    for fault in faults:
        print(f"lengths: {fault}", file=sys.stderr)
    print(f"lengths: {len(sources)} files, {count} functions, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main()
