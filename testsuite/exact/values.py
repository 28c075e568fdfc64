# values.py - the tables values and silent_stores, worked out from the log.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The oracle reads the memory in front of each access, for the value of a load, and
# again before the next thing happens, for that of a store: at -O0, for GCC does not
# know that the oracle reads memory and puts off stores.  Which sites have a
# value the profile says; such a site must have one at each execution.
import array

ACCESS, LOCAL, BIRTH, DEATH, EXTERNAL, BEFORE, AFTER = 1, 5, 6, 7, 9, 10, 11
FEW = 4


def replay(log, stores, valued):
    """({site: [values]}, {site: silent executions}) of the sites in VALUED."""
    words = array.array("Q")
    with open(log, "rb") as f:
        words.frombytes(f.read(24))
        n = words[1]
        words.frombytes(f.read(24 * (n - 1)))
    moved = {site: [] for site in valued}
    silent = {}
    known = {}   # byte -> its value
    sizes = {}   # live objects

    def forget(base, size):
        for b in range(base, base + size):
            known.pop(b, None)

    before, size, address = [], 0, 0
    for head, x, y in zip(words[3::3], words[4::3], words[5::3]):
        kind, site = head & 255, head >> 8
        if kind == ACCESS:
            address, size = x, y
            if stores[site]:
                before = [known.get(b) for b in range(x, x + y)]
                forget(x, y)
        elif kind == (AFTER if stores.get(site) else BEFORE) and site in moved:
            if y:  # not known
                del moved[site]
                silent.pop(site, None)
                continue
            moved[site].append(x)
            new = list(x.to_bytes(size, "little"))
            known.update(zip(range(address, address + size), new))
            if stores[site] and new == before:
                silent[site] = silent.get(site, 0) + 1
        elif kind == LOCAL or kind == EXTERNAL:
            forget(x, y)
        elif kind == BIRTH:
            forget(x, y)
            sizes[x] = y
        elif kind == DEATH:
            forget(x, sizes.pop(x, 0))
    return moved, silent


def row(values, bits):
    """The row of the profile, without its site."""
    counts = {v: values.count(v) for v in set(values)} if len(set(values)) <= FEW else {}
    step = (values[1] - values[0]) % (1 << bits) if len(values) > 1 else 0
    affine = len(values) > 1 and all(
        (b - a - step) % (1 << bits) == 0 for a, b in zip(values, values[1:]))
    if step >> (bits - 1):
        step -= 1 << bits
    return {"executions": len(values), "values": sorted([v, n] for v, n in counts.items()),
            "min": min(values), "max": max(values),
            "repeats": sum(a == b for a, b in zip(values, values[1:])),
            "affine": affine, "first": values[0] if affine else 0,
            "step": step if affine else 0}


def number(x):
    return int(x, 16) if isinstance(x, str) else x
