// base.js - the data, elements, numbers and text that all views use.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The scripts are one after another in the page: each adds to the object `report`.
"use strict";
const report = { views: [] };

report.parse = function (id) {
  return JSON.parse(document.getElementById(id).textContent);
};
report.data = report.parse("data");
report.verified = null;
try {
  report.verified = report.parse("verified");
} catch (error) {
  report.verified_error = String(error);
}

// An integer: beyond 2^53 they are written as text.
report.value = function (v) {
  if (typeof v !== "string") return v;
  return v[0] === "-" ? -Number(BigInt(v.slice(1))) : Number(BigInt(v));
};
report.grouped = function (v) {
  const n = typeof v === "string" ? BigInt(v.replace("-", "")) : v;
  return (typeof v === "string" && v[0] === "-" ? "-" : "") + n.toLocaleString("en-US");
};
report.short = function (v) {
  let n = Math.abs(report.value(v)), unit = 0;
  const units = ["", " k", " M", " G", " T", " P", " E"];
  const sign = report.value(v) < 0 ? "-" : "";
  if (n < 10000) return sign + report.grouped(Math.round(n * 10) / 10);
  while (n >= 999.5 && unit < units.length - 1) { n /= 1000; unit++; }
  return sign + (n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : n.toFixed(0)) + units[unit];
};
report.bytes = function (v) {
  let n = report.value(v), unit = 0;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  while (n >= 1023.95 && unit < units.length - 1) { n /= 1024; unit++; }
  return (Math.round(n * 10) / 10) + " " + units[unit];
};
// COUNT, or of an estimate as many digits as HALF, half its interval, leaves, and +-, as count_text
// of consumers/cli/table.h. Grey: it is known to no better than a half.
report.estimate = function (count, half) {
  const n = report.value(count), error = report.value(half || 0);
  if (!error) return report.grouped(count);
  const step = Math.floor(Math.log10(Math.max(n, error, 1)) / 3), scale = 1000 ** (n + error < 1e4 ? 0 : step);
  const digits = Math.min(Math.max(Math.floor(Math.log10(10 * scale / error)), 0), 2);
  const suffix = scale === 1 ? "" : " " + " kMGTPE"[step];
  const rounded = (x) => report.grouped(Number((x / scale).toFixed(scale === 1 ? 0 : digits))) + suffix;
  if (error > n) return report.el("span", { class: "dim" }, "at most " + rounded(n + error));
  return report.el("span", { class: error > n / 2 ? "dim" : null }, rounded(n), report.el("small", {}, " \u00b1" + rounded(error)));
};
report.percent = (share) => (100 * share).toFixed(1) + " %";
report.share = (part, whole) => whole ? report.value(part) / report.value(whole) : 0;

// Text of the program: control characters, and those that turn the direction of writing,
// are shown as what they are.
report.clean = function (text) {
  return String(text).replace(
    // eslint-disable-next-line no-control-regex
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => "<U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + ">");
};

// el ("td", {class: "number"}, "text", child...): text is text, never HTML.
report.el = function (tag, attributes, ...children) {
  const svg = ["svg", "rect", "line", "circle", "text", "g"].includes(tag) || (attributes || {}).svg;
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
                      : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false || name === "svg") continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : report.clean(child));
  }
  return element;
};

report.place = (row) => row.file ? row.file + ":" + row.line + (row.column ? ":" + row.column : "") : "-";

// A link to the source view of FUNCTION in FILE, if it is there.
report.source_link = function (row, text) {
  const index = report.function_index(row.function, row.file, row.line);
  const shown = text === undefined ? report.place(row) : text;
  if (index < 0) return report.el("span", { class: "name" }, shown);
  return report.el("a", { href: "#source/" + index + "/" + row.line, class: "name" }, shown);
};

// The place of ROW with its function below it: what a column of a table says and shows.
report.place_column = (title) => ({
  title, place: true,
  value: (row) => report.place(row) + " " + row.function,
  show: (row) => [report.source_link(row),
    row.function === row.expression ? null : report.el("small", { class: "name" }, report.fit(row.function, 60))],
});

// The text of a line in the source view; empty: it is not there.
report.line_text = function (file, line) {
  const index = report.function_index("", file, line);
  const found = index < 0 ? [] : report.data.functions.rows[index].parts.filter((p) => p.file === file)
    .flatMap((p) => p.lines).filter(([number]) => number === line);
  return found.length ? found[0][1] : "";
};

// The position of a function in the source view: by name and a part with that line, then by
// name alone, then the first one with that line, into which the function was inlined.
report.function_index = function (name, file, line) {
  if (!report.by_name) {
    report.by_name = new Map();
    report.by_line = new Map();
    report.data.functions.rows.forEach((f, i) => {
      if (!report.by_name.has(f.name)) report.by_name.set(f.name, []);
      report.by_name.get(f.name).push(i);
      for (const part of f.parts)
        for (const [number] of part.lines) {
          const place = part.file + ":" + number;
          if (!report.by_line.has(place)) report.by_line.set(place, i);
        }
    });
  }
  const candidates = report.by_name.get(name) || [];
  for (const i of candidates)
    if (report.data.functions.rows[i].parts.some(
      (p) => p.file === file && p.lines.some((l) => l[0] === line))) return i;
  if (candidates.length === 1) return candidates[0];
  const inlined = report.by_line.get(file + ":" + line);
  return inlined === undefined ? -1 : inlined;
};

report.cards = function (entries) {
  return report.el("div", { class: "cards" }, entries.map(([value, label]) =>
    report.el("div", { class: "card" }, report.el("b", {}, value), report.el("span", {}, label))));
};
report.tag = (kind, text) => report.el("span", { class: "tag " + kind }, text);

// What the address says of the tables of the view that is open, so that a copied link shows them as
// they are: #memory?1sort=-2&2text=calloc has the first table sorted by its second column, falling,
// and the second one searched.
report.address = {
  view: "", state: new URLSearchParams(), tables: 0,
  open(view, state) {
    this.view = view;
    this.state = new URLSearchParams(state || "");
    this.tables = 0;
  },
  // For the next table of the view: what is kept of it by name.
  table() {
    const number = ++this.tables;
    return {
      get: (name) => this.state.get(number + name) || "",
      set: (name, text) => {
        if (text) this.state.set(number + name, text); else this.state.delete(number + name);
        const all = this.state.toString();
        history.replaceState(null, "", "#" + this.view + (all ? "?" + all : ""));
      },
    };
  },
};

// view ({id, title, badge, lead, show (element, path)}); null: this report has none.
report.add_view = function (view) {
  if (view) report.views.push(view);
};
