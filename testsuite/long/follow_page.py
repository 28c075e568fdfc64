# follow_page.py - does to a tree what a page of the documentation says.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   python3 follow_page.py PAGE TREE
#
# The page says "New file `NAME`:" or "In `NAME`, after `LINE`:" (or before), and a block of
# code follows. LINE is a whole line, and there is one like it in the file.
import os
import re
import sys

page, tree = sys.argv[1:]
text = open(page, encoding="utf-8").read()
CODE = r":\n\n( *)```\w+\n(.*?)\n *```\n"


def code(indent, block):
    return "".join(line.removeprefix(indent) + "\n" for line in block.split("\n"))


steps = 0
for name, indent, block in re.findall("New file `([^`]+)`" + CODE, text, re.S):
    with open(os.path.join(tree, name), "x", encoding="utf-8") as f:
        f.write(code(indent, block))
    steps += 1
for name, where, line, indent, block in re.findall(
        r"\bIn\s+`([^`]+)`,\s+(after|before)\s+`([^`]+)`" + CODE, text, re.S):
    path = os.path.join(tree, name)
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    if lines.count(line) != 1:
        sys.exit(f"{page}: {name} has {lines.count(line)} lines {line!r}")
    at = lines.index(line) + (where == "after")
    lines[at:at] = code(indent, block).split("\n")[:-1]
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    steps += 1
said = len(re.findall("^ *```", text, re.M)) // 2
if steps != said:
    sys.exit(f"{page}: {said} blocks of code, but {steps} that say where they go")
print(f"{steps} steps")
