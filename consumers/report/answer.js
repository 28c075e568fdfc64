// answer.js - the first view: for how much of its time the program waits, where, and what to do.
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
(function () {
  const { el, data, percent } = report;
  const answer = data.answer;

  function copy_button(text) {
    const button = el("button", { type: "button", class: "copy", "aria-label": "Copy: " + text }, "Copy");
    button.addEventListener("click", () => {
      const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
      if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => select(button));
      else select(button);
    });
    return button;
  }
  // A page from a file may not write to the clipboard: the reader copies what is selected.
  function select(button) {
    getSelection().selectAllChildren(button.previousElementSibling);
  }
  const command = (text) => el("div", { class: "command" }, el("code", {}, text), copy_button(text));

  function cause_item(cause) {
    return el("li", { class: "cause" },
      el("div", { class: "head" }, el("b", {}, percent(cause.share)), " ",
        report.source_link(cause, cause.file + ":" + cause.line), " ",
        el("span", { class: "name" }, report.fit(cause.within, 70))),
      report.bar([["irregular", cause.share, "waits"]], 1),
      el("p", {}, el("code", {}, report.fit(cause.expression || "access", 80)), ": ", cause.why, cause.called.length ? "; called in " + cause.called.slice(0, 3).join(", ") : ""),
      el("ul", {}, cause.remedies.map((r) => el("li", {}, r.what,
        r.command && r.command !== answer.rebuild ? command(r.command) : null))));
  }

  // Rows of boxes: each below the one that it is in, as wide as its share of the time.
  function icicle(root) {
    const height = 22, levels = [];
    const place = (node, depth, left) => {
      (levels[depth] = levels[depth] || []).push([node, left]);
      let next = left;
      for (const child of node[2]) { place(child, depth + 1, next); next += child[1]; }
    };
    place(root, 0, 0);
    const whole = root[1] || 1;
    const box = ([node, left], depth) => el("span", {
      class: "box depth" + depth % 4 + (node[1] / whole > 0.03 ? "" : " thin"), style: `left:${100 * left / whole}%;width:${100 * node[1] / whole}%;top:${depth * height}px`,
      title: `${node[0]}: waits for ${percent(node[1])} of the time`,
    }, node[1] / whole > 0.03 ? node[0] : "");
    return el("div", { class: "icicle", role: "img", style: `height:${levels.length * height}px`,
      "aria-label": "Functions, inlined functions, loops and accesses by the time that they wait for memory" },
    levels.flatMap((nodes, depth) => nodes.map((n) => box(n, depth))));
  }

  report.add_view({
    id: "answer", title: "Answer", badge: answer.known ? percent(answer.waits) : "",
    lead: "What is slow, why, and what to do. The time is a model: misses of the profile, what overlaps, and a cycle for each access.",
    show(main) {
      if (!answer.known) {
        main.append(el("p", {}, "No misses were modelled in this profile (module cache), so it has no answer; the other views have what there is."));
        return;
      }
      main.append(report.cards([
        [percent(answer.waits), "of the time waits for memory"],
        [percent(answer.waits_least) + " to " + percent(answer.waits_most), "95 % interval of the misses"],
        [String(answer.causes.length), "lines make most of it"],
      ]));
      main.append(el("h3", {}, "Where, why, and what helps"));
      if (!answer.causes.length) main.append(el("p", {}, "No line waits for 1 % of the time or more."));
      main.append(el("ol", { class: "causes" }, answer.causes.map(cause_item)));
      if (answer.notes.length) main.append(el("ul", {}, answer.notes.map((text) => el("li", {}, text))));
      main.append(el("h3", {}, "Rebuild"), el("p", { class: "dim" }, "What the rebuild does needs this one command."), command(answer.rebuild));
      if (answer.tree[2].length) main.append(el("h3", {}, "What waits"),
        el("p", { class: "dim" }, "From the program down to functions, functions that are inlined there, loops and accesses; the width is the time that waits."),
        icicle(answer.tree));
      const timeline = report.timeline(false);
      if (timeline) main.append(el("h3", {}, "Over the run"), timeline);
    },
  });
})();
