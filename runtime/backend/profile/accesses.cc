// accesses.cc - the accesses of a stream file as text, one a line.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// By the reference expansion of batches (batch.h), without objects or grammars: what
// `memprof streams --expand' prints can be compared with it.
#include "runtime/backend/profile/accesses.h"

#include <cinttypes>
#include <string>
#include <unordered_map>

#include "runtime/backend/profile/recorded_batches.h"

namespace memprof::backend {
namespace {

// "load a.c:12:7"
std::string site_text(const LoadedUnits& units, SiteId site) {
  const Unit& unit = *units.unit_of_site(site);
  const mprt_site& row = unit.image.sites()[site - unit.first_site];
  const std::uint32_t file =
      row.file != 0 ? row.file : unit.image.functions()[row.function].file;
  return std::string(row.kind == MPRT_OP_STORE ? "store " : "load ") + unit.image.text(file) +
         ':' + std::to_string(row.line) +
         (row.column == 0 ? "" : ':' + std::to_string(row.column));
}

}  // namespace

bool print_accesses(StreamFile& file, std::FILE* out) {
  RecordedBatches batches(file);
  std::unordered_map<SiteId, std::string> texts;
  std::uint32_t thread = 0;
  for (Batch batch; batches.next(batch);) {
    for_each(batch, [&](const Event& e, std::uint64_t) {
      if (e.kind == EventKind::thread) thread = e.index;
      if (e.kind != EventKind::load && e.kind != EventKind::store) return;
      std::string& text = texts[e.site];
      if (text.empty()) text = site_text(batches.decoder().units(), e.site);
      std::fprintf(out, "%u %s 0x%" PRIx64 "\n", thread, text.c_str(), e.address);
    });
  }
  return batches.whole();
}

}  // namespace memprof::backend
