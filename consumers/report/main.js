// main.js - the frame around the views: title, navigation, theme.
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
(function () {
  const { el, data, short } = report;
  const order = ["answer", "decisions", "memory", "source", "types", "loops", "timeline", "streams", "regularity", "pages", "changes", "run"];
  const views = report.views.sort((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const main = document.getElementById("main"), links = document.getElementById("views");

  document.getElementById("title").textContent = report.clean(data.run.program || data.run.profile);
  document.getElementById("subtitle").textContent =
    `${short(data.run.accesses)} accesses to ${short(data.run.objects)} objects, ${data.run.threads} thread${data.run.threads === 1 ? "" : "s"}, mode ${data.run.mode}` +
    (data.run.complete ? "" : ", incomplete") + (data.run.started ? "; " + report.clean(data.run.started) : "");
  for (const v of views) {
    const badge = typeof v.badge === "number" ? short(v.badge) : v.badge || "";
    links.append(el("li", {}, el("a", { href: "#" + v.id, id: "to-" + v.id }, v.title, el("span", { class: "badge" }, badge))));
  }

  // Views that are part of others now, for links from before.
  const moved = { objects: "memory/objects" };
  function show() {
    const [place, state] = location.hash.slice(1).split("?");
    const [id, ...path] = (moved[place] || place).split("/");
    const view = views.find((v) => v.id === id) || views[0];
    for (const v of views) {
      const link = document.getElementById("to-" + v.id);
      if (v === view) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
      // On a phone the links are one row.
      if (v === view) links.parentNode.scrollLeft = link.offsetLeft - 20;
    }
    main.replaceChildren(el("h2", {}, view.title), el("p", { class: "lead" }, view.lead));
    main.setAttribute("data-view", view.id);
    if (!path.length) window.scrollTo(0, 0);
    report.address.open(path.length ? [view.id, ...path].join("/") : view.id, state);
    view.show(main, path);
    if (view.id === "types" && path.length) document.getElementById("type").scrollIntoView();
  }
  window.addEventListener("hashchange", show);

  const themes = ["system", "light", "dark"], button = document.getElementById("theme");
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let theme = 0;
  function set_theme() {
    const dark = themes[theme] === "dark" || (themes[theme] === "system" && system.matches);
    document.documentElement.classList.toggle("dark", dark);
    button.textContent = "Theme: " + themes[theme];
  }
  button.addEventListener("click", () => { theme = (theme + 1) % themes.length; set_theme(); });
  system.addEventListener("change", set_theme);
  set_theme();
  show();
})();
