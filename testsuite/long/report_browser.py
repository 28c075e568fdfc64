# report_browser.py - a page of memprof report in headless Chromium: every view by mouse and by
# keyboard, its numbers against the profile, no message on the console, nothing fetched.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   /usr/bin/python3 report_browser.py MEMPROF PROFILE PAGE [SCREENSHOTS [AXE]]
#
# PROFILE: "-" only opens the page, and says how long that took.
# SCREENSHOTS: a folder for pictures of each view, wide, twice as fine, dark and as on a phone;
# AXE: the file axe.min.js. Needs Debian's chromium, chromium-driver and python3-selenium.
import json
import os
import subprocess
import sys
import time

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from browser import browser


def number(value):
    return int(value, 16) if isinstance(value, str) else value


def cells(d, caption):
    """The rows of the table that is called CAPTION, as lists of text."""
    return d.execute_script("""
      const table = [...document.querySelectorAll("main table")].find(
        (t) => t.caption && t.caption.textContent.startsWith(arguments[0]));
      return [...table.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.innerText.trim()));
    """, caption)


def count(text):
    return int(text.replace(",", "") or 0) if text not in ("-", "") else 0


class Facts:
    """What the views must say, from the profile and from other commands."""

    def __init__(self, memprof, path):
        self.p = p = json.load(open(path))
        self.memprof, self.path = memprof, path
        self.sites = [(s, f, m) for m in p["modules"] for f in m["functions"] for s in f.get("sites", [])]
        self.loops = {}
        for site, _, _ in self.sites:
            if "loop" in site:
                self.loops[site["loop"]] = self.loops.get(site["loop"], 0) + number(site["executions"])
        advice = json.loads(subprocess.run([memprof, "advise", "--all", "--top=0", "--json", path],
                                           check=True, capture_output=True).stdout)
        self.advice = advice["advice"]


def check_answer(d, facts):
    answer = json.loads(subprocess.run([facts.memprof, "answer", "--json", facts.path], check=True,
                                       capture_output=True).stdout)
    causes = [c.text for c in d.find_elements(By.CSS_SELECTOR, "main .cause b")]
    assert causes == [f"{100 * c['share']:.1f} %" for c in answer["causes"]], (causes, answer)
    assert f"{100 * answer['waits']:.1f} %" in d.find_element(By.CSS_SELECTOR, "main .card b").text
    boxes = d.execute_script("return [...document.querySelectorAll('.icicle .box')].map((b) => b.getBoundingClientRect().right)")
    right = d.execute_script("return (document.querySelector('.icicle') || document.body).getBoundingClientRect().right")
    assert all(b <= right + 1 for b in boxes), (boxes, right)


def check_search(d):
    d.find_element(By.ID, "search").send_keys(d.execute_script("return report.data.functions.rows[0].name.slice(0, 4)"))
    found = [a.get_attribute("href") for a in d.find_elements(By.CSS_SELECTOR, ".found a")]
    assert any("#source/" in href for href in found), found
    d.find_element(By.ID, "search").send_keys(Keys.ENTER)
    opened(d, "source")


def check_decisions(d, facts):
    rows = cells(d, "Decisions by transformation")
    for name, taken, needs, refused, *_ in rows:
        of = [a for a in facts.advice if a["transformation"] == name]
        take = sum(a["take"] for a in of)
        code = sum(a["reason"] == "needs-code" for a in of)
        assert (count(taken), count(needs), count(refused)) == (take, code, len(of) - take - code), rows
    assert {r[0] for r in rows} == {a["transformation"] for a in facts.advice}
    # Gates that refuse show their number, unless they compare none.
    gates = d.execute_script("return report.data.decisions.rows.slice(0, 25).map((r) => r.gate ? r.gate.name : '')")
    column = [row[-2] for row in cells(d, "Decisions: taken")]
    assert len(column) == len(gates)
    for name, shown in zip(gates, column):
        assert shown.endswith(name) and (" < " in shown or " > " in shown) if name else shown in ("", "no number"), (name, shown)


def check_memory(d, facts):
    executions = sorted((number(s["executions"]) for s, _, _ in facts.sites), reverse=True)
    shown = [count(r[0]) for r in cells(d, "Access sites")]
    assert shown == executions[:len(shown)] and shown, (shown[:3], executions[:3])
    check_groups(d, facts)
    check_lifetimes(d, facts)


