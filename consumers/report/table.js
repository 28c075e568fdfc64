// table.js - tables: sorted by a click, searched, shown page by page, walked with the arrows.
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";

// columns: [{title, value (row): what is sorted by and shown, show (row): text or element,
//            number, code, wide, place, tight: what the cell is like;
//            narrow_off, medium_off: left out on narrow screens, but for those who choose them}]
// options: {caption, search: bool, all: rows before the report cut them, sort: index, page,
//           filter (row)}
report.table = function (columns, rows, options) {
  options = options || {};
  const { el } = report;
  const kept = report.address.table();
  const state = { sort: -1, falling: true, text: kept.get("text"), shown: options.page || 50 };
  const body = el("tbody", {});
  const count = el("span", { class: "count", role: "status" });
  const more = el("button", { type: "button", class: "more", onclick: () => { state.shown += 500; fill(); } });
  const chooser = report.column_chooser(columns, kept, redraw);
  const header_class = (i) => (columns[i].number ? "number" : "") + chooser.class_of(i);
  const headers = columns.map((column, i) => el("th", { scope: "col", class: header_class(i) },
    el("button", { type: "button", onclick: () => sort_by(i) }, column.title)));
  const table = el("table", {}, el("caption", {}, options.caption || ""),
    el("thead", {}, el("tr", {}, headers)), body);

  const text_of = (row) => columns.map((c) => String(c.value(row))).join("\n").toLowerCase();

  function redraw() {
    headers.forEach((h, i) => { h.className = header_class(i); });
    fill();
  }
  function sort_by(i) {
    set_sort(i, state.sort === i ? !state.falling : Boolean(columns[i].number));
    kept.set("sort", (state.falling ? "-" : "") + (i + 1));
    fill();
  }
  function set_sort(i, falling) {
    state.falling = falling;
    state.sort = i;
    headers.forEach((h, k) => {
      if (k === i) h.setAttribute("aria-sort", falling ? "descending" : "ascending");
      else h.removeAttribute("aria-sort");
    });
  }

  function selected() {
    let found = rows;
    if (state.text) found = found.filter((row) => text_of(row).includes(state.text.toLowerCase()));
    if (options.filter) found = found.filter(options.filter);
    if (state.sort < 0) return found;
    const { value, number } = columns[state.sort];
    const sign = state.falling ? -1 : 1;
    return [...found].sort((a, b) => {
      const x = value(a), y = value(b);
      return sign * (number ? report.value(x) - report.value(y) : String(x).localeCompare(String(y)));
    });
  }

  function cell(column, i, row) {
    const shown = column.show ? column.show(row) : column.number ? report.grouped(column.value(row)) : column.value(row);
    return el("td", {
      class: ["number", "code", "wide", "place", "tight"].filter((kind) => column[kind]).join(" ") + chooser.class_of(i),
    }, shown);
  }

  function fill() {
    const found = selected();
    body.replaceChildren(...found.slice(0, state.shown).map((row, n) =>
      el("tr", { tabindex: n === 0 ? "0" : "-1" }, columns.map((c, i) => cell(c, i, row)))));
    const all = options.all && options.all > rows.length ? ` (of ${report.grouped(options.all)}; the first are in this report)` : "";
    count.hidden = !options.search;
    count.textContent = report.grouped(found.length) + (found.length === 1 ? " row" : " rows") + all;
    more.textContent = "Show more of the " + report.grouped(found.length) + " rows";
    more.hidden = found.length <= state.shown;
  }

  body.addEventListener("keydown", (event) => report.walk_rows(event, body));
  const controls = el("div", { class: "controls" });
  if (options.search) controls.append(el("input", {
    type: "search", placeholder: "Search", value: state.text, "aria-label": "Search in " + (options.caption || "the table"),
    oninput: (e) => { state.text = e.target.value; kept.set("text", state.text); fill(); },
  }));
  controls.append(count, chooser.element);
  controls.hidden = !options.search && chooser.element.hidden;
  const sorted = Number(kept.get("sort"));
  if (columns[Math.abs(sorted) - 1]) set_sort(Math.abs(sorted) - 1, sorted < 0);
  else if (options.sort !== undefined) set_sort(options.sort, Boolean(columns[options.sort].number));
  fill();
  const element = el("div", {}, controls,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": options.caption || "table" }, table), more);
  element.refill = fill;
  return element;
};

// Which columns are shown: on narrow screens some are not, unless the reader wants them, and it is
// said how many. KEPT has the choices, as "4,-6": the fourth is shown, the sixth is not. There is no
// choice where a table has few columns.
report.column_chooser = function (columns, kept, changed) {
  const { el } = report;
  const screens = { narrow_off: matchMedia("(max-width: 760px)"), medium_off: matchMedia("(max-width: 1500px)") };
  const chosen = new Map(kept.get("columns").split(",").map(Number).filter(Boolean).map((n) => [Math.abs(n) - 1, n > 0]));
  const fits = (i) => !Object.entries(screens).some(([name, screen]) => columns[i][name] && screen.matches);
  const shown = (i) => (chosen.has(i) ? chosen.get(i) : fits(i));
  const summary = el("summary", {});
  const boxes = columns.map((column, i) => el("input", {
    type: "checkbox", onchange: (e) => {
      if (e.target.checked === fits(i)) chosen.delete(i); else chosen.set(i, e.target.checked);
      kept.set("columns", [...chosen].map(([n, on]) => (on ? n + 1 : -n - 1)).join(","));
      say();
      changed();
    },
  }));
  function say() {
    const hidden = columns.filter((c, i) => !shown(i)).length;
    summary.textContent = hidden ? `Columns: ${hidden} of ${columns.length} are hidden` : "Columns";
    boxes.forEach((box, i) => { box.checked = shown(i); });
  }
  const element = el("details", { class: "columns", hidden: columns.length < 5 }, summary,
    el("div", {}, columns.map((column, i) => el("label", {}, boxes[i], " ", column.title))));
  function resized(event) {
    if (element.isConnected) say(); else event.target.removeEventListener("change", resized);
  }
  for (const screen of Object.values(screens)) screen.addEventListener("change", resized);
  say();
  return {
    element,
    class_of: (i) => (columns[i].narrow_off ? " narrow-off" : "") + (columns[i].medium_off ? " medium-off" : "") +
      (chosen.has(i) ? (chosen.get(i) ? " on" : " off") : ""),
  };
};

// Arrow keys, Home and End move between rows; Enter follows a row's first link.
report.walk_rows = function (event, body) {
  const row = event.target.closest("tr");
  if (!row || event.target.tagName === "INPUT") return;
  const step = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling,
    Home: body.firstElementChild, End: body.lastElementChild };
  if (event.key in step) {
    event.preventDefault();
    const next = step[event.key];
    if (!next) return;
    body.querySelectorAll("tr[tabindex='0']").forEach((r) => r.setAttribute("tabindex", "-1"));
    next.setAttribute("tabindex", "0");
    next.focus();
  } else if (event.key === "Enter" && event.target === row) {
    const link = row.querySelector("a");
    if (link) link.click();
  }
};
