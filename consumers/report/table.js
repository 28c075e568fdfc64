// table.js - tables: sorted by a click, searched, shown page by page, walked with the arrows.
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";

// columns: [{title, value (row): what is sorted by and shown, show (row): text or element,
//            number, code, wide, place, tight: what the cell is like;
//            narrow_off, medium_off: left out on narrow screens}]
// options: {caption, search: bool, all: rows before the report cut them, sort: index, page,
//           filter (row)}
report.table = function (columns, rows, options) {
  options = options || {};
  const { el } = report;
  const state = { sort: -1, falling: true, text: "", shown: options.page || 50 };
  const body = el("tbody", {});
  const count = el("span", { class: "count", role: "status" });
  const more = el("button", { type: "button", class: "more", onclick: () => { state.shown += 500; fill(); } });
  const left_out = (column) => (column.narrow_off ? " narrow-off" : "") + (column.medium_off ? " medium-off" : "");
  const headers = columns.map((column, i) => el("th",
    { scope: "col", class: (column.number ? "number" : "") + left_out(column) },
    el("button", { type: "button", onclick: () => sort_by(i) }, column.title)));
  const table = el("table", {}, el("caption", {}, options.caption || ""),
    el("thead", {}, el("tr", {}, headers)), body);

  const text_of = (row) => columns.map((c) => String(c.value(row))).join("\n").toLowerCase();

  function sort_by(i) {
    state.falling = state.sort === i ? !state.falling : Boolean(columns[i].number);
    state.sort = i;
    headers.forEach((h, k) => {
      if (k === i) h.setAttribute("aria-sort", state.falling ? "descending" : "ascending");
      else h.removeAttribute("aria-sort");
    });
    fill();
  }

  function selected() {
    let found = rows;
    if (state.text) found = found.filter((row) => text_of(row).includes(state.text));
    if (options.filter) found = found.filter(options.filter);
    if (state.sort < 0) return found;
    const { value, number } = columns[state.sort];
    const sign = state.falling ? -1 : 1;
    return [...found].sort((a, b) => {
      const x = value(a), y = value(b);
      return sign * (number ? report.value(x) - report.value(y) : String(x).localeCompare(String(y)));
    });
  }

  function cell(column, row) {
    const shown = column.show ? column.show(row) : column.number ? report.grouped(column.value(row)) : column.value(row);
    return el("td", {
      class: ["number", "code", "wide", "place", "tight"].filter((kind) => column[kind]).join(" ") +
        left_out(column),
    }, shown);
  }

  function fill() {
    const found = selected();
    body.replaceChildren(...found.slice(0, state.shown).map((row, i) =>
      el("tr", { tabindex: i === 0 ? "0" : "-1" }, columns.map((c) => cell(c, row)))));
    const all = options.all && options.all > rows.length ? ` (of ${report.grouped(options.all)}; the first are in this report)` : "";
    count.hidden = !options.search;
    count.textContent = report.grouped(found.length) + (found.length === 1 ? " row" : " rows") + all;
    more.textContent = "Show more of the " + report.grouped(found.length) + " rows";
    more.hidden = found.length <= state.shown;
  }

  body.addEventListener("keydown", (event) => report.walk_rows(event, body));
  const controls = el("div", { class: "controls" });
  if (options.search) controls.append(el("input", {
    type: "search", placeholder: "Search", "aria-label": "Search in " + (options.caption || "the table"),
    oninput: (e) => { state.text = e.target.value.toLowerCase(); fill(); },
  }));
  controls.append(count);
  controls.hidden = !options.search;
  if (options.sort !== undefined) sort_by(options.sort); else fill();
  const element = el("div", {}, controls,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": options.caption || "table" }, table), more);
  element.refill = fill;
  return element;
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
