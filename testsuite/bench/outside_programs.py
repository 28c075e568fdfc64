# outside_programs.py - programs of other people, for the scripts that measure rebuilds.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A list of programs outside of this tree is a JSON file:

    [{"name": "sorter", "build": "cd /src/sorter && $CC $FLAGS *.c -o $OUT", "run": ["/in/words"]}]

The shell command `build' compiles everything each time. It runs in an empty folder of its
own and finds compilers, flags and the name of the program to make in CC, CXX, FLAGS and OUT.
`run' are the arguments of the program: it must print the same in each run, unless `same' is false (it prints
times), and runs in an empty folder, too.  `train', if there is one, are those of the run that is profiled.
"""
import json
import os
import shlex

from closed_loop_programs import Program
from overhead_programs import Broken


def shell_build(command):
    """The function that builds with COMMAND, as Program.build wants it."""
    def build(variant):
        os.environ.update(CC=shlex.join(variant.cc), CXX=shlex.join(variant.cxx),
                          FLAGS=shlex.join(variant.flags), OUT=variant.target)
        variant.run(["sh", "-c", command])
    return build


def outside_programs(path):
    """The programs of the list PATH."""
    with open(path, encoding="utf-8") as lines:
        listed = json.load(lines)
    try:
        return [Program(entry["name"], entry.get("train", entry["run"]), entry["run"], entry["run"],
                        build=shell_build(entry["build"]), same=entry.get("same", True)) for entry in listed]
    except (KeyError, TypeError) as wrong:
        raise Broken(f"{path}: each program has a name, build and run: {wrong!r}") from wrong
