// source.js - the source of a function with what each line costs; and records.
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
(function () {
  const { el, data, grouped, short, percent, share, value } = report;
  const functions = data.functions.rows;
  // Positions in a line: see consumers/cli/report/source_view.cc.
  const at = { number: 0, text: 1, loads: 2, stores: 3, l2: 4, llc: 5, tlb: 6, unit: 7, constant: 8, irregular: 9, flow: 10, carried: 11, inlined: 12, decisions: 13 };
  const count = (line, key) => value(line[at[key]] || 0);

  function stride_cell(line) {
    const all = count(line, "unit") + count(line, "constant") + count(line, "irregular");
    if (!all) return "";
    return report.bar([["unit", count(line, "unit"), "unit"], ["constant", count(line, "constant"), "constant"],
      ["irregular", count(line, "irregular"), "irregular"]], all);
  }
  function line_row(line, most, here, inlined) {
    const plain = line.length <= at.loads;
    const cost = plain ? 0 : count(line, "loads") + count(line, "stores");
    const cells = [["loads"], ["stores"], ["l2"], ["carried"]].map(([key]) =>
      el("td", { class: "number" + (key === "carried" ? " narrow-off" : "") }, plain || !count(line, key) ? "" : grouped(line[at[key]])));
    cells.splice(3, 0, el("td", { class: "narrow-off" }, plain ? "" : stride_cell(line)));
    if (inlined) cells.splice(3, 0, el("td", { class: "number narrow-off" }, plain || !count(line, "inlined") ? "" : grouped(line[at.inlined])));
    const columns = inlined ? 8 : 7;
    const rows = [el("tr", { class: (plain ? "plain" : "") + (here ? " here" : ""), id: here ? "here" : null, tabindex: plain ? null : "-1" }, cells,
      el("td", { class: "number heat", style: cost ? `--heat: color-mix(in srgb, var(--irregular) ${Math.round(20 + 80 * cost / most)}%, transparent)` : null }, line[at.number] ? String(line[at.number]) : "\u2013"),
      el("td", { class: "text" }, line[at.number] ? line[at.text] : "(code without a line)"))];
    for (const [kind, text] of plain ? [] : line[at.decisions] || [])
      rows.push(el("tr", { class: "note" }, el("td", { colspan: columns }, el("div", {},
        report.tag(["dim", "open", "good"][kind], ["no", "needs code", "yes"][kind]), " ", text))));
    return rows;
  }
  function part_table(part, line_wanted, file_heading) {
    const most = Math.max(...part.lines.map((l) => l.length > at.loads ? count(l, "loads") + count(l, "stores") : 0), 1);
    const inlined = part.lines.some((l) => l.length > at.loads && count(l, "inlined") > 0);
    const body = el("tbody", {});
    let last = 0;
    for (const line of part.lines) {
      if (last && line[0] > last + 1) body.append(el("tr", { class: "plain" }, el("td", { colspan: inlined ? 8 : 7 }, "\u22ee")));
      last = line[0];
      body.append(...line_row(line, most, line_wanted > 0 && line[0] === line_wanted, inlined));
    }
    const first = body.querySelector("tr[tabindex]");
    if (first) first.setAttribute("tabindex", "0");
    body.addEventListener("keydown", (e) => walk(e, body));
    const heads = [["Loads", "number"], ["Stores", "number"], ["L2 misses", "number"], ["Strides", "narrow-off"], ["Carried", "number narrow-off"], ["Line", "number"], ["Source", ""]];
    if (inlined) heads.splice(3, 0, ["Inlined", "number narrow-off"]);
    return el("div", {}, file_heading ? el("h3", { class: "code" }, part.file) : null,
      part.found ? null : el("p", { class: "dim" }, `${part.file} was not found when the report was made, or lies outside of the folders that it may show; expressions represent its text (option --source).`),
      el("div", { class: "source", role: "region", tabindex: "0", "aria-label": "Source of " + part.file }, el("table", {},
        el("thead", {}, el("tr", {}, heads.map(([t, c]) => el("th", { scope: "col", class: c }, t)))), body)));
  }
  // Up and down go from one line with costs to the next.
  function walk(event, body) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const rows = [...body.querySelectorAll("tr[tabindex]")];
    const next = rows[rows.indexOf(event.target.closest("tr")) + (event.key === "ArrowDown" ? 1 : -1)];
    if (!next) return;
    event.preventDefault();
    rows.forEach((r) => r.setAttribute("tabindex", r === next ? "0" : "-1"));
    next.focus();
  }
  function list(current) {
    const box = el("div", { class: "list", role: "navigation", "aria-label": "Functions" });
    const all = data.sites.executions;
    const fill = (text) => {
      const found = functions.map((f, i) => [f, i]).filter(([f]) => (f.name + " " + f.file).toLowerCase().includes(text));
      box.replaceChildren(...found.slice(0, 300).map(([f, i]) => el("a", { href: `#source/${i}/0`, "aria-current": i === current ? "true" : null },
        el("span", { class: "name" }, report.fit(f.name, 90)), el("small", {}, `${percent(share(f.accesses, all))}, ${short(f.l2)} L2 misses, ${f.file}:${f.line}`))));
    };
    fill("");
    return el("div", { class: "functions" }, el("div", { class: "controls" }, el("input", { type: "search", placeholder: "Search functions", "aria-label": "Search functions",
      oninput: (e) => fill(e.target.value.toLowerCase()) })), box,
    data.functions.all > functions.length ? el("p", { class: "dim" }, `${functions.length} of ${grouped(data.functions.all)} functions are in this report.`) : null);
  }
  // Lines with the most accesses, those of functions inlined there as well; the hottest first.
  function hot_lines(f) {
    const cost = (line) => line.length <= at.loads ? 0 : count(line, "loads") + count(line, "stores");
    return f.parts.flatMap((part) => part.lines).filter((line) => cost(line) > 0)
      .sort((a, b) => cost(b) - cost(a)).slice(0, 10).map((line) => line[at.number]);
  }
  report.add_view({
    id: "source", title: "Source", badge: data.functions.all,
    lead: "Executions, modelled misses, strides and decisions beside the source; the functions with the most accesses first.",
    show(main, path) {
      if (!functions.length) { main.append(el("p", {}, "No site was executed.")); return; }
      const index = Math.min(Number(path[0]) || 0, functions.length - 1);
      const f = functions[index], hot = hot_lines(f), wanted = Number(path[1]) || hot[0] || 0;
      const next = hot[(hot.indexOf(wanted) + 1) % hot.length];
      const right = el("div", {}, el("h3", { class: "name", style: "margin-top:0" }, f.name),
        report.legend([["unit", "unit"], ["constant", "constant stride"], ["irregular", "irregular"]]),
        el("p", { class: "dim" }, `${grouped(f.accesses)} accesses, ${grouped(f.l2)} modelled misses of L2. Carried: loads of what an earlier iteration wrote.`),
        hot.length > 1 ? el("p", {}, el("a", { href: `#source/${index}/${next}` }, "Next hot line")) : null);
      f.parts.forEach((part, i) => right.append(part_table(part, wanted, i > 0 || part.file !== f.file)));
      const alone = functions.length === 1;
      main.append(el("div", { class: alone ? "split alone" : "split" }, alone ? null : list(index), right));
      const here = right.querySelector("#here");
      if (here) { here.scrollIntoView({ block: "center" }); if (path[1] > 0) here.focus(); }
    },
  });

  // --- Types -------------------------------------------------------------------------------
  function layout(type, order, title) {
    const most = Math.max(...type.fields.map((f) => value(f.loads) + value(f.stores)), 1);
    const fields = order.places.map(([i, offset]) => {
      const f = type.fields[i], all = value(f.loads) + value(f.stores);
      return { name: f.name || "(base)", offset, bytes: f.bytes, heat: all / most, text: `${grouped(all)} accesses, ${f.bytes} bytes at ${offset}` };
    });
    return el("div", {}, el("h4", { style: "margin:.4rem 0" }, `${title}: ${order.bytes} bytes, ${order.padding} of padding, ${order.hot_lines} hot of ${order.lines} lines`),
      report.record(fields, order.bytes, `${title} of ${type.name}: ${order.hot_lines} of ${order.lines} lines hold most accesses`));
  }
  function fields_table(type) {
    const sharing = type.fields.some((f) => value(f.true_sharing) || value(f.false_sharing));
    return report.table([
      { title: "Offset", value: (f) => f.offset, number: true },
      { title: "Field", value: (f) => f.name || f.declaration, code: true },
      { title: "Bytes", value: (f) => f.bytes, number: true },
      { title: "Loads", value: (f) => f.loads, number: true },
      { title: "Stores", value: (f) => f.stores, number: true },
      { title: "L2 misses", value: (f) => f.misses, number: true },
      ...(sharing ? [{ title: "True sharing", value: (f) => f.true_sharing, number: true }, { title: "False sharing", value: (f) => f.false_sharing, number: true }] : []),
    ], type.fields, { caption: "Fields of " + report.fit(type.name, 80) });
  }
  report.add_view({
    id: "types", title: "Types", badge: data.types.all,
    lead: "Where the hot fields of records lie on 64-byte lines, now and in the proposed order. Stronger colour: more accesses.",
    show(main, path) {
      const types = data.types.rows;
      if (!types.length) { main.append(el("p", { class: "dim" }, "No site accesses a record type that the compiler described.")); return; }
      main.append(report.table([
        { title: "Type", value: (t) => t.name, place: true, show: (t) => el("a", { href: "#types/" + types.indexOf(t), class: "name" }, t.name) },
        { title: "Accesses", value: (t) => t.accesses, number: true },
        { title: "Bytes", value: (t) => t.bytes, number: true },
        { title: "Hot lines", value: (t) => t.present.hot_lines, number: true },
        { title: "Proposed", value: (t) => t.proposed ? t.proposed.hot_lines : 0, number: true, show: (t) => t.proposed ? t.proposed.hot_lines : "-" },
        { title: "Rebuild", value: (t) => t.reason, show: (t) => t.take ? report.tag("good", "reorders") : report.tag("dim", t.reason) },
        { title: "Why", value: (t) => t.text, wide: true, narrow_off: true },
      ], types, { caption: "Record types", search: true, all: data.types.all, page: 8 }));
      const type = types[Math.min(Number(path[0]) || 0, types.length - 1)];
      main.append(el("h3", { class: "name", id: "type" }, type.name),
        el("div", { class: "pair" }, layout(type, type.present, "As it is"), type.proposed ? layout(type, type.proposed, "Proposed") : null));
      if (!type.proposed) main.append(el("p", { class: "dim" }, "No better order: " + (type.proposal || "the hot fields lie together already") + "."));
      if (type.obstacles.length) main.append(el("p", {}, "Against moving fields: " + type.obstacles.join("; ") + "."));
      main.append(fields_table(type));
    },
  });
})();
