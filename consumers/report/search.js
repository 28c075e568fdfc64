// search.js - one field that finds sites, functions, records and objects in all views.
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
(function () {
  const { el, data } = report;
  const most = 12;

  // [kind, text, where it leads]; of each kind the hottest first, as they are in the data.
  function entries() {
    const group_link = (g) => report.function_index(g.function, g.file, g.line);
    return [
      ...data.functions.rows.map((f, i) => ["function", f.name + "  " + f.file, `#source/${i}/0`]),
      ...data.types.rows.map((t, i) => ["record", t.name, `#types/${i}`]),
      ...data.sites.rows.map((s) => {
        const index = report.function_index(s.function, s.file, s.line);
        return [s.kind, `${s.expression}  ${report.place(s)}`, index < 0 ? "#memory" : `#source/${index}/${s.line}`];
      }),
      ...data.groups.rows.map((g) => ["objects", `${g.name}  ${g.type}`, group_link(g) < 0 ? "#memory" : `#source/${group_link(g)}/${g.line}`]),
    ];
  }

  let known = null;
  const list = el("ul", { class: "found", hidden: true });
  const field = el("input", { type: "search", id: "search", placeholder: "Search everything (/)", "aria-label": "Search everything", autocomplete: "off" });
  function fill() {
    const text = field.value.trim().toLowerCase();
    known = known || entries();
    const found = text ? known.filter(([, name]) => name.toLowerCase().includes(text)).slice(0, most) : [];
    list.hidden = !text;
    list.replaceChildren(...(found.length || !text ? found.map(([kind, name, href]) =>
      el("li", {}, el("a", { href }, el("small", {}, kind), " ", report.fit(name, 90)))) : [el("li", { class: "dim" }, "nothing is called so")]));
  }
  const close = () => { list.hidden = true; };
  field.addEventListener("input", fill);
  field.addEventListener("keydown", (e) => {
    if (e.key === "Escape") { field.value = ""; close(); }
    const first = list.querySelector("a");
    if (e.key === "Enter" && first) { location.hash = first.getAttribute("href"); close(); }
    if (e.key === "ArrowDown" && first) { e.preventDefault(); first.focus(); }
  });
  list.addEventListener("click", close);
  document.addEventListener("keydown", (e) => {
    if (e.key !== "/" || ["INPUT", "SELECT", "TEXTAREA"].includes(document.activeElement.tagName)) return;
    e.preventDefault();
    field.focus();
  });
  document.addEventListener("click", (e) => { if (!list.contains(e.target) && e.target !== field) close(); });
  document.getElementById("theme").before(el("div", { class: "finder" }, field, list));
})();
