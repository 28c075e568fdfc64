# inline_chains.py - compares the inlined calls of a profile's sites with those of addr2line.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: inline_chains.py PROFILE LINES N

LINES is what `addr2line -a -i' said of each instruction: an address, then the place of the code
and of each call that it was inlined with, innermost first.  A site has no address, but its code
has one: the calls of each of N random sites must be those of some instruction, or the last ones of
it.  The line of the access itself may have none, as it becomes an operand of another instruction;
of one site in 30 at most neither has the inlined function, or the function around that.
"""
import json
import os
import random
import sys


def place(file, line):
    return os.path.normpath(file).rsplit("/", 1)[-1], int(line)


def chains_of_code(path):
    chains, chain = set(), []
    for line in open(path, encoding="utf-8"):
        if line.startswith("0x"):
            chains.update(tuple(chain[i:]) for i in range(len(chain)))
            chain = []
        else:
            file, number = line.split()[0].rsplit(":", 1)
            chain.append(place(file, number if number.isdigit() else 0))
    return chains


def chains_of_sites(profile):
    for module in profile["modules"]:
        for function in module["functions"]:
            frames = function.get("frames", [])
            for site in function.get("sites", []):
                if "header" in site:
                    chain = [place(*site["header"].rsplit(":", 2)[:2])]
                else:
                    chain = [place(site.get("file", module["file"]), site.get("line", 0))]
                number = site.get("frame", 0)
                while number:
                    frame = frames[number - 1]
                    chain.append(place(frame.get("file", module["file"]), frame["line"]))
                    number = frame.get("frame", 0)
                yield function["name"], tuple(chain)


def main(path, lines, wanted):
    known = chains_of_code(lines)
    sites = list(chains_of_sites(json.load(open(path, encoding="utf-8"))))
    sample = random.Random(1).sample(sites, min(int(wanted), len(sites)))
    missing = [site for site in sample if len(site[1]) > 1 and site[1][1:] not in known]
    wrong = [site for site in missing if len(site[1]) > 2 and not any(site[1][i:] in known for i in range(2, len(site[1])))]
    for function, chain in wrong[:20]:
        print(f"{function[:60]}: no instruction has {chain}")
    deep = sum(len(chain) > 2 for _, chain in sample)
    print(f"inline-chains: {len(sample)} of {len(sites)} sites, {deep} inlined twice and more, "
          f"{len(missing) - len(wrong)} without code of the last functions, {len(wrong)} wrong")
    return bool(wrong) or len(missing) > len(sample) // 30 or len(sample) < int(wanted) or deep < len(sample) // 4


sys.exit(main(*sys.argv[1:]))
