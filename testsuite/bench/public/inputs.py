#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""inputs.py KIND SIZE - print an input of a kind, the same each time."""
import itertools
import random
import sys

PROTEIN = "ACDEFGHIKLMNPQRSTVWY"


def words(size):
    """SIZE lines of words, the frequent ones often, with a number and a key in front."""
    r = random.Random(size)
    known = ["".join(r.choices("etaoinshrdlucmfw", k=r.randint(2, 9))) for _ in range(5000)]
    weights = list(itertools.accumulate(1 / (i + 1) for i in range(len(known))))
    for line in range(size):
        yield f"{line} {r.randrange(10 ** 6)} " + " ".join(r.choices(known, cum_weights=weights, k=12))


def proteins(size):
    """SIZE sequences of 300 letters in families of ten that differ in few places (FASTA)."""
    length = 300
    r = random.Random(size)
    for number in range(size):
        if number % 10 == 0:
            family = r.choices(PROTEIN, k=length)
        one = [r.choice(PROTEIN) if r.random() < 0.1 else letter for letter in family]
        yield f">s{number}"
        text = "".join(one)
        yield from (text[at:at + 60] for at in range(0, length, 60))


def marc(size):
    """SIZE library records (ISO 2709)."""
    lines = words(size * 8)
    for number in range(size):
        fields = [("001", f"id{number}")] + [
            (tag, "10\x1fa" + next(lines) + "\x1fb" + next(lines)) for tag in ("100", "245", "500", "650")]
        directory, at = "", 0
        for tag, text in fields:
            directory += f"{tag}{len(text) + 1:04d}{at:05d}"
            at += len(text) + 1
        start = 24 + len(directory) + 1
        yield (f"{start + at + 1:05d}nam a22{start:05d} a 4500{directory}\x1e"
               + "".join(text + "\x1e" for _, text in fields) + "\x1d")


def antenna(size):
    """A Yagi antenna of SIZE elements, for yagi."""
    yield from ("NOTES made by a script", "FREQUENCY 144.0", "MIN_FREQUENCY 130.0", "MAX_FREQUENCY 160.0",
                "STEP_FREQUENCY 0.5", f"ELEMENTS {size}", "DRIVEN 1", f"PARASITIC {size - 1}", "ANGULAR_STEP 1.0",
                "#DATA_DRIVEN x y length diameter voltage(r) voltage(i)", "DATA_DRIVEN 0.5 0.0 1.0 0.005 1.0 0.0",
                "#DATA_PARASITIC x y length diameter", "DATA_PARASITIC", " 0.0 0.0 1.03 0.005 reflector")
    for one in range(1, size - 1):
        yield f" {0.5 + 0.4 * one:f} 0.0 {0.95 - 0.0005 * one:f} 0.005 D{one}"


KINDS = {"antenna": antenna, "marc": marc, "proteins": proteins, "words": words}

if __name__ == "__main__":
    for text_line in KINDS[sys.argv[1]](int(sys.argv[2])):
        print(text_line, end="" if sys.argv[1] == "marc" else "\n")
