# report_data.py - the data in a page of memprof report, against the profile that it shows.
# SPDX-License-Identifier: GPL-3.0-or-later
#
#   python3 report_data.py same PROFILE PAGE          they say the same
#   python3 report_data.py make-hostile PROFILE NEW   NEW: PROFILE with hostile names, and
#                                              pages of a second source
import html.parser
import json
import sys

HOSTILE = ['</script><script>document.title = "hostile"</script>', "<!-- <script>", "\u202e\u2066drawkcab",
           "n" * 10000, "]]>&amp;\"'\\", "line\u2028separator\u0007bell"]


class Page(html.parser.HTMLParser):
    """Script elements as a browser finds them; addresses of anything that is fetched."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.scripts, self.fetched, self.inside = [], [], False

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "script":
            self.inside = True
            self.scripts.append([attrs.get("id"), ""])
        if tag in ("link", "img", "iframe", "object") or "src" in attrs:
            self.fetched.append((tag, attrs))

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != "script"

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1][1] += data


def number(value):
    return int(value, 16) if isinstance(value, str) else value


def read_page(path):
    page = Page()
    page.feed(open(path, encoding="utf-8").read())
    assert [s[0] for s in page.scripts] == ["data", "verified", None], [s[0] for s in page.scripts]
    assert not page.fetched, page.fetched
    for _, text in page.scripts[:2]:
        assert "<" not in text
    return json.loads(page.scripts[0][1])


def brief(text):
    """As the page has long names."""
    return text if len(text.encode()) <= 300 else None


# Gates that compare no number; regular: also the shape of the code.
NO_NUMBER = {"vetoed", "code-shape", "covered", "regular", "not-heap", "wrapped", "unchecked", "obstacles"}


def check_streams(p, d):
    s = d["streams"]
    assert (s is None) == (not p.get("whole_stream")), s
    if s is None or s["note"]:
        assert s is None or list(s) == ["note"], list(s)
        return
    assert s["all"] >= len(s["rows"]) > 0
    places = {(site["line"], site["kind"]) for m in p["modules"] for f in m["functions"]
              for site in f.get("sites", [])}
    for row in s["rows"]:
        assert row["heat"] == len(row["members"]) * row["times"] and 0 < row["packing"] <= 1, row
        assert len({m[3] for m in row["members"]}) == row["blocks"] >= row["least"], row
        for place, _, _, _ in row["members"]:
            assert (s["places"][place]["line"], s["places"][place]["kind"]) in places
    assert s["edges"] == sorted(s["edges"], key=lambda e: -e[2]) and len(s["edges"]) <= s["edges_all"]
    for a, b, times in s["edges"]:
        assert 0 < times <= min(s["rows"][a - 1]["times"], s["rows"][b - 1]["times"])


def check_pages(p, pages):
    """Figures of two sources are never added."""
    names = {r["source"] for r in p.get("pages", [])}
    assert {s["name"] for s in pages["sources"]} == names
    for s in pages["sources"]:
        walks = sum(r.get("walks", 0) for r in p["pages"] if r["source"] == s["name"])
        assert s["walks"] == walks == sum(r["walks"] for r in pages["rows"] if r["source"] == s["name"])


def same(profile, page):
    p, d = json.load(open(profile)), read_page(page)
    for key in ("accesses", "loads", "stores", "objects", "threads", "runs", "complete", "mode"):
        assert d["run"][key] == p["run"][key], key
    sites = {s["id"]: (s, f, m) for m in p["modules"] for f in m["functions"] for s in f.get("sites", [])}
    assert d["sites"]["all"] == len(sites) == len(d["sites"]["rows"])
    for row in d["sites"]["rows"]:
        site, function, module = sites[row["site"]]
        assert number(row["executions"]) == number(site["executions"])
        assert (row["line"], row["kind"]) == (site["line"], site["kind"])
        if brief(function["name"]):
            assert row["function"] == function["name"], (row["function"], function["name"])
        misses = [r.get("l2", 0) for r in p["cache"] if r["site"] == row["site"]]
        assert row["l2"] == sum(misses)
    # The lines of a function add up to its sites.
    total = sum(number(s["executions"]) for s, _, _ in sites.values())
    lines = [line for f in d["functions"]["rows"] for part in f["parts"] for line in part["lines"]]
    assert sum(number(n) for line in lines for n in line[2:4]) == total == d["sites"]["executions"]
    assert {g["group"]: g["accesses"] for g in d["groups"]["rows"]} == {
        g["id"]: g["accesses"] for g in p["groups"] if "accesses" in g} | {
        g["id"]: 0 for g in p["groups"] if "accesses" not in g}
    loops = [l for m in p["modules"] for f in m["functions"] for l in f.get("loops", [])]
    executed = sorted(l["iterations"] for l in loops if l.get("iterations"))
    assert sorted(l["iterations"] for l in d["loops"]["rows"]) == executed
    assert sum(r["objects"] + r["alive"] for r in d["lifetimes"]["rows"]) == sum(
        r.get("objects", 0) + r.get("alive", 0) for r in p.get("lifetimes", []))
    check_pages(p, d["pages"] or {"rows": [], "sources": []})
    uses = {(u["type"], u["field"]): u for u in p.get("fields", [])}
    for t in d["types"]["rows"]:
        for f in t["fields"]:
            use = uses.get((t["name"], f["name"]), {})
            if brief(t["name"]) and brief(f["name"]):
                assert f["loads"] == use.get("loads", 0), (t["name"], f)
        assert len(t["present"]["places"]) == len(t["fields"])
    check_streams(p, d)
    check_timeline(p, d["timeline"])
    refused = [r for r in d["decisions"]["rows"] if not r["take"] and not r["open"]]
    for r in refused:
        gate = r.get("gate")
        assert gate or r["reason"] in NO_NUMBER, r
        if gate:
            assert gate["value"] < gate["least"] if "least" in gate else gate["value"] > gate["most"], r
    counts = sum(c["count"] for c in d["decisions"]["counts"])
    assert counts == d["decisions"]["all"] >= len(d["decisions"]["rows"]) > 0


def check_timeline(p, timeline):
    all_ = [r for r in p.get("timeline", []) if "thread" not in r]
    assert (timeline is None) == (not all_)
    if all_:
        assert timeline["accesses"] == all_[0]["accesses"] and len(timeline["live"]) == 64
        assert [t["thread"] for t in timeline["threads"]] == [r["thread"] for r in p["timeline"] if "thread" in r]


def make_hostile(profile, new):
    p = json.load(open(profile))
    p.pop("index", None)
    names = iter(HOSTILE * 1000)
    p["program"]["name"] = next(names)
    for module in p["modules"]:
        for function in module["functions"]:
            function["linkage_name"] = function.get("linkage_name", function["name"])
            function["name"] = next(names)
            for site in function["sites"]:
                site["expression"] = next(names)
    for group in p["groups"]:
        group["type"] = next(names)
    p["pages"] += [{**row, "source": "pmu"} for row in p["pages"][:1]]
    json.dump(p, open(new, "w"))


{"same": same, "make-hostile": make_hostile}[sys.argv[1]](*sys.argv[2:])
