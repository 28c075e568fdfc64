#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""candidates.py - the candidates of the validation set, in the order of the rule (README.md): run it on bookworm."""
import hashlib
import subprocess

FIELDS = ("use::compressing", "works-with::db", "works-with::mail", "devel::interpreter", "works-with::graphs")
SCIENCES = ("astronomy", "biology", "chemistry", "computer-science", "electronics", "geography", "geology", "linguistics",
            "mathematics", "medicine", "meteorology", "physics", "statistics")

found = {}
shown = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=True).stdout
for paragraph in shown.split("\n\n"):
    facts = {}
    for line in paragraph.replace("\n ", " ").split("\n"):
        key, _, value = line.partition(":")
        facts[key] = value.strip()
    tags = {tag.strip() for tag in facts.get("Tag", "").split(",")}
    if "role::program" not in tags or not tags & {"implemented-in::c", "implemented-in::c++"}:
        continue
    if any(tag.startswith("interface::") for tag in tags) and "interface::commandline" not in tags:
        continue
    fields = {tag for tag in tags if tag in FIELDS or tag.startswith("field::") and tag.split(":")[2] in SCIENCES}
    if fields:
        source = facts.get("Source", facts["Package"]).split()[0]
        packages, all_fields = found.setdefault(source, (set(), set()))
        packages.add(facts["Package"])
        all_fields |= fields
for source in sorted(found, key=lambda name: hashlib.md5(name.encode()).hexdigest()):
    print(source, ",".join(sorted(found[source][0])), ",".join(sorted(found[source][1])), sep="\t")