def check_groups(d, facts):
    accesses = sorted((number(g.get("accesses", 0)) for g in facts.p["groups"]), reverse=True)
    shown = [count(r[0]) for r in cells(d, "Groups of objects")]
    assert shown == accesses[:len(shown)] and shown


def check_source(d, facts):
    name, loads, stores = d.execute_script("""
      const sum = (k) => [...document.querySelectorAll("main .source tbody tr")].reduce(
        (s, r) => s + (r.cells.length > 2 ? Number(r.cells[k].innerText.replace(/,/g, "")) : 0), 0);
      return [report.data.functions.rows[0].name, sum(0), sum(1)];""")
    # The one with the most accesses stands first.
    best = max(((f, sum(number(s["executions"]) for s in f.get("sites", [])))
                for m in facts.p["modules"] for f in m["functions"]), key=lambda x: x[1])[0]
    wanted = {k: sum(number(s["executions"]) for s in best.get("sites", []) if s["kind"] == k)
              for k in ("load", "store")}
    assert name == best["name"] and (loads, stores) == (wanted["load"], wanted["store"]), (name, loads, stores, wanted)


def check_types(d, facts):
    rows = cells(d, "Fields of") if d.find_elements(By.ID, "type") else []
    if not rows:
        return
    name = d.execute_script("return report.data.types.rows[0].name")
    uses = {u["field"]: u for u in facts.p["fields"] if u["type"] == name}
    for row in rows:
        use = uses.get(row[1], {})
        assert (count(row[3]), count(row[4])) == (use.get("loads", 0), use.get("stores", 0)), row


def check_loops(d, facts):
    executions = sorted(facts.loops.values(), reverse=True)
    shown = [count(r[2]) for r in cells(d, "Loops")]
    busy = [n for n in shown if n]
    assert busy == executions[:len(busy)], (shown[:3], executions[:3])


def check_lifetimes(d, facts):
    lives = facts.p.get("lifetimes", [])
    if not lives:
        return
    rows = cells(d, "Lifetimes in")
    assert sum(count(r[1]) for r in rows) == sum(r.get("objects", 0) for r in lives)
    # A narrower window: what the label says is what the table says.
    for slider in d.find_elements(By.CSS_SELECTOR, "input[aria-label^='From mean lifetime']"):
        for _ in range(4):
            slider.send_keys(Keys.ARROW_RIGHT)
            label = d.find_element(By.ID, "window").text
            rows = cells(d, "Lifetimes in")
            assert count(label.rsplit(" ", 1)[1]) == sum(count(r[1]) for r in rows), label


def check_timeline(d, facts):
    rows = cells(d, "Slices of the run")
    all_ = next(r for r in facts.p["timeline"] if "thread" not in r)
    assert len(rows) == 64 and sum(count(r[1]) for r in rows) == sum(number(n) for n in all_["accesses"])
    tracks = d.find_elements(By.CSS_SELECTOR, "main .track .slices")
    assert len(tracks) >= 1 + sum("thread" in r for r in facts.p["timeline"]), len(tracks)


def check_address(d):
    """A copied address shows a table as it is; a link to a view that was folded into another leads there."""
    d.execute_script("location.hash = 'memory'")
    opened(d, "memory")
    body = "[...document.querySelectorAll('main table')][0]"
    d.execute_script(f"{body}.tHead.querySelectorAll('button')[5].click()")
    field = d.find_element(By.CSS_SELECTOR, "main input[type=search]")
    field.send_keys("a")
    chooser = d.find_element(By.CSS_SELECTOR, "main details.columns")
    d.execute_script("arguments[0].open = true; arguments[0].querySelectorAll('input')[2].click()", chooser)
    shown = d.execute_script(f"return [{body}.tBodies[0].innerText, {body}.rows[0].cells[2].checkVisibility()]")
    assert not shown[1] and "hidden" in chooser.text, (shown[1], chooser.text)
    address = d.current_url
    assert "1sort=" in address and "1text=a" in address and "1columns=-3" in address, address
    d.get("about:blank")
    d.get(address)
    opened(d, "memory")
    again = d.execute_script(f"return [{body}.tBodies[0].innerText, {body}.rows[0].cells[2].checkVisibility()]")
    assert again == shown
    assert d.find_element(By.CSS_SELECTOR, "main input[type=search]").get_attribute("value") == "a"
    d.execute_script("location.hash = 'objects'")
    opened(d, "memory")
    time.sleep(0.2)
    top = d.execute_script("return document.getElementById('objects').getBoundingClientRect().top")
    assert top < 900, top


