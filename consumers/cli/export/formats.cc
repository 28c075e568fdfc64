// formats.cc - the list of formats of memprof export.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/export/formats.h"

#include "consumers/cli/table.h"

namespace memprof::cli {

std::span<const ExportFormat> export_formats() {
  static const ExportFormat formats[] = {
      {"callgrind", "callgrind_annotate, KCachegrind", false, to_callgrind},
      {"folded", "flamegraph.pl", false, to_folded},
      {"pprof", "go tool pprof", true, to_pprof},
      {"csv", "spreadsheets, data frames", false, to_csv},
      {"dot", "dot of Graphviz", false, to_dot},
      {"speedscope", "speedscope", false, to_speedscope},
      {"sarif", "code scanning, editors", false, to_sarif},
      {"ndjson", "DuckDB, ClickHouse, Spark", false, to_ndjson},
  };
  return formats;
}

std::string one_line(std::string_view text) { return printable(text); }

}  // namespace memprof::cli
