// views.js - decisions, hot memory, loops, regularity, pages, changes and the run.
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
(function () {
  const { el, data, grouped, short, bytes, percent, share, value } = report;
  const sum = (rows, get) => rows.reduce((s, r) => s + value(get(r)), 0);

  // --- Decisions -------------------------------------------------------------------------
  function verdict(d) {
    if (d.take) return report.tag("good", "yes");
    return d.open ? report.tag("open", "needs code") : report.tag("dim", "no");
  }
  // The number that refused, and the limit that it misses or exceeds.
  const plain = (v) => (v && v < 100 ? Number(v.toPrecision(3)).toString() : short(v));
  function gate_cell(d) {
    if (d.take || d.open) return "";
    if (!d.gate) return el("span", { class: "dim" }, "no number");
    const limit = "least" in d.gate ? ` < ${plain(d.gate.least)}` : ` > ${plain(d.gate.most)}`;
    return [plain(d.gate.value) + limit, el("small", {}, d.gate.name)];
  }
  function measured_of(transformation) {
    const rows = report.verified && report.verified.transformations || [];
    return rows.find((r) => r.name === transformation);
  }
  function gain_text(m) {
    return m ? `${m.gain.toFixed(3)} [${m.low.toFixed(3)}, ${m.high.toFixed(3)}]` : "not measured";
  }
  function transformations_table() {
    const names = [...new Set(data.decisions.counts.map((c) => c.transformation))];
    const rows = names.map((name) => {
      const of = (test) => sum(data.decisions.counts.filter((c) => c.transformation === name && test(c)), (c) => c.count);
      return { name, taken: of((c) => c.take), open: of((c) => c.open), refused: of((c) => !c.take && !c.open) };
    });
    const all = (r) => r.taken + r.open + r.refused;
    return report.table([
      { title: "Transformation", value: (r) => r.name },
      { title: "Taken", value: (r) => r.taken, number: true },
      { title: "Needs the code", value: (r) => r.open, number: true },
      { title: "Refused", value: (r) => r.refused, number: true },
      { title: "Share", value: (r) => r.taken / all(r), show: (r) => report.bar([["taken", r.taken, "taken"],
        ["needs", r.open, "needs the code"], ["refused", r.refused, "refused"]], all(r)) },
      { title: "Measured gain [95 %]", value: (r) => (measured_of(r.name) || { gain: 0 }).gain, show: (r) => gain_text(measured_of(r.name)) },
    ], rows, { caption: "Decisions by transformation" });
  }
  function gates_table() {
    return report.table([
      { title: "Transformation", value: (r) => r.transformation },
      { title: "Gate", value: (r) => r.reason, code: true },
      { title: "Candidates", value: (r) => r.count, number: true },
      { title: "Outcome", value: (r) => r.take ? 0 : r.open ? 1 : 2, show: verdict },
    ], data.decisions.counts, { caption: "At which gate candidates end", sort: 2 });
  }
  function verify_part() {
    if (report.verified_error) return el("p", { class: "tag bad" }, "The file of --verify is no JSON: " + report.verified_error);
    if (!report.verified) return null;
    const rows = report.verified.transformations;
    return el("div", {}, el("h3", {}, "Measured by memprof verify"), report.table([
      { title: "Build", value: (r) => r.name },
      { title: "Decisions", value: (r) => r.taken, number: true },
      { title: "Gain", value: (r) => r.gain, show: (r) => r.gain.toFixed(3), number: true },
      { title: "95 % interval", value: (r) => r.low, show: (r) => r.low.toFixed(3) + " to " + r.high.toFixed(3) },
      { title: "With, s", value: (r) => r.seconds_with, show: (r) => r.seconds_with.toFixed(3), number: true },
      { title: "Without, s", value: (r) => r.seconds_without, show: (r) => r.seconds_without.toFixed(3), number: true },
      { title: "Verdict", value: (r) => r.loses ? "loses" : r.low > 1 ? "gains" : "no difference",
        show: (r) => r.loses ? report.tag("bad", "loses") : r.low > 1 ? report.tag("good", "gains") : report.tag("dim", "no difference") },
    ], rows, { caption: "Time without the transformation divided by time with it" }));
  }
  report.add_view({
    id: "decisions", title: "Decisions", badge: sum(data.decisions.counts.filter((c) => c.take), (c) => c.count),
    lead: data.decisions.compiled ? "What the compile did with the profile, and what it refused."
      : "What a rebuild with -fprofile-mem-use does, and why not more. What needs the code is decided by the compile; give its remarks with --decisions.",
    show(main) {
      const d = data.decisions;
      main.append(el("h3", {}, "By transformation"), transformations_table());
      const verified = verify_part();
      if (verified) main.append(verified);
      main.append(el("h3", {}, "Each decision"), report.table([
        { title: "Taken", value: (r) => r.take ? 0 : r.open ? 1 : 2, show: verdict, tight: true },
        { title: "Transformation", value: (r) => r.transformation + " " + r.reason, tight: true,
          show: (r) => [r.transformation, r.take || r.open ? null : el("small", {}, r.reason)] },
        report.place_column("Where"),
        { title: "What", value: (r) => r.expression, code: true },
        { title: "At most", value: (r) => r.gain, show: (r) => r.gain ? r.gain.toFixed(2) + " x" : "-", number: true, medium_off: d.rows.every((r) => !r.gain) },
        { title: "Gate compared", value: (r) => (r.gate ? r.gate.name + " " + r.gate.value : ""), show: gate_cell, tight: true },
        { title: "Why", value: (r) => r.text, wide: true },
      ], d.rows, { caption: "Decisions: taken, then those that need the code, then refusals", search: true, all: d.all, page: 25 }),
      el("h3", {}, "Gates"), gates_table());
    },
  });

  // --- Hot memory --------------------------------------------------------------------------
  const miss_columns = [["L2 misses", "l2"], ["Last level", "llc"], ["TLB", "tlb"]].map(([title, key]) => (
    { title, value: (r) => r[key], show: (r) => value(r[key]) ? report.estimate(r[key], r[key + "_error"]) : "-", number: true, medium_off: key !== "l2" }));
  // Misses in a cache of a size that the reader chooses: number N has 2^(15 + N) bytes.
  const cache = { chosen: 5, tables: [] };
  const bytes_of = (n) => bytes(2 ** (15 + n));
  const has_curves = data.groups.rows.some((g) => g.curve);
  const fits = (r) => r.curve.findIndex((v) => value(v) <= 0.05 * value(r.curve[0]));
  const fits_text = (r) => fits(r) < 0 ? "fits in none" : "fits in " + bytes_of(fits(r));
  const curve_columns = has_curves ? [{
    title: "In that cache", value: (r) => r.curve ? r.curve[cache.chosen] : 0, number: true, narrow_off: true,
    show: (r) => r.curve ? [el("div", {}, short(r.curve[cache.chosen]) + " ", report.curve(r.curve, cache.chosen, fits_text(r))), el("small", {}, fits_text(r))] : "-",
  }] : [];
  function cache_slider() {
    if (!has_curves) return null;
    const label = el("output", {});
    const draw = () => {
      const all = sum(data.groups.rows, (g) => g.curve ? g.curve[cache.chosen] : 0);
      label.textContent = `${bytes_of(cache.chosen)}: ${short(all)} misses of the objects below`;
      cache.tables.forEach((t) => t.refill());
    };
    cache.tables = [];
    setTimeout(draw);
    return el("div", { class: "controls" }, el("label", {}, "A cache of ", el("input", {
      type: "range", min: 0, max: 15, step: 1, value: cache.chosen, "aria-label": "Size of the cache, power of two",
      oninput: (e) => { cache.chosen = Number(e.target.value); draw(); },
    })), label);
  }
  const with_cache = (table) => { cache.tables.push(table); return table; };
  function source_href(row) {
    const index = report.function_index(row.function, row.file, row.line);
    return index < 0 ? "#memory/objects" : `#source/${index}/${row.line}`;
  }
  report.add_view({
    id: "memory", title: "Hot memory", badge: data.sites.all,
    lead: "Where accesses and modelled misses come from: sites of the source, and the objects they go to; what was allocated where, and how long it lived.",
    show(main, path) {
      const all = data.sites.executions, most = Math.max(...data.sites.rows.map((r) => value(r.executions)), 1);
      const groups = data.groups.rows.filter((g) => value(g.accesses) > 0);
      const misses = Math.max(...groups.map((g) => value(g.l2)), 1);
      if (groups.length > 2) main.append(el("h3", {}, "Objects by accesses"), report.treemap(groups.slice(0, 40).map((g) => ({
        label: g.name, value: value(g.accesses), heat: value(g.l2) / misses, href: source_href(g),
        text: `${short(g.accesses)} accesses, ${bytes(g.span)}, ${short(g.l2)} L2 misses`,
      })), "Objects: size by accesses, colour by misses of L2"), el("p", { class: "dim" }, "Size: accesses. Stronger colour: more misses of L2."));
      main.append(...[cache_slider()].filter(Boolean), el("h3", {}, "Sites"), with_cache(report.table([
        { title: "Executions", value: (r) => r.executions, number: true, show: (r) => report.estimate(r.executions, r.error * value(r.executions)) },
        { title: "Share", value: (r) => share(r.executions, all), number: true,
          show: (r) => [percent(share(r.executions, all)), report.bar([[r.kind, r.executions, r.kind]], most)] },
        { title: "Kind", value: (r) => r.kind, tight: true },
        ...miss_columns, ...curve_columns,
        report.place_column("Where"),
        { title: "Expression", value: (r) => r.expression, code: true },
        { title: "Stride", value: (r) => r.stride, narrow_off: true },
        { title: "Memory", value: (r) => r.memory, place: true, narrow_off: true },
      ], data.sites.rows, { caption: "Access sites", search: true, all: data.sites.all, page: 25 })),
      el("h3", { id: "objects" }, "Objects"), with_cache(objects_table()), el("h3", {}, "Lifetimes"), lifetimes(data.lifetimes.rows));
      if (path[0] === "objects") document.getElementById("objects").scrollIntoView();
    },
  });
  function objects_table() {
    const all = data.run.accesses;
    return report.table([
      { title: "Accesses", value: (r) => r.accesses, number: true, show: (r) => report.estimate(r.accesses, r.error * value(r.accesses)) },
      { title: "Share", value: (r) => share(r.accesses, all), number: true, show: (r) => percent(share(r.accesses, all)) },
      ...miss_columns, ...curve_columns,
      { title: "Objects", value: (r) => r.objects, number: true },
      { title: "Bytes in all", value: (r) => r.bytes, number: true, show: (r) => bytes(r.bytes), narrow_off: true },
      { title: "At most alive", value: (r) => r.span, number: true, show: (r) => bytes(r.span) },
      { title: "Memory", value: (r) => r.name, place: true, show: (r) => report.source_link(r, r.name) },
      { title: "Type", value: (r) => r.type, code: true, narrow_off: true },
    ], data.groups.rows, { caption: "Groups of objects: all that one allocation call or variable made", search: true, all: data.groups.all, page: 25 });
  }

  // --- Loops -------------------------------------------------------------------------------
  const stride_parts = (r) => [["unit", r.unit, "unit"], ["constant", r.constant, "constant"], ["irregular", r.irregular, "irregular"]];
  const stride_sum = (r) => value(r.unit) + value(r.constant) + value(r.irregular);
  function carried_text(r) {
    if (!r.carried.length) return r.advice ? null : el("span", { class: "dim" }, "nothing carried");
    const list = el("ul", { style: "margin:0;padding-left:1.1em" });
    for (const d of r.carried.slice(0, 3)) list.append(el("li", {},
      report.tag(d.reduction ? "open" : d.kind === "RAW" ? "bad" : "dim", d.reduction ? "reduction?" : d.kind), " ",
      el("span", { class: "code" }, d.source_expression || d.source), " \u2192 ", el("span", { class: "code" }, d.sink_expression || d.sink),
      ` ${short(d.count)} times, distance ${d.min === d.max ? grouped(d.min) : grouped(d.min) + " to " + grouped(d.max)}`));
    if (r.carried_all > 3) list.append(el("li", { class: "dim" }, `and ${r.carried_all - 3} more`));
    return list;
  }
  report.add_view({
    id: "loops", title: "Loops", badge: data.loops.all,
    lead: "How often loops run, how their accesses stride, and what one iteration hands to the next. Seen in these runs; another input may differ.",
    show(main) {
      main.append(report.legend([["unit", "unit: the same element or the next"], ["constant", "constant stride"], ["irregular", "irregular"]]),
        report.table([
          report.place_column("Loop"),
          { title: "Depth", value: (r) => r.depth + 1, number: true, narrow_off: true },
          { title: "Executions", value: (r) => r.executions, number: true },
          { title: "Entered", value: (r) => r.invocations, number: true, narrow_off: true, show: (r) => report.estimate(r.invocations, r.invocations_error * value(r.invocations)) },
          { title: "Iterations each", value: (r) => share(r.iterations, r.invocations), number: true, show: (r) => r.per_entry },
          { title: "Strides", value: (r) => share(r.unit, stride_sum(r)), number: true,
            show: (r) => stride_sum(r) ? report.bar(stride_parts(r), stride_sum(r)) : "-" },
          { title: "From iteration to iteration", value: (r) => r.advice + " " + r.carried.map((d) => d.kind).join(" "), wide: true,
            show: (r) => [r.advice ? el("div", {}, r.advice) : null, carried_text(r)] },
        ], data.loops.rows, { caption: "Loops, those with the most accesses first", search: true, all: data.loops.all, page: 25 }));
    },
  });

  // --- Lifetimes, in hot memory ------------------------------------------------------------
  function lifetimes(rows) {
    if (!rows.length) return el("p", { class: "dim" }, "How long objects live is in profiles made with the module lifetime (-fprofile-mem-modules=default,lifetime).");
    const unit = data.lifetimes.unit;
    const died = rows.filter((r) => value(r.objects) > 0);
    const top = Math.max(1, Math.ceil(Math.log10(Math.max(...rows.map((r) => value(r.max)), 10))));
    const box = el("div", {}), chart = el("div", {});
    const window_ = { from: 0, to: top };
    const inside = (r) => { const m = Math.log10(Math.max(value(r.mean), 1)); return m >= window_.from && m <= window_.to; };
    const label = el("output", { id: "window" });
    const table = report.table([
      { title: "Memory", value: (r) => r.group, place: true },
      { title: "Died", value: (r) => r.objects, number: true },
      { title: "Alive at the end", value: (r) => r.alive, number: true },
      { title: "Shortest", value: (r) => r.min, number: true },
      { title: "Mean", value: (r) => r.mean, number: true, show: (r) => short(r.mean) },
      { title: "Longest", value: (r) => r.max, number: true },
      { title: "In one iteration of", value: (r) => r.loop, show: (r) => r.loop + (r.always ? ", always" : "") },
      { title: "In one call of", value: (r) => r.function || "-", narrow_off: true },
    ], rows, { caption: `Lifetimes in ${unit}`, filter: inside, all: data.lifetimes.all });
    const slider = (key, name) => el("label", {}, name + " ", el("input", {
      type: "range", min: 0, max: top, step: 0.5, value: window_[key], "aria-label": `${name} mean lifetime, power of ten`,
      oninput: (e) => { window_[key] = Number(e.target.value); draw(); },
    }));
    function draw() {
      const chosen = died.filter(inside);
      label.textContent = `mean from ${short(10 ** window_.from)} to ${short(10 ** window_.to)} ${unit}: ` +
        `objects that died: ${grouped(sum(rows.filter(inside), (r) => r.objects))}`;
      chart.replaceChildren(chosen.length ? report.ranges(chosen.slice(0, 20).map((r) => (
        { label: r.group, min: value(r.min), mean: value(r.mean), max: value(r.max) })),
      `Shortest, mean and longest lifetime of ${Math.min(chosen.length, 20)} groups`, `lifetime in ${unit} (logarithmic); dot: mean`)
        : el("p", { class: "dim" }, "None in this window."));
      table.refill();
    }
    if (!died.length) return el("div", {}, el("p", { class: "dim" }, "All of them were alive at the end."), table);
    box.append(el("div", { class: "controls" }, slider("from", "From"), slider("to", "To"), label), chart, table);
    draw();
    return box;
  }

  // --- Regularity --------------------------------------------------------------------------
  report.add_view(data.regularity && {
    id: "regularity", title: "Regularity", badge: data.regularity.all,
    lead: "The share of references that belong to a stream: an arithmetic progression of addresses (Mohan et al., SC 2003).",
    show(main) {
      const kind = { regular: "unit", mixed: "constant", irregular: "irregular" };
      main.append(report.legend([["unit", "regular: above 80 %"], ["constant", "mixed"], ["irregular", "irregular: below 65 %"]]), report.table([
        { title: "Function", value: (r) => r.function, show: (r) => report.source_link(r, r.function) },
        { title: "References", value: (r) => r.references, number: true },
        { title: "Regular", value: (r) => r.regularity, number: true, show: (r) => percent(r.regularity) },
        { title: "Share", value: (r) => r.regularity, number: true, show: (r) => report.bar([[kind[r.class], r.regularity, r.class]], 1) },
        { title: "Class", value: (r) => r.class },
        { title: "Streams", value: (r) => r.streams, number: true },
        { title: "Mean length", value: (r) => r.length, number: true, show: (r) => short(r.length) },
        { title: "Mean step", value: (r) => r.step, number: true, show: (r) => short(r.step) + " B" },
        { title: "Pages", value: (r) => r.pages, number: true, show: (r) => short(r.pages) },
      ], data.regularity.rows, { caption: "Functions by references", search: true, all: data.regularity.all }));
    },
  });

  // --- Pages -------------------------------------------------------------------------------
  report.add_view(data.pages && {
    id: "pages", title: "Pages", badge: data.pages.all,
    lead: "Which objects make the processor walk its page tables and ask memory (Chen et al., ISPASS 2012). A share is of the figures of one source.",
    show(main) {
      const p = data.pages, several = p.sources.length > 1;
      const all = new Map(p.sources.map((s) => [s.name, s.walks]));
      const of_source = (r) => (value(all.get(r.source)) ? value(r.walks) / value(all.get(r.source)) : 0);
      const from = (s) => (several ? `, ${s.name}` : "");
      main.append(report.cards(p.sources.flatMap((s) => [
        [grouped(s.walks), "walks of page tables" + from(s)], [grouped(s.requests), "requests to memory" + from(s)]])), report.table([
        { title: "Memory", value: (r) => r.memory || "no known object" },
        { title: "Object", value: (r) => r.object, show: (r) => (r.object ? "number " + r.object : "others") },
        { title: "Accesses", value: (r) => r.accesses, number: true },
        { title: "Walks", value: (r) => r.walks, number: true },
        { title: "Share", value: of_source, number: true,
          show: (r) => [percent(of_source(r)), report.bar([["irregular", of_source(r), "share of all walks" + from({ name: r.source })]], 1)] },
        { title: "From memory", value: (r) => r.walk_dram, number: true },
        { title: "Requests", value: (r) => r.requests, number: true },
        { title: "Written back", value: (r) => r.written, number: true },
        { title: "Source", value: (r) => r.source, tight: true },
      ], p.rows, { caption: "Objects by walks", search: true, all: p.all }));
    },
  });

  // --- Changes -----------------------------------------------------------------------------
  report.add_view(data.changes && {
    id: "changes", title: "Changes", badge: sum(data.changes.subjects, (s) => s.changed),
    lead: "What grew and shrank since the older profile, largest first; the sites of changed functions are aligned.",
    show(main) {
      const c = data.changes, f = c.functions;
      main.append(el("p", {}, "Against ", el("span", { class: "code" }, c.old)),
        report.cards([[grouped(f.unchanged), "functions unchanged"], [grouped(f.changed), "changed"], [grouped(f.new), "new"], [grouped(f.vanished), "vanished"]]));
      for (const s of c.subjects) {
        const delta = (r) => value(r.after) - value(r.before);
        const signed = (r) => (delta(r) > 0 ? "+" : "") + grouped(delta(r));
        const name = s.name === "memory" ? "memory, bytes" : s.name;
        main.append(el("h3", {}, `${name}: ${grouped(s.before)} \u2192 ${grouped(s.after)}`));
        if (s.within_error) main.append(el("p", { class: "dim" }, `${grouped(s.within_error)} rows differ by no more than the error of sampling.`));
        if (!s.rows.length) { main.append(el("p", { class: "dim" }, "No change.")); continue; }
        main.append(report.signed_bars(s.rows.slice(0, 12).map((r) => ({
          label: (r.where ? r.where + " " : "") + r.what, value: delta(r), text: (delta(r) > 0 ? "+" : "") + short(delta(r)), kind: delta(r) > 0 ? "bad" : "good",
        })), `The largest changes of ${name}`), report.table([
          { title: "Change", value: delta, number: true, show: signed },
          { title: "Old", value: (r) => r.before, number: true },
          { title: "New", value: (r) => r.after, number: true },
          { title: "Presence", value: (r) => r.presence, tight: true, show: (r) => r.presence !== "both" ? report.tag("open", r.presence) : r.certain ? "" : report.tag("dim", "uncertain") },
          { title: "Where", value: (r) => r.where, place: true },
          { title: "Function", value: (r) => r.function, narrow_off: true },
          { title: "What", value: (r) => r.what, code: true },
        ], s.rows, { caption: `Changes of ${name}`, search: true, all: s.changed, page: 15 }));
      }
    },
  });

  // --- Run ---------------------------------------------------------------------------------
  report.add_view({
    id: "run", title: "Run", badge: data.run.complete ? "" : "!",
    lead: "What was measured, how, and what is missing.",
    show(main) {
      const r = data.run;
      if (!r.complete) main.append(el("p", { class: "tag bad" }, "The profile is incomplete: the program or its profile was cut off."));
      if (value(r.events_lost)) main.append(el("p", { class: "tag bad" }, grouped(r.events_lost) + " events could not be recorded."));
      main.append(report.cards([[short(r.accesses), "accesses"], [short(r.loads), "loads"], [short(r.stores), "stores"],
        [short(r.objects), "objects"], [grouped(r.threads), "threads"], [grouped(r.runs), "runs"], [r.duration_s.toFixed(2) + " s", "duration"]]));
      const facts = [["Profile", r.profile], ["Program", r.program], ["Command", r.command], ["Compiler", r.compiler], ["Target", r.target],
        ["Build id", r.build_id], ["Mode", r.mode + (r.share ? `: ${percent(r.share)} of the run in ${grouped(r.bursts)} bursts; counts are extrapolated` : "")],
        ["Started", r.started], ["Complete", r.complete ? "yes" : "no"], ["Events lost", grouped(r.events_lost)],
        ["Calls that may write unseen", grouped(r.external_calls)], ["Accesses", grouped(r.accesses)], ["Loads", grouped(r.loads)], ["Stores", grouped(r.stores)],
        ["Model of the caches", r.caches], ["Modules", grouped(r.modules)], ["Functions", grouped(r.functions)],
        ["Sites", grouped(r.sites)], ["Loops", grouped(r.loops)], ["memprof", r.tool]];
      main.append(report.table([{ title: "Fact", value: (x) => x[0] }, { title: "Value", value: (x) => x[1] || "-", wide: true }],
        facts, { caption: "The run and its program" }),
      el("h3", {}, "Tables"), report.table([
        { title: "Table", value: (t) => t.name, code: true },
        { title: "Rows", value: (t) => t.rows, number: true },
        { title: "Made", value: (t) => t.there, show: (t) => t.there ? report.tag("good", "there") : report.tag("dim", "not made") },
      ], r.tables, { caption: "Tables of profiling modules" }));
    },
  });
})();
