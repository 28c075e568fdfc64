// timeline.js - accesses, misses, live memory and threads over the run.
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
(function () {
  const { el, data, short, bytes, percent, value } = report;
  const t = data.timeline;
  const at = (i) => percent(i / t.accesses.length);
  const per_1000 = (i) => (value(t.accesses[i]) ? (1000 * value(t.misses[i]) / value(t.accesses[i])) : 0);

  // One bar for each slice. SHOW: the text of a value.
  function track(title, kind, values, show) {
    const most = Math.max(...values.map(value));
    return el("div", { class: "track" }, el("div", { class: "name" }, title, el("small", {}, "at most " + show(most))),
      el("div", { class: "slices", role: "img", "aria-label": `${title} over the run, at most ${show(most)} in a slice` },
        values.map((v, i) => el("i", { title: `${at(i)}: ${show(v)}` },
          el("b", { class: kind, style: `height:${most ? 100 * value(v) / most : 0}%` })))));
  }
  const thread_name = (row) => "Thread " + row.thread;

  // The tracks, one below the other; null: the profile has no timeline.
  report.timeline = function (with_threads) {
    if (!t) return null;
    const tracks = [track("Accesses", "load", t.accesses, short)];
    if (t.misses.some((v) => value(v))) tracks.push(track("Misses of the last level", "irregular", t.misses, short));
    if (t.live.some((v) => value(v))) tracks.push(track("Heap alive", "unit", t.live, bytes));
    if (with_threads) tracks.push(...t.threads.map((row) => track(thread_name(row), "constant", row.accesses, short)));
    return el("div", { class: "tracks" }, tracks, el("div", { class: "track" }, el("div", {}),
      el("div", { class: "ends" }, el("span", {}, "begin"), el("span", {}, t.clock), el("span", {}, "end"))));
  };

  report.add_view(t && {
    id: "timeline", title: "Timeline", badge: t.threads.length ? `${t.threads.length} threads` : "",
    lead: `What the program did from its begin to its end, in 64 slices of equal length. The clock counts ${t.clock}, so that equal runs look the same.`,
    show(main) {
      const slices = t.accesses.map((n, i) => i);
      const busy = (i) => t.threads.map((row) => [row.thread, report.share(row.accesses[i], t.accesses[i])]).filter(([, part]) => part > 0);
      main.append(report.timeline(true),
        el("p", { class: "dim" }, "Misses are those of the whole run, each site's where it was executed: many where sites that miss were executed."),
        report.table([
          { title: "From", value: (i) => i, number: true, show: at },
          { title: "Accesses", value: (i) => t.accesses[i], number: true },
          { title: "Last-level misses", value: (i) => t.misses[i], number: true },
          { title: "in 1000 accesses", value: per_1000, number: true, show: (i) => per_1000(i).toFixed(1) },
          { title: "At most alive", value: (i) => t.live[i], number: true, show: (i) => bytes(t.live[i]) },
          ...(t.threads.length ? [{ title: "By thread", value: (i) => busy(i).length, wide: true,
            show: (i) => busy(i).map(([thread, part]) => `${thread}: ${percent(part)}`).join(", ") }] : []),
        ], slices, { caption: "Slices of the run", page: 64 }));
    },
  });
})();
