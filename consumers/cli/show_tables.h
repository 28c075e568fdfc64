// show_tables.h - the tables of `memprof show', each as text and as JSON.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>

#include "consumers/cli/profile_view.h"
#include "consumers/cli/table.h"
#include "feedback/json_report.h"

namespace memprof::cli {

struct ShowTable {
  const char* option;   // "loops"
  const char* section;  // of the profile that it needs; null: none
  const char* module;   // that fills this section
  // Prints at most TOP rows (0: all), the most important ones first.
  std::string (*text)(const ProfileView&, std::size_t top, const Style&);
  // The rows as the elements of an array that is open.
  void (*json)(const ProfileView&, std::size_t top, feedback::JsonReport&);
};

// Their names, in the order in which they are printed. show_NAME is defined beside its columns.
#define MEMPROF_SHOW_TABLES(table)                                                       \
  table(sites) table(loops) table(groups) table(strides) table(dependences)              \
  table(object_relative) table(dead_stores) table(silent_stores) table(mdf)              \
  table(never_met) table(regularity) table(sharing) table(privatisation) table(pointers) \
  table(values) table(lifetimes) table(misses) table(curves) table(pages) \
  table(phases) table(timeline)

#define MEMPROF_DECLARE(name) extern const ShowTable show_##name;
MEMPROF_SHOW_TABLES(MEMPROF_DECLARE)
#undef MEMPROF_DECLARE

std::span<const ShowTable* const> show_tables();

// Program, run and sizes in one or two lines.
std::string overview(const ProfileView& view);

// What the slices of the timeline are equally long in.
const char* clock_of(const feedback::Run& run);

// "+8 (93.0 %)", "irregular", "-" without a row.
std::string stride_text(const feedback::Stride* row);

}  // namespace memprof::cli
