# outside_programs.py - programs of other people, for the scripts that measure rebuilds.
# SPDX-License-Identifier: GPL-3.0-or-later
"""A list of programs outside of this tree is a JSON file:

    [{"name": "sorter", "build": "cd /src/sorter && $CC $FLAGS *.c -o $OUT", "run": ["/in/words"]}]

The shell command `build' compiles everything each time. It runs in an empty folder of its
own and finds compilers, flags and the name of the program to make in CC, CXX, FLAGS and OUT.
`run' are the arguments of the program: it must print the same in each run, unless `same' is false (it prints
times), and runs in an empty folder, too.  `train', if there is one, are those of the run that is profiled.

Two more keys keep a list free of paths of one machine:

    "debian": "sorter"       SOURCE is the unpacked source of this Debian package, for all builds: they copy it or
                             leave it as it is (`cp -r $SOURCE/. .')
    "input": "$LIST/words.py 9000 >words"
                             INPUT is a folder where this shell command made the inputs, once; LIST is the
                             folder of the list

`build' and `input' have them in the environment; in `run' and `train', $SOURCE, $INPUT and $LIST are replaced.
Both are kept in MEMPROF_SOURCES, and made when the program is first wanted.
"""
import hashlib
import json
import os
import shlex
import shutil
import subprocess

import overhead_programs
from closed_loop_programs import Program
from overhead_programs import Broken


class Outside:
    """One entry of the list in FOLDER."""

    def __init__(self, entry, folder):
        self.entry = entry
        made = hashlib.sha256(entry.get("input", "").encode()).hexdigest()[:8]  # a changed command makes a new folder
        kept = f"{overhead_programs.SOURCES}/outside"
        self.names = {"SOURCE": f"{kept}/{entry.get('debian', '')}.source", "INPUT": f"{kept}/{entry['name']}.{made}",
                      "LIST": folder}

    def arguments(self, which):
        if not {"debian", "input"} & self.entry.keys():
            return which
        for name, path in self.names.items():
            which = [argument.replace("$" + name, path) for argument in which]
        return which

    def prepare(self, *_):
        """Source and inputs, unless they are there."""
        source, inputs = self.names["SOURCE"], self.names["INPUT"]
        os.makedirs(os.path.dirname(source), exist_ok=True)
        if "debian" in self.entry and not os.path.exists(source):
            unpacked = overhead_programs.debian_source(self.entry["debian"])
            if os.path.islink(source):
                os.remove(source)
            os.symlink(os.path.abspath(unpacked), source)
        if "input" in self.entry and not os.path.exists(inputs):
            os.makedirs(inputs + ".new", exist_ok=True)
            done = subprocess.run(["sh", "-ec", self.entry["input"]], cwd=inputs + ".new", capture_output=True, text=True,
                                  env={**os.environ, **self.names})
            if done.returncode:
                shutil.rmtree(inputs + ".new")
                raise Broken(f"the inputs cannot be made:\n{done.stderr[-1000:]}")
            os.rename(inputs + ".new", inputs)

    def build(self, variant):
        """As Program.build wants it."""
        self.prepare()
        os.environ.update(self.names, CC=shlex.join(variant.cc), CXX=shlex.join(variant.cxx),
                          FLAGS=shlex.join(variant.flags), OUT=variant.target)
        variant.run(["sh", "-c", self.entry["build"]])

    def program(self):
        run = self.arguments(self.entry["run"])
        return Program(self.entry["name"], self.arguments(self.entry.get("train", self.entry["run"])), run, run,
                       build=self.build, same=self.entry.get("same", True))


def outside_programs(path):
    """The programs of the list PATH."""
    with open(path, encoding="utf-8") as lines:
        listed = json.load(lines)
    try:
        return [Outside(entry, os.path.dirname(os.path.abspath(path))).program() for entry in listed]
    except (KeyError, TypeError) as wrong:
        raise Broken(f"{path}: each program has a name, build and run: {wrong!r}") from wrong
