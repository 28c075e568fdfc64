// charts.js - bars, ranges, treemaps and records, drawn as plain HTML and SVG.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each has a name for those who do not see it, and stands beside a table with its numbers.
"use strict";

// parts: [[class, value, label]]; whole: what the full width represents.
report.bar = function (parts, whole) {
  const text = parts.map(([, value, label]) => label + " " + report.percent(report.share(value, whole))).join(", ");
  return report.el("div", { class: "bar", role: "img", "aria-label": text, title: text },
    parts.map(([kind, value]) => report.el("i", { class: kind, style: `width:${100 * report.share(value, whole)}%` })));
};
report.legend = function (entries) {
  return report.el("div", { class: "legend", "aria-hidden": "true" }, entries.map(([kind, label]) =>
    report.el("span", {}, report.el("i", { class: kind }), label)));
};

// values: misses of caches of growing sizes; the bar of number CHOSEN is marked.
report.curve = function (values, chosen, label) {
  const { el } = report;
  const most = Math.max(...values.map(report.value), 1), height = 18, step = 5;
  return el("svg", { class: "curve", viewBox: `0 0 ${values.length * step} ${height}`, role: "img", "aria-label": label },
    values.map((v, i) => {
      const h = report.value(v) > 0 ? Math.max(report.value(v) / most * height, 1) : 0;
      return el("rect", { x: i * step, y: height - h, width: step - 1, height: h, class: i === chosen ? "f-bad" : "f-dim" });
    }));
};

// Horizontal bars from a line at VALUE 0: [{label, value, text, kind}].
report.signed_bars = function (rows, label) {
  const { el } = report;
  const width = 1000, left = 380, right = 120, height = 22;
  const most = Math.max(...rows.map((r) => Math.abs(r.value)), 1);
  const grows = rows.some((r) => r.value > 0), shrinks = rows.some((r) => r.value < 0);
  const room = width - left - right - (shrinks ? right : 0);
  const zero = left + (shrinks ? right + (grows ? room / 2 : room) : 0);
  const scale = (grows && shrinks ? room / 2 : room) / most;
  const svg = el("svg", { class: "chart", viewBox: `0 0 ${width} ${rows.length * height + 4}`, role: "img", "aria-label": label });
  rows.forEach((row, i) => {
    const y = i * height + 3, size = Math.max(Math.abs(row.value) * scale, 1), up = row.value >= 0;
    svg.append(
      el("text", { x: left - 10, y: y + 13, "text-anchor": "end" }, report.fit(row.label, 52)),
      el("rect", { x: up ? zero : zero - size, y, width: size, height: height - 6, rx: 2, class: "f-" + row.kind }),
      el("text", { x: up ? zero + size + 6 : zero - size - 6, y: y + 13, "text-anchor": up ? "start" : "end", class: "soft" }, row.text));
  });
  svg.append(el("line", { x1: zero, x2: zero, y1: 0, y2: rows.length * height, class: "axis" }));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, svg);
};
// TEXT with at most N characters, its middle left out.
report.fit = function (text, n) {
  text = report.clean(text);
  return text.length <= n ? text : text.slice(0, Math.ceil(n / 2) - 1) + "\u2026" + text.slice(-(Math.floor(n / 2) - 1));
};

// Ranges on a logarithmic axis: [{label, min, mean, max}].
report.ranges = function (rows, label, unit) {
  const { el } = report;
  const width = 1000, left = 380, right = 30, height = 22;
  const low = Math.max(Math.min(...rows.map((r) => r.min)), 1), high = Math.max(...rows.map((r) => r.max), 10);
  const from = Math.floor(Math.log10(low)), to = Math.max(Math.ceil(Math.log10(high)), from + 1);
  const x = (v) => left + (Math.log10(Math.max(v, 1)) - from) / (to - from) * (width - left - right);
  const bottom = rows.length * height + 4;
  const svg = el("svg", { class: "chart", viewBox: `0 0 ${width} ${bottom + 34}`, role: "img", "aria-label": label });
  for (let e = from; e <= to; e++) svg.append(
    el("line", { x1: x(10 ** e), x2: x(10 ** e), y1: 0, y2: bottom, class: "axis" }),
    el("text", { x: x(10 ** e), y: bottom + 14, "text-anchor": "middle", class: "soft" }, report.short(10 ** e)));
  svg.append(el("text", { x: (left + width) / 2, y: bottom + 30, "text-anchor": "middle", class: "soft" }, unit));
  rows.forEach((row, i) => {
    const y = i * height + 12;
    svg.append(el("text", { x: left - 14, y: y + 4, "text-anchor": "end" }, report.fit(row.label, 52)),
      el("line", { x1: x(row.min), x2: x(row.max), y1: y, y2: y, class: "s-line" }),
      el("circle", { cx: x(row.mean), cy: y, r: 5, class: "f-bad" }));
  });
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, svg);
};

