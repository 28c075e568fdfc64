# export_speedscope.py - what speedscope itself shows of memprof export --as=speedscope and folded.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   /usr/bin/python3 export_speedscope.py PACKAGE PROFILE EXPORTED FOLDED
#
# PACKAGE: the folder of speedscope from npm. A file is handed to its page as its own command does;
# the view "Sandwich" has each frame with its sums, which PROFILE must have as well: loads in
# EXPORTED, whose first metric they are, loads and stores in FOLDED.
import base64
import json
import os
import re
import sys

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from browser import browser


def number(value):
    return int(value, 16) if isinstance(value, str) else value


def text(d):
    return d.find_element(By.TAG_NAME, "body").text


def frames(d):
    """Name -> (total, self), from the text of the table: two numbers, then the frame."""
    lines = text(d).split("Symbol Name\n", 1)[1].split("\n")
    counts = [re.match(r"([\d,]+) \(", line) for line in lines]
    counts = [int(c[1].replace(",", "")) if c else None for c in counts]
    return {lines[i]: (counts[i - 2], counts[i - 1]) for i in range(2, len(lines)) if counts[i] is None}


def imported(package, path):
    script = os.path.abspath("speedscope-load.js")
    with open(path, "rb") as f:
        data = base64.b64encode(f.read()).decode()
    with open(script, "w") as f:
        f.write(f"speedscope.loadFileFromBase64({json.dumps(os.path.basename(path))}, {json.dumps(data)})")
    d = browser(1280, 1000)
    try:
        d.get(f"file://{os.path.abspath(package)}/dist/release/index.html#localProfilePath={script}")
        WebDriverWait(d, 60).until(lambda b: "Sandwich" in text(b))
        webdriver.ActionChains(d).send_keys("3").perform()
        WebDriverWait(d, 60).until(lambda b: "Symbol Name" in text(b))
        return frames(d)
    finally:
        d.quit()


def main():
    package, profile, exported, folded = sys.argv[1:]
    p = json.load(open(profile))
    for path, kinds in ((exported, ("load",)), (folded, ("load", "store"))):
        wanted = {}
        for module in p["modules"]:
            for function in module["functions"]:
                for s in function.get("sites", []):
                    if s["kind"] in kinds and number(s["executions"]):
                        name = f"{s['kind']} {s['expression']} {module['file']}:{s['line']}:{s['column']}"
                        wanted[name] = wanted.get(name, 0) + number(s["executions"])
        shown = imported(package, path)
        own = {name: alone for name, (_, alone) in shown.items() if alone}
        assert own == wanted, (path, own, wanted)
        assert shown["main"] == (sum(wanted.values()), 0), shown["main"]
        print(f"export_speedscope: {path}: {len(own)} frames with counts, {sum(own.values())} in all")


main()