def check_streams(d, facts):
    said = json.loads(subprocess.run([facts.memprof, "streams", "--json", "--top=0", facts.path],
                                     check=True, capture_output=True).stdout)["hot_streams"]
    rows = cells(d, "Streams by heat")
    wanted = [(s["heat"], s["length"], s["times"]) for s in said["streams"][:len(rows)]]
    assert rows and [tuple(count(c) for c in r[1:4]) for r in rows] == wanted, (rows[:3], wanted[:3])
    assert len(d.find_elements(By.CSS_SELECTOR, "main svg circle.point")) == min(len(said["streams"]), 2000)
    # The second stream, from its first member to its last; what the card says is the table's row.
    number = min(2, len(said["streams"]))
    d.execute_script("location.hash = arguments[0]", f"streams/{number}")
    WebDriverWait(d, 20).until(lambda b: b.find_element(By.ID, "stream").text.startswith(f"Stream {number},"))
    d.execute_script('''
      [...document.querySelectorAll("main table")].find((t) => t.caption.textContent.startsWith("Members of"))
        .parentNode.nextElementSibling.click();''')
    members = cells(d, f"Members of stream {number}")
    assert len(members) == said["streams"][number - 1]["length"], len(members)
    later = d.find_element(By.XPATH, "//button[text()='Next member']")
    for i, row in enumerate(members):
        card = d.find_element(By.CSS_SELECTOR, ".member").text
        assert f"Member {i + 1} of {len(members)}" in card and row[1] in card, (card, row)
        assert f"object {row[4].replace(',', '')} of" in card and f"block {row[6]}" in card, (card, row)
        later.click()
    assert later.get_attribute("aria-disabled") == "true"
    # No edge of the graph may be between two of the hottest streams.
    edges = d.execute_script("return report.data.streams.edges.length")
    assert bool(edges) == bool(d.find_elements(By.CSS_SELECTOR, "main svg .s-flow"))
    assert not edges or cells(d, "Which stream follows which")


def check_regularity(d, facts):
    total = sum(r["references"] for r in facts.p["regularity"])
    assert sum(count(r[1]) for r in cells(d, "Functions by references")) == total


def check_pages(d, facts):
    assert sum(count(r[3]) for r in cells(d, "Objects by walks")) == sum(r.get("walks", 0) for r in facts.p["pages"])


def check_changes(d, facts):
    subjects = d.execute_script("return report.data.changes.subjects")
    for s in subjects:
        if s["rows"]:
            name = "memory, bytes" if s["name"] == "memory" else s["name"]
            row = cells(d, f"Changes of {name}")[0]
            assert count(row[1]) == number(s["rows"][0]["before"]) and count(row[2]) == number(s["rows"][0]["after"])


def check_run(d, facts):
    values = {r[0]: r[1] for r in cells(d, "The run")}
    for title, key in (("Accesses", "accesses"), ("Loads", "loads"), ("Stores", "stores"),
                       ("Events lost", "events_lost"), ("Calls that may write unseen", "external_calls")):
        assert count(values[title]) == number(facts.p["run"].get(key, 0)), title
    assert count(values["Sites"]) == len(facts.sites)


CHECKS = {"answer": check_answer, "decisions": check_decisions, "memory": check_memory, "source": check_source,
          "types": check_types, "loops": check_loops, "timeline": check_timeline,
          "streams": check_streams, "regularity": check_regularity, "pages": check_pages, "changes": check_changes, "run": check_run}


def views_of(d):
    return [a.get_attribute("id")[3:] for a in d.find_elements(By.CSS_SELECTOR, "#views a")]


def silent(d):
    messages = [m for m in d.get_log("browser") if m["level"] in ("SEVERE", "WARNING")]
    assert not messages, messages
    fetched = d.execute_script("return performance.getEntriesByType('resource').map((r) => r.name)")
    assert not fetched, fetched
    assert "hostile" != d.title


def opened(d, view):
    """The page shows a view once its address has changed."""
    WebDriverWait(d, 20).until(lambda b: b.find_element(By.ID, "main").get_attribute("data-view") == view)


def by_mouse(d, facts):
    for view in views_of(d):
        d.find_element(By.ID, "to-" + view).click()
        opened(d, view)
        CHECKS[view](d, facts)


