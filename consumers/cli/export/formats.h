// formats.h - the files that other viewers read, each made from a profile as a string.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The formats have no place for dependences, strides and objects, except where said: they
// are for the viewers that people have, the JSON profile is for everything.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "consumers/cli/profile_view.h"

namespace memprof::cli {

struct ExportOptions {
  std::string metric = "accesses";  // of formats with one number for each row
  std::size_t top = 0;              // rows of formats that draw; 0: all
  std::string profile;              // name of its file
  std::vector<std::string> sources;  // folders of the source, for formats with edits
};

struct ExportFormat {
  const char* name;
  const char* reader;  // program that reads it
  bool binary;
  std::string (*text)(const ProfileView&, const ExportOptions&);
};

std::span<const ExportFormat> export_formats();

std::string to_callgrind(const ProfileView& view, const ExportOptions& options);
std::string to_folded(const ProfileView& view, const ExportOptions& options);
std::string to_pprof(const ProfileView& view, const ExportOptions& options);
std::string to_csv(const ProfileView& view, const ExportOptions& options);
std::string to_dot(const ProfileView& view, const ExportOptions& options);
std::string to_sarif(const ProfileView& view, const ExportOptions& options);
std::string to_ndjson(const ProfileView& view, const ExportOptions& options);
std::string to_speedscope(const ProfileView& view, const ExportOptions& options);

// TEXT for a format with one row per line: control characters become '?'.
std::string one_line(std::string_view text);

}  // namespace memprof::cli
