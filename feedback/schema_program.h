// schema_program.h - the fields of the JSON document that say what the program and the run were:
// all but the tables of profiling modules. Part of schema.h, which explains it.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "feedback/schema.h"

namespace memprof::feedback {

template <class V> void describe(V& v, Header& r) {
  v.text("format", r.format, Need::required);
  v.text("tool", r.tool, Need::optional);
}

template <class V> void describe(V& v, IndexRow& r) {
  v.text("file", r.file, Need::required);
  v.numbers(k_section_names[unsigned(Section::modules)], r.module);
  for (unsigned i = 0; i < k_tables; i++)
    v.numbers(k_section_names[k_first_table + i], r.tables[i], Need::optional);
}

template <class V> void describe(V& v, Index& r) {
  v.integer("body", r.body, Need::required);
  v.numbers(k_section_names[unsigned(Section::groups)], r.groups);
  for (unsigned i = 0; i < k_tables; i++)
    v.numbers(k_section_names[k_first_table + i], r.tables[i], Need::optional);
  v.rows(k_section_names[unsigned(Section::modules)], r.modules, Need::required);
}

template <class V> void describe(V& v, Program& r) {
  v.text("name", r.name, Need::required);
  v.text("build_id", r.build_id, Need::optional);
  v.text("compiler", r.compiler, Need::optional);
  v.text("target", r.target, Need::optional);
  v.text("command", r.command, Need::optional);
}

template <class V> void describe(V& v, ExternalFunction& r) {
  v.text("name", r.name, Need::required);
  v.integer("calls", r.calls, Need::required);
}

template <class V> void describe(V& v, Label& r) {
  v.text("name", r.name, Need::required);
  v.text("value", r.value, Need::optional);
}

template <class V> void describe(V& v, Run& r) {
  v.flag("complete", r.complete, Need::required);
  v.text("mode", r.mode, Need::required);
  v.integer("runs", r.runs, Need::required);
  v.integer("accesses", r.accesses, Need::required);
  v.integer("loads", r.loads, Need::required);
  v.integer("stores", r.stores, Need::required);
  v.integer("events_lost", r.events_lost, Need::required);
  v.integer("external_calls", r.external_calls, Need::required);
  v.integer("objects", r.objects, Need::required);
  v.integer("threads", r.threads, Need::required);
  v.ratio("duration_s", r.duration_s, Need::required);
  v.text("caches", r.caches, Need::optional);
  v.integer("windows", r.windows, Need::optional);
  v.integer("window_accesses", r.window_accesses, Need::optional);
  v.integer("bursts", r.bursts, Need::optional);
  v.integer("burst_length", r.burst_length, Need::optional);
  v.integer("burst_period", r.burst_period, Need::optional);
  v.ratio("share", r.share, Need::optional);
  v.text("pages", r.pages, Need::optional);
  v.rows("external_functions", r.external_functions, Need::optional);
  v.integer("start", r.start, Need::optional);
  v.text("host", r.host, Need::optional);
  v.rows("labels", r.labels, Need::optional);
}

template <class V> void describe(V& v, Loop& r) {
  v.id("id", r.id, Need::required);
  v.id("parent", r.parent, Need::optional);
  v.text("file", r.file, Need::optional);
  v.integer("line", r.line, Need::optional);
  v.integer("frame", r.frame, Need::optional);
  v.integer("invocations", r.invocations, Need::optional);
  v.integer("iterations", r.iterations, Need::optional);
  v.ratio("invocations_error", r.invocations_error, Need::optional);
  v.ratio("iterations_error", r.iterations_error, Need::optional);
}

template <class V> void describe(V& v, Frame& r) {
  v.integer("frame", r.frame, Need::optional);
  v.text("name", r.name, Need::required);
  v.text("file", r.file, Need::optional);
  v.integer("line", r.line, Need::optional);
  v.integer("column", r.column, Need::optional);
}

template <class V> void describe(V& v, HeaderCall& r) {
  v.text("callee", r.callee, Need::required);
  v.text("file", r.file, Need::optional);
  v.integer("line", r.line, Need::optional);
}

template <class V> void describe(V& v, Site& r) {
  v.id("id", r.id, Need::required);
  v.integer("ordinal", r.ordinal, Need::required);
  v.choice("kind", r.kind, k_access_names, Need::required);
  v.text("file", r.file, Need::optional);
  v.integer("line", r.line, Need::optional);
  v.integer("column", r.column, Need::optional);
  v.integer("width", r.width, Need::optional);
  v.id("loop", r.loop, Need::optional);
  v.text("type", r.type, Need::optional);
  v.text("field", r.field, Need::optional);
  v.text("expression", r.expression, Need::optional);
  v.integer("frame", r.frame, Need::optional);
  v.text("inlined_at", r.inlined_at, Need::optional);
  v.text("header", r.header, Need::optional);
  v.integer("executions", r.executions, Need::required);
  v.ratio("error", r.error, Need::optional);
}

template <class V> void describe(V& v, Function& r) {
  v.text("name", r.name, Need::required);
  v.text_or("linkage_name", r.linkage_name, r.name);
  v.integer("checksum", r.checksum, Need::required);
  v.text("file", r.file, Need::optional);
  v.integer("line", r.line, Need::optional);
  v.flag("comdat", r.comdat, Need::optional);
  v.integer("never_executed", r.never_executed, Need::optional);
  v.rows("loops", r.loops, Need::optional);
  v.rows("frames", r.frames, Need::optional);
  v.rows("calls", r.calls, Need::optional);
  v.rows("sites", r.sites, Need::optional);
}

template <class V> void describe(V& v, Module& r) {
  v.text("file", r.file, Need::required);
  v.text("options", r.options, Need::optional);
  v.integer("options_hash", r.options_hash, Need::optional);
  v.rows("functions", r.functions, Need::required);
}

template <class V> void describe(V& v, Group& r) {
  v.id("id", r.id, Need::required);
  v.choice("kind", r.kind, k_group_kind_names, Need::required);
  v.text("file", r.file, Need::optional);
  v.integer("line", r.line, Need::optional);
  v.text("function", r.function, Need::optional);
  v.text("allocator", r.allocator, Need::optional);
  v.text("type", r.type, Need::optional);
  v.text("context", r.context, Need::optional);
  v.id("parent", r.parent, Need::optional);
  v.integer("objects", r.objects, Need::optional);
  v.integer("bytes", r.bytes, Need::optional);
  v.integer("span", r.span, Need::optional);
  v.integer("large", r.large, Need::optional);
  v.integer("resident", r.resident, Need::optional);
  v.integer("accesses", r.accesses, Need::optional);
  v.ratio("error", r.error, Need::optional);
  v.text("wrapper", r.wrapper, Need::optional);
}

}  // namespace memprof::feedback
