#!/usr/bin/env python3
# run.py - repeats the tables and figures of the papers, and writes doc/evaluation.
# SPDX-License-Identifier: GPL-3.0-or-later
"""usage: run.py [--quick] [--fresh] [PAPER...]

Writes one page for each paper, its figures, and README.md with one row for each table and figure: ours,
theirs, verdict. Pages of papers that are not named stay as they are. --quick: small inputs, at most ten
minutes, into build/evaluation/quick/doc. --fresh: forget what was measured before.

Exit status: 1 if a measurement fails, is empty or makes no sense; 77 if a tool or a source is missing.
"""
import argparse
import importlib
import json
import os
import platform
import shutil
import sys
import time

from page import Figures, Item, Page, overview
from shop import SRCDIR, Broken, NotAvailable, Shop

PAPERS = ("whomp", "leap", "streams", "hybrid", "prompt", "regularity", "beyond")


def machine():
    """The processor, as the system calls it."""
    facts = {}
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if ":" in line:
                key, value = line.split(":", 1)
                facts.setdefault(key.strip(), value.strip())
    return (f"{facts.get('model name', platform.machine())} (family {facts.get('cpu family', '?')}, model {facts.get('model', '?')}), "
            f"{os.cpu_count()} processors, with a load average of {os.getloadavg()[1]:.1f} when it was written; times mean something on a quiet machine only")


def need_tools():
    missing = [(tool, package) for tool, package in (("gnuplot", "gnuplot-nox"), ("apt-get", "apt"), ("dpkg-source", "dpkg-dev"),
                                                     ("make", "make")) if not shutil.which(tool)]
    for tool, package in missing:
        print(f"evaluation: {tool} is missing: apt-get install {package}", file=sys.stderr)
    if missing:
        sys.exit(77)


def kept_page(path):
    """A page as it was written before, for the overview."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    return Page(**{**data, "items": [Item(**{**i, "claims": [tuple(c) for c in i["claims"]]}) for i in data["items"]]})


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def evaluate(name, shop, figures, folder):
    start = time.monotonic()
    print(f"{name}:", flush=True)
    page = importlib.import_module(name).page(shop, figures)
    if not page.items:
        raise Broken(f"{name}: no tables")
    if shop.quick:
        page.setting += " **With small inputs, which is no evidence; commands are those of the full evaluation.**"
    write(f"{folder}/{name}.md", page.text())
    plain = {**vars(page), "items": [vars(i) for i in page.items]}
    write(f"{shop.folder}/{name}.page.json", json.dumps(plain))
    print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n", 1)[0].removeprefix("usage: "), epilog=__doc__.split("\n", 2)[2],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("papers", nargs="*", choices=[[], *PAPERS], metavar="PAPER", help=", ".join(PAPERS))
    args = parser.parse_args()
    need_tools()
    shop = Shop(args.quick)
    if args.fresh:
        shutil.rmtree(shop.folder)
        shop = Shop(args.quick)
    folder = f"{shop.folder}/doc" if args.quick else f"{SRCDIR}/doc/evaluation"
    figures = Figures(folder + "/figures")
    failed = []
    for name in args.papers or PAPERS:
        try:
            evaluate(name, shop, figures, folder)
        except NotAvailable as trouble:
            print(f"evaluation: {name}: {trouble}", file=sys.stderr)
            sys.exit(77)
        except Broken as trouble:
            print(f"evaluation: {name}: {trouble}", file=sys.stderr)
            failed.append(name)
    missing = [n for n in PAPERS if not os.path.exists(f"{shop.folder}/{n}.page.json")]
    if missing:
        print(f"evaluation: README.md is not written before there are pages of {', '.join(missing)}")
    else:
        pages = [kept_page(f"{shop.folder}/{n}.page.json") for n in PAPERS]
        write(folder + "/README.md", overview(pages, machine(), args.quick))
    shop.report_times()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
