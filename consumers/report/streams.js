// streams.js - hot data streams: heat against packing, one stream member by member, what follows what.
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
(function () {
  const { el, data, grouped, short, percent, share, value } = report;
  const s = data.streams;
  // Positions in a member and in an edge: see consumers/cli/report/streams_view.cc.
  const PLACE = 0, OBJECT = 1, OFFSET = 2, BLOCK = 3, FROM = 0, TO = 1, TIMES = 2;
  const k_nodes = 16;  // of the graph that is drawn
  const place_of = (member) => s.places[member[PLACE]];
  const begin = (row) => place_of(row.members[0]);
  const label = (row) => row.number + ": " + report.place(begin(row));
  const percent_or = (v) => (v ? percent(v) : "-");

  // --- Heat and packing ----------------------------------------------------------------------
  function scatter(chosen) {
    const width = 1000, height = 340, left = 70, right = 20, bottom = 290, top = 14;
    const heats = [...s.rows.map((r) => value(r.heat)), ...s.points.map((p) => value(p[0]))];
    const from = Math.floor(Math.log10(Math.min(...heats))), to = Math.max(Math.ceil(Math.log10(Math.max(...heats))), from + 1);
    const x = (packing) => left + packing * (width - left - right);
    const y = (heat) => bottom - (Math.log10(heat) - from) / (to - from) * (bottom - top);
    const text = `Heat against packing of ${heats.length} streams; the table below has the numbers`;
    const svg = el("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text });
    for (let p = 0; p <= 100; p += 20) svg.append(
      el("line", { x1: x(p / 100), x2: x(p / 100), y1: top, y2: bottom, class: "axis" }),
      el("text", { x: x(p / 100), y: bottom + 18, "text-anchor": "middle", class: "soft" }, p + " %"));
    for (let e = from; e <= to; e++) svg.append(
      el("line", { x1: left, x2: width - right, y1: y(10 ** e), y2: y(10 ** e), class: "axis" }),
      el("text", { x: left - 8, y: y(10 ** e) + 4, "text-anchor": "end", class: "soft" }, short(10 ** e)));
    svg.append(el("text", { x: (left + width - right) / 2, y: bottom + 38, "text-anchor": "middle", class: "soft" }, "packing: blocks needed by blocks touched"),
      el("text", { x: left + 6, y: top + 14, class: "soft" }, "\u2191 heat"));
    for (const [heat, packing] of s.points) svg.append(el("circle", { cx: x(packing), cy: y(value(heat)), r: 3, class: "f-dim point" }));
    for (const row of [...s.rows].reverse()) svg.append(
      el("circle", { cx: x(row.packing), cy: y(value(row.heat)), r: row === chosen ? 9 : 5,
        class: "point " + (row === chosen ? "f-load chosen" : row.advice === "-" ? "f-good" : "f-bad"),
        onclick: () => { location.hash = "#streams/" + row.number; } },
      el("title", { svg: true }, `${label(row)}\nheat ${grouped(row.heat)}, packing ${percent(row.packing)}, advice ${row.advice}`)));
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": text }, svg);
  }
  function streams_table() {
    return report.table([
      { title: "Stream", value: (r) => r.number, number: true, show: (r) => el("a", { href: "#streams/" + r.number }, String(r.number)) },
      { title: "Heat", value: (r) => r.heat, number: true },
      { title: "Length", value: (r) => r.members.length, number: true },
      { title: "Times", value: (r) => r.times, number: true },
      { title: "Interval", value: (r) => r.interval, number: true, show: (r) => short(r.interval), medium_off: true },
      { title: "Packing", value: (r) => r.packing, number: true, show: (r) => percent_or(r.packing) },
      { title: "Clustered", value: (r) => r.clustered, number: true, show: (r) => percent_or(r.clustered), narrow_off: true },
      { title: "Advice", value: (r) => r.advice, tight: true },
      { title: "Begins at", place: true, value: (r) => report.place(begin(r)), show: (r) => report.source_link(begin(r)) },
      { title: "With", value: (r) => begin(r).memory, place: true, narrow_off: true },
    ], s.rows, { caption: "Streams by heat", search: true, all: s.all, page: 10 });
  }

  // --- One stream, member by member ------------------------------------------------------------
  // The members in their order from left to right; a line for each block that they lie in.
  function walk_chart(row, at) {
    const width = 1000, left = 90, right = 20, shown = Math.min(Math.max(...row.members.map((m) => m[BLOCK])), 24);
    const step = Math.min((width - left - right) / row.members.length, 60), height = shown * 20 + 30;
    const x = (i) => left + (i + .5) * step, y = (m) => 12 + (Math.min(m[BLOCK], shown) - .5) * 20;
    const text = `Blocks that stream ${row.number} touches, member by member`;
    const svg = el("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text });
    for (let b = 1; b <= shown; b++) svg.append(
      el("line", { x1: left, x2: left + step * row.members.length, y1: 12 + (b - .5) * 20, y2: 12 + (b - .5) * 20, class: "axis" }),
      b % Math.ceil(shown / 12) === 0 || b === 1
        ? el("text", { x: left - 8, y: 16 + (b - .5) * 20, "text-anchor": "end", class: "soft" }, (b === shown && row.blocks > shown ? "\u2265 " : "block ") + b) : "");
    row.members.forEach((m, i) => {
      if (i) svg.append(el("line", { x1: x(i - 1), y1: y(row.members[i - 1]), x2: x(i), y2: y(m), class: "s-thin" }));
    });
    row.members.forEach((m, i) => svg.append(el("circle", { cx: x(i), cy: y(m), r: i === at ? 8 : Math.min(5, step / 2), class: i === at ? "f-bad" : "f-load" },
      el("title", { svg: true }, `${i + 1}: ${report.place(place_of(m))} ${place_of(m).what}`))));
    svg.append(el("text", { x: left, y: height - 3, class: "soft" }, "first member \u2192 last"));
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": text }, svg);
  }
  function member_card(row, at) {
    const m = row.members[at], place = place_of(m), line = report.line_text(place.file, place.line);
    return el("div", { class: "member", role: "status" },
      el("b", {}, `Member ${at + 1} of ${row.members.length}`), " ", report.source_link(place),
      line ? el("pre", {}, line.trim()) : null,
      el("span", {}, `${place.kind} of `, el("span", { class: "code" }, place.what || "?"), `, object ${m[OBJECT]} of `,
        el("span", { class: "name" }, place.memory), `, offset ${m[OFFSET]}, block ${m[BLOCK]}`));
  }
  function one_stream(row) {
    let at = 0;
    const chart = el("div", {}), card = el("div", {});
    const step = (by) => el("button", { type: "button", onclick: () => go(at + by) }, by < 0 ? "Previous member" : "Next member");
    const buttons = [step(-1), step(1)];
    function go(to) {
      at = Math.min(Math.max(to, 0), row.members.length - 1);
      buttons[0].setAttribute("aria-disabled", String(at === 0));
      buttons[1].setAttribute("aria-disabled", String(at === row.members.length - 1));
      chart.replaceChildren(walk_chart(row, at));
      card.replaceChildren(member_card(row, at));
    }
    go(0);
    const numbered = row.members.map((m, i) => ({ m, i, place: place_of(m) }));
    return el("div", {}, el("h3", { id: "stream" }, `Stream ${row.number}, member by member`),
      el("p", { class: "dim" }, `Heat ${grouped(row.heat)}: ${row.members.length} references, ${grouped(row.times)} times` +
        (row.blocks ? `, in ${row.blocks} blocks where ${row.least} would do` : "") +
        (row.advice === "-" ? "." : `; advice ${row.advice}.`)),
      chart, el("div", { class: "controls" }, buttons), card,
      report.table([
        { title: "Member", value: (r) => r.i + 1, number: true },
        { title: "First accessed at", place: true, value: (r) => report.place(r.place), show: (r) => report.source_link(r.place) },
        { title: "What", value: (r) => r.place.what || "-", code: true },
        { title: "Memory", value: (r) => r.place.memory, place: true },
        { title: "Object", value: (r) => r.m[OBJECT], number: true },
        { title: "Offset", value: (r) => r.m[OFFSET], number: true },
        { title: "Block", value: (r) => r.m[BLOCK], number: true },
      ], numbered, { caption: `Members of stream ${row.number}`, page: 12 }));
  }

  // --- The flow graph --------------------------------------------------------------------------
  // The ends of the heaviest edges, in the order in which the program met the streams first.
  function drawn_nodes() {
    const nodes = new Set();
    for (const edge of s.edges) {
      const more = [edge[FROM], edge[TO]].filter((n) => !nodes.has(n)).length;
      if (nodes.size + (edge[FROM] === edge[TO] ? Math.min(more, 1) : more) <= k_nodes) nodes.add(edge[FROM]).add(edge[TO]);
    }
    return [...nodes].map((n) => s.rows[n - 1]).sort((a, b) => value(a.first) - value(b.first));
  }
  // Down the page on the right, back up on the left; thicker lines are followed more often.
  function flow_graph() {
    const nodes = drawn_nodes(), position = new Map(nodes.map((row, i) => [row.number, i]));
    const edges = s.edges.filter((e) => position.has(e[FROM]) && position.has(e[TO]));
    const width = 1000, axis = 620, gap = 34, height = nodes.length * gap + 10, y = (i) => 20 + i * gap;
    const most = Math.max(...edges.map((e) => value(e[TIMES])));
    const text = `Flow graph of ${nodes.length} streams; the table below has its edges`;
    const svg = el("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": text });
    const tip = (e) => el("title", { svg: true }, `${e[FROM]} \u2192 ${e[TO]}: ${grouped(e[TIMES])} times`);
    for (const e of [...edges].reverse()) {
      const a = position.get(e[FROM]), b = position.get(e[TO]), thick = 1 + 7 * value(e[TIMES]) / most;
      if (a === b) {
        svg.append(el("circle", { cx: axis + 16, cy: y(a) - 9, r: 8, class: "s-flow down", "stroke-width": thick }, tip(e)));
        continue;
      }
      const side = b > a ? 1 : -1, reach = axis + side * Math.min(40 + Math.abs(b - a) * 26, side > 0 ? 340 : 230);
      const x = axis + side * 7, tilt = side * 4;
      svg.append(el("path", { svg: true, d: `M ${x} ${y(a) + tilt} C ${reach} ${y(a)} ${reach} ${y(b)} ${x + side * 6} ${y(b) - tilt}`,
        class: "s-flow " + (side > 0 ? "down" : "up"), "stroke-width": thick }, tip(e)),
      el("path", { svg: true, d: `M ${x - side} ${y(b) - tilt} l ${side * 11} -5 l 0 10 z`, class: side > 0 ? "f-load" : "f-store" }));
    }
    nodes.forEach((row, i) => svg.append(
      el("circle", { cx: axis, cy: y(i), r: 6, class: "f-node", onclick: () => { location.hash = "#streams/" + row.number; } }),
      el("text", { x: axis - 250, y: y(i) + 4, "text-anchor": "end" }, report.fit(label(row), 52))));
    return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": text }, svg);
  }
  function flow_part() {
    if (!s.edges.length) return el("p", { class: "dim" }, "No two of the streams above follow each other.");
    const stream = (number) => el("a", { href: "#streams/" + number }, label(s.rows[number - 1]));
    return el("div", {},
      el("p", { class: "dim" }, "Streams in the order in which the program first met them. Right: on to a later one; left: back to an earlier one; a thicker line: more often."),
      flow_graph(), report.table([
        { title: "Times", value: (e) => e[TIMES], number: true },
        { title: "Of the first", value: (e) => share(e[TIMES], s.rows[e[FROM] - 1].times), number: true, show: (e) => percent(share(e[TIMES], s.rows[e[FROM] - 1].times)) },
        { title: "After", value: (e) => e[FROM], place: true, show: (e) => stream(e[FROM]) },
        { title: "Comes", value: (e) => e[TO], place: true, show: (e) => stream(e[TO]) },
      ], s.edges, { caption: "Which stream follows which", search: true, all: s.edges_all, page: 10 }));
  }

  report.add_view(s && {
    id: "streams", title: "Streams", badge: s.note ? "!" : s.all,
    lead: "Hot data streams: short sequences of references that come again and again in the same order (Chilimbi, PLDI 2001).",
    show(main, path) {
      if (s.note) { main.append(el("p", { class: "tag bad", id: "no-streams" }, "The streams are not here: " + s.note)); return; }
      main.append(report.cards([[grouped(s.all), "hot streams"], [percent(s.coverage), `of ${short(s.references)} references`],
        [s.spatial.toFixed(1), "mean length"], [short(s.temporal), "mean interval"], [percent(s.packing), "mean packing"]]));
      if (!s.rows.length) { main.append(el("p", { class: "dim" }, "No sequence comes often enough.")); return; }
      const row = s.rows[Math.min(Math.max(Number(path[0]) || 1, 1), s.rows.length) - 1];
      main.append(el("h3", {}, "Heat and packing"), report.legend([["refused", `not among the first ${s.rows.length}`], ["taken", "nothing to do"], ["bad", "to cluster or to fetch"], ["load", "chosen"]]),
        scatter(row), streams_table(), one_stream(row), el("h3", {}, "Which stream follows which"), flow_part());
      if (path.length) document.getElementById("stream").scrollIntoView();
    },
  });
})();
