# page.py - the pages of the evaluation: tables, figures by gnuplot, verdicts from numbers.
# SPDX-License-Identifier: GPL-3.0-or-later
"""An Item is one table or figure of a paper, with claims. A claim is a sentence and whether our numbers
bear it out; the verdict of an item follows from its claims, and nothing else says so."""
import dataclasses
import os
import re
import shutil
import subprocess

VERDICTS = ("holds", "holds in part", "does not hold", "not measurable here")


@dataclasses.dataclass
class Item:
    number: str         # "Table 1"
    title: str
    ours: str           # one line each, for the overview
    theirs: str
    claims: list        # (sentence, True or False); none: not measurable here
    why: str = ""       # what differs, and why; or why it cannot be measured
    body: str = ""      # tables and figures

    def verdict(self):
        truths = [truth for _, truth in self.claims]
        if not truths:
            return VERDICTS[3]
        return VERDICTS[0] if all(truths) else VERDICTS[1] if any(truths) else VERDICTS[2]

    def anchor(self):
        heading = f"{self.number}: {self.title}"
        return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")

    def text(self):
        parts = [f"## {self.number}: {self.title}"]
        if self.body:
            parts.append(self.body.strip())
        if self.claims:
            parts.append(table(("claim", "borne out"), [(c, "yes" if t else "**no**") for c, t in self.claims]))
        parts.append(f"Verdict: **{self.verdict()}**." + (f" {self.why}" if self.why else ""))
        return "\n\n".join(parts)


@dataclasses.dataclass
class Page:
    name: str           # of the file, and for PAPER=
    title: str
    paper: str          # authors, title, place
    setting: str        # the paper's machine and programs, and ours
    items: list

    def text(self):
        head = (f"# {self.title}\n\n{self.paper}\n\n{self.setting.strip()}\n\n"
                f"`make evaluation PAPER={self.name}` writes this page. "
                "Figures and numbers of the paper are those that are known to us; where one is missing, it says so.")
        return "\n\n".join([head, *(item.text() for item in self.items)]) + "\n"


def number(x, digits=1):
    """With commas; as many digits after the point as small numbers need."""
    if x is None:
        return ""
    if isinstance(x, str):
        return x
    if isinstance(x, int) or abs(x) >= 1000:
        return f"{round(x):,}"
    return f"{x:.{digits if abs(x) >= 10 or x == 0 else max(digits, 2)}f}"


def percent(x, digits=1):
    return f"{100 * x:.{digits}f} %"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        if len(row) != len(head):
            raise ValueError(f"a row of {len(row)} cells below {len(head)} heads: {row}")
        lines.append("| " + " | ".join(number(cell) for cell in row) + " |")
    return "\n".join(lines)


# Figures.

