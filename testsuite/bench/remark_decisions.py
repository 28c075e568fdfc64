# SPDX-License-Identifier: GPL-3.0-or-later
"""remark_decisions.py - the decisions that a rebuild took, from its file of remarks.

Each line of the file of -fprofile-mem-remarks is one decision, taken or refused.
"""
import json
import os


def saved(remark):
    """Cycles of the training run that the decision is expected to save."""
    return remark.get("saved_cycles", 0) - remark.get("touch_cycles", 0)


def decisions_of(path):
    """{(transformation, shape, place): cycles saved} of what was taken."""
    found = {}
    if not os.path.exists(path):
        return found
    with open(path, encoding="utf-8") as lines:
        for remark in map(json.loads, lines):
            if remark.get("taken") and "saved_cycles" in remark:
                shape = remark["text"].split(" ")[0] if remark["kind"] == "prefetch" else ""
                key = remark["kind"], shape, f"{os.path.basename(remark['file'])}:{remark['line']}"
                found[key] = found.get(key, 0) + saved(remark)
    return found


class Agreement:
    """Of two rebuilds of a program: cycles of the decisions that both take, and of those that only one takes.

    A decision of both weighs what the first expects, one of a single rebuild what that rebuild
    expects.  The shape of a prefetch does not matter: how the address is found may differ where the load,
    and so the decision, is the same.
    """

    def __init__(self, first, second):
        first, second = by_place(first), by_place(second)
        self.both = sum(first[key] for key in first.keys() & second.keys())
        self.only_first = {key: first[key] for key in first.keys() - second.keys()}
        self.only_second = {key: second[key] for key in second.keys() - first.keys()}

    def total(self):
        return self.both + sum(self.only_first.values()) + sum(self.only_second.values())

    def share(self):
        return self.both / self.total() if self.total() else 1.0


def by_place(decisions):
    found = {}
    for (kind, _, place), cycles in decisions.items():
        found[kind, place] = found.get((kind, place), 0) + max(cycles, 0)
    return found