// Squarified treemap (Bruls, Huizing, van Wijk 2000): [{label, value, href, text, share}]. Drawn in the
// pixels that it has, so that its letters are as large as others; anew when these change.
report.treemap = function (items, label) {
  const box = report.el("div", { class: "treemap" });
  let drawn = 0;
  const draw = () => {
    const width = Math.round(box.clientWidth);
    if (!width || width === drawn) return;
    drawn = width;
    box.replaceChildren(report.tiles(items, label, width, width < 600 ? 420 : 300));
  };
  new ResizeObserver(draw).observe(box);
  return box;
};
report.tiles = function (items, label, width, height) {
  const { el } = report;
  const svg = el("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": label });
  let rest = items.filter((i) => i.value > 0).sort((a, b) => b.value - a.value);
  let x = 0, y = 0, w = width, h = height, left = rest.reduce((s, i) => s + i.value, 0);
  const worst = (row, sum, side, area) => {
    const thick = sum * area / side;
    return Math.max(...row.map((i) => { const l = i.value * area / thick; return Math.max(l / thick, thick / l); }));
  };
  while (rest.length) {
    const area = w * h / left, side = Math.min(w, h);
    const row = [rest[0]];
    let sum = rest[0].value;
    while (row.length < rest.length) {
      const next = rest[row.length];
      if (worst([...row, next], sum + next.value, side, area) > worst(row, sum, side, area)) break;
      row.push(next);
      sum += next.value;
    }
    const thick = sum * area / side;
    let at = 0;
    for (const item of row) {
      const length = item.value * area / thick;
      const box = w >= h ? [x, y + at, thick, length] : [x + at, y, length, thick];
      svg.append(report.tile(item, box));
      at += length;
    }
    if (w >= h) { x += thick; w -= thick; } else { y += thick; h -= thick; }
    left -= sum;
    rest = rest.slice(row.length);
  }
  return svg;
};
// TEXT in lines of at most N characters; a word that is longer loses its middle.
report.wrap = function (text, n) {
  const lines = [];
  for (const word of report.clean(text).split(" ").map((w) => report.fit(w, n))) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + 1 + word.length <= n) lines[lines.length - 1] = last + " " + word;
    else lines.push(word);
  }
  return lines;
};
report.tile = function (item, [x, y, width, height]) {
  const { el } = report;
  const lightness = 0.28 + 0.5 * (item.heat || 0);
  const letters = Math.floor((width - 10) / 6.6), room = Math.floor((height - 5) / 15);
  // "calloc at src/a.c:3" without its folders; the figures where all of them find room.
  const name = letters < 7 ? [] : report.wrap(item.label.replace(/[^\s/(]*\//g, ""), letters);
  const figures = letters < 12 ? [] : report.wrap(item.text, letters);
  const lines = name.length + figures.length <= room ? [...name, ...figures] : name.slice(0, room);
  return el("a", { svg: true, href: item.href },
    el("title", { svg: true }, item.label + "\n" + item.text),
    el("rect", { x, y, width, height, fill: "var(--load)", "fill-opacity": lightness }),
    lines.map((line, i) => el("text", { x: x + 6, y: y + 16 + 15 * i, fill: "var(--text)", "aria-hidden": "true" }, line)));
};

// The lines of a record's cache: fields are [{name, offset, bytes, heat 0..1, text}].
report.record = function (fields, bytes, label) {
  const { el } = report;
  const lines = Math.max(Math.ceil(bytes / 64), 1), shown = Math.min(lines, 16);
  const box = el("div", { class: "record", role: "img", "aria-label": label });
  for (let line = 0; line < shown; line++) {
    const strip = el("div", { class: "bytes" });
    for (const f of fields) {
      const from = Math.max(f.offset, line * 64), to = Math.min(f.offset + Math.max(f.bytes, 1), line * 64 + 64);
      if (from >= to) continue;
      strip.append(el("div", { class: "field", title: f.name + ": " + f.text,
        style: `left:${(from - line * 64) / .64}%;width:${(to - from) / .64}%;` +
          `background:color-mix(in srgb, var(--irregular) ${Math.round(f.heat * 75)}%, var(--page))` }, f.name));
    }
    box.append(el("div", { class: "cacheline" }, el("span", {}, "byte " + line * 64), strip));
  }
  if (shown < lines) box.append(el("div", { class: "dim" }, `and ${lines - shown} more lines`));
  return box;
};