class Figures:
    """Writes SVG files with gnuplot into FOLDER, and gives the line of a page that shows them."""

    COLOURS = ("#1b6ca8", "#d1721c", "#3f8f4f", "#8a4fa3", "#b33a3a", "#666666")

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.gnuplot = shutil.which("gnuplot")
        if not self.gnuplot:
            raise SystemExit("evaluation: gnuplot is missing, which draws the figures: apt-get install gnuplot-nox")

    def draw(self, name, title, commands, height=320):
        path = f"{self.folder}/{name}.svg"
        script = (f"set terminal svg size 720,{height} font 'Helvetica,12' background rgb 'white'\n"
                  f"set output '{path}'\nset title \"{title}\" noenhanced\nset grid ytics lc rgb '#dddddd'\n"
                  "set key outside right top noenhanced\nset border 3\nset tics nomirror\n"
                  "set xtics noenhanced\n" + commands)
        done = subprocess.run([self.gnuplot], input=script, text=True, capture_output=True)
        if done.returncode or not os.path.exists(path):
            raise SystemExit(f"evaluation: gnuplot: {done.stderr[-400:]}")
        with open(path, encoding="utf-8") as file:
            if file.read().count("<path") < 4:
                raise SystemExit(f"evaluation: {path} shows nothing")
        return f"![{title}](figures/{name}.svg)"

    def bars(self, name, title, ylabel, labels, series, extra="", height=320):
        """SERIES: name -> one value for each of LABELS."""
        blocks, plots = [], []
        for i, (what, values) in enumerate(series.items()):
            blocks.append(f"$d{i} << EOD\n" + "".join(f'"{l}" {v if v is not None else "?"}\n'
                                                      for l, v in zip(labels, values)) + "EOD\n")
            plots.append(f"$d{i} using 2:xtic(1) title \"{what}\" lc rgb '{self.COLOURS[i % 6]}'")
        turn = "set xtics rotate by -35\n" if max(map(len, labels)) > 6 or len(labels) > 10 else ""
        return self.draw(name, title, "".join(blocks) + f"set ylabel \"{ylabel}\" noenhanced\n{turn}{extra}"
                         "set style data histograms\nset style histogram clustered gap 1\n"
                         "set style fill solid 0.9 noborder\nset datafile missing '?'\n"
                         + ("set key off\n" if len(series) == 1 else "")
                         + ("" if "yrange" in extra else "set yrange [0:]\n") + "plot " + ", ".join(plots), height)

    def lines(self, name, title, xlabel, ylabel, series, extra="", style="lines lw 2", height=320):
        """SERIES: name -> pairs of x and y."""
        blocks, plots = [], []
        for i, (what, pairs) in enumerate(series.items()):
            blocks.append(f"$d{i} << EOD\n" + "".join(f"{x} {y}\n" for x, y in pairs) + "EOD\n")
            plots.append(f"$d{i} using 1:2 title \"{what}\" with {style} lc rgb '{self.COLOURS[i % 6]}'"
                         + (f" dt {1 + i // 6}" if "points pt" not in style else ""))
        return self.draw(name, title, "".join(blocks) + f"set xlabel \"{xlabel}\" noenhanced\nset ylabel \"{ylabel}\" noenhanced\n"
                         f"{extra}plot " + ", ".join(plots), height)


def overview(pages, machine, quick):
    """README.md of the folder."""
    counts = {v: sum(item.verdict() == v for p in pages for item in p.items) for v in VERDICTS}
    rows = []
    for page in pages:
        for item in page.items:
            rows.append((f"{page.title}", f"[{item.number}]({page.name}.md#{item.anchor()}): {item.title}",
                         f"`PAPER={page.name}`", item.ours, item.theirs, item.verdict()))
    claims = [(page.title, item.number, sentence, "yes" if truth else "**no**")
              for page in pages for item in page.items for sentence, truth in item.claims]
    parts = [
        "# Which claims of the papers hold today",
        "memprof implements the profilers of five papers. This folder repeats their tables and figures, on the papers' programs where "
        "these are free and on others of the same role elsewhere, beside the published numbers. "
        "A verdict is computed from claims: it *holds* if our numbers bear out each of them, *in part* if some. "
        "Where the numbers of a paper are not known to us, and beyond the papers, the claims are ours. Timed rows (PROMPT's, the chain, overheads) are of few "
        "programs on a virtual machine with two processors: they show orders of magnitude.",
        f"`make evaluation` in the build tree writes all of it, `make evaluation PAPER=leap` one page, `make evaluation-quick` small inputs "
        "into `build/evaluation/quick/doc`, which is no evidence but shows that everything works. "
        f"Debian's sources come with apt-get; gnuplot draws. This is of {machine}" + (". Small inputs." if quick else "."),
        table(("verdict", "tables and figures"), [(v, counts[v]) for v in VERDICTS]),
        "## Tables and figures",
        table(("paper", "table or figure", "make evaluation", "ours", "theirs", "verdict"), rows),
        "## Claim by claim",
        table(("paper", "where", "claim", "borne out"), claims)]
    return "\n\n".join(parts) + "\n"