def by_keyboard(d):
    """Tab reaches every view; in each, Tab reaches the first row of each table and arrows all
    rows that it shows."""
    keys = webdriver.ActionChains
    for view in views_of(d):
        # Where the first Tab on a fresh page goes.
        d.execute_script("document.querySelector('.skip').focus()")
        for _ in range(40):
            keys(d).send_keys(Keys.TAB).perform()
            if d.switch_to.active_element.get_attribute("id") == "to-" + view:
                break
        else:
            raise AssertionError(f"Tab does not reach {view}")
        keys(d).send_keys(Keys.ENTER).perform()
        opened(d, view)
        for body in d.find_elements(By.CSS_SELECTOR, "main .scroll tbody")[:4]:
            rows = d.execute_script("return arguments[0].rows.length", body)
            if not rows:
                continue
            first = d.execute_script("const r = arguments[0].querySelector(\"tr[tabindex='0']\"); r.focus();"
                                     "return r === arguments[0].rows[0]", body)
            assert first, view
            for _ in range(rows - 1):
                keys(d).send_keys(Keys.ARROW_DOWN).perform()
            at = d.execute_script("return [...arguments[0].rows].indexOf(document.activeElement)", body)
            assert at == rows - 1, (view, at, rows)


def narrow(d, view):
    hidden = d.execute_script("""
      return [...document.querySelectorAll("main div.scroll table")].filter((t) => [...t.rows[0].cells].some((c) => !c.checkVisibility()) &&
        !t.closest("div.scroll").previousElementSibling.innerText.includes("hidden")).map((t) => t.caption.textContent)""")
    assert not hidden, f"{view}: columns are hidden without a word: {hidden}"
    small = d.execute_script("""
      return [...document.querySelectorAll("main .treemap text")].map((t) => t.getBoundingClientRect().height).filter((h) => h < 11)""")
    assert not small, f"{view}: letters are {small} pixels high"
    width = d.execute_script("return [document.documentElement.scrollWidth, window.innerWidth]")
    assert width[0] <= width[1], f"{view} is wider than the window: {width}"


def pictures(page, folder):
    """At 1280 and 2560 pixels, twice as fine and dark, and as on a phone; nothing is wider."""
    for name, width, scale, dark in (("", 1280, 1, 0), ("-2x", 1280, 2, 0), ("-dark", 1280, 1, 2),
                                     ("-wide", 2560, 1, 0), ("-phone", 420, 2, 0)):
        d = browser(max(width, 500), 1000, scale)
        if width < 500:
            d.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                              {"width": width, "height": 900, "deviceScaleFactor": scale, "mobile": True})
        d.get("file://" + page)
        for _ in range(dark):
            d.find_element(By.ID, "theme").click()
        for view in views_of(d):
            d.execute_script("location.hash = arguments[0]", view)
            time.sleep(0.2)
            narrow(d, view + name)
            if folder:
                d.save_screenshot(os.path.join(folder, view + name + ".png"))
        silent(d)
        d.quit()


def accessible(d, axe):
    d.set_script_timeout(300)
    d.execute_script(open(axe).read())
    for view in views_of(d):
        # A short function: of one with 9,000 lines all rows are alike, and axe looks at each.
        last = d.execute_script("return report.data.functions.rows.length - 1")
        d.execute_script("location.hash = arguments[0]", f"source/{last}/0" if view == "source" else view)
        time.sleep(0.2)
        found = d.execute_async_script("axe.run().then(arguments[0])")
        bad = [(v["id"], v["impact"], v["nodes"][0]["html"][:200], v["nodes"][0]["failureSummary"][:300])
               for v in found["violations"] if v["impact"] in ("serious", "critical")]
        assert not bad, (view, bad)


def main():
    memprof, profile, page = sys.argv[1], sys.argv[2], os.path.abspath(sys.argv[3])
    folder = sys.argv[4] if len(sys.argv) > 4 else ""
    d = browser(1280, 900)
    d.get("about:blank")
    start = time.time()
    d.get("file://" + page)
    opened(d, "answer")
    seconds = time.time() - start
    name = f"{os.path.basename(page)}: {os.path.getsize(page)} bytes, first view after {seconds:.2f} s"
    if profile == "-":
        silent(d)
        d.quit()
        print(name)
        return
    facts = Facts(memprof, profile)
    by_mouse(d, facts)
    check_search(d)
    check_address(d)
    by_keyboard(d)
    silent(d)
    if len(sys.argv) > 5:
        accessible(d, sys.argv[5])
    paper = d.execute_cdp_cmd("Page.printToPDF", {})
    assert len(paper["data"]) > 10000
    views = views_of(d)
    d.quit()
    pictures(page, folder)
    print(f"{name}, {len(views)} views: {' '.join(views)}")


main()
