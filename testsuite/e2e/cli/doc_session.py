#!/usr/bin/env python3
# doc_session.py PAGE [--update] - runs the session that a page shows.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A page of doc/ is a session when its fenced blocks are of these kinds:
#
#   ```c          a file; its first line names it: /* gather.c - ... */
#   ```console    commands after "$ " (a line that ends in \ goes on), each
#                 followed by its output; "L2 of 1.0 MB" represents any machine's
#   ```sh         commands, one script, that must succeed; output is not looked at
#   ```text       anything else, as ``` without a word; not run
#
# All commands run in one shell, in the current folder, in order.  Output must
# be equal to what the page shows; a line "..." represents any lines.  With
# --update the page gets the output that was seen instead.
import re
import subprocess
import sys


def blocks(text):
    """(language, lines, first line number, last line number + 1) of each."""
    lines = text.split("\n")
    i = 0
    while i < len(lines):
        m = re.match(r"```(\w+)$", lines[i])
        if m:
            end = i + 1
            while lines[end] != "```":
                end += 1
            yield m.group(1), lines[i + 1:end], i + 1, end
            i = end
        i += 1


def commands(lines):
    """(command, expected output lines) of a console block."""
    result = []
    i = 0
    while i < len(lines):
        if not lines[i].startswith("$ "):
            raise SystemExit(f"a console block begins with: {lines[i]}")
        command = lines[i][2:]
        while command.endswith("\\"):
            i += 1
            command += "\n" + lines[i]
        i += 1
        output = []
        while i < len(lines) and not lines[i].startswith("$ "):
            output.append(lines[i])
            i += 1
        result.append((command, output))
    return result


def run(all_commands):
    script = "".join(
        f"printf '\\n@@%d\\n' {n}\n{{ {c}\n}} 2>&1 </dev/null\n"
        f"printf '\\n@@status %d\\n' $?\n"
        for n, c in enumerate(all_commands))
    done = subprocess.run(["sh"], input=script, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    outputs = []
    for part in re.split(r"\n@@\d+\n", done.stdout)[1:]:
        output, status = re.match(r"(.*)\n@@status (\d+)\n$", part + "\n",
                                  re.S).groups() \
            if "@@status" in part else (part, "killed")
        outputs.append((output.rstrip("\n").split("\n") if output.strip() else [],
                        status))
    return outputs


def any_cache(line):
    return re.sub(r"\bL2 of [0-9.]+ [kM]B", "L2 of 1.0 MB", line)


def matches(expected, seen):
    if not expected:
        return not seen
    if expected[0] == "...":
        return any(matches(expected[1:], seen[i:])
                   for i in range(len(seen) + 1))
    return bool(seen) and any_cache(expected[0]) == any_cache(seen[0]) and \
        matches(expected[1:], seen[1:])


def main():
    page = sys.argv[1]
    update = "--update" in sys.argv
    with open(page, encoding="utf-8") as f:
        text = f.read()
    session = []
    for language, lines, first, last in blocks(text):
        if language == "c":
            name = re.match(r"/\* (\S+) - ", lines[0]).group(1)
            with open(name, "w", encoding="utf-8") as f:
                f.write("\n".join(lines) + "\n")
        if language == "console":
            session.append((commands(lines), first, last))
        if language == "sh":
            session.append(([("\n".join(["set -e", *lines]), None)],
                            first, last))
    flat = [c for cs, _, _ in session for c, _ in cs]
    outputs = run(flat)
    if len(outputs) != len(flat):
        raise SystemExit(f"{len(outputs)} of {len(flat)} commands ran")
    faults = 0
    new = text.split("\n")
    n = len(flat)
    for cs, first, last in reversed(session):
        shown = []
        for (command, expected), (seen, status) in zip(
                cs, outputs[n - len(cs):n]):
            if status != "0" or \
                    (expected is not None and not matches(expected, seen)):
                print(f"{page}: $ {command}\n  status {status}, output:",
                      *seen, sep="\n  ", file=sys.stderr)
                faults += 1
            if expected is not None:
                shown += ["$ " + command] + \
                    (expected if matches(expected, seen) else seen)
        n -= len(cs)
        if shown:
            new[first:last] = "\n".join(shown).split("\n")
    if update:
        with open(page, "w", encoding="utf-8") as f:
            f.write("\n".join(new))
    elif faults or not flat:
        return 1
    print(f"{len(flat)} commands")
    return 0


sys.exit(main())
