// descriptor.cc - the columns of a block.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/event/descriptor.h"

#include <span>

namespace memprof::backend {

void write_columns(CompiledDesc& desc) {
  desc.place_columns();
  ColumnEntry* next = desc.column_entries();
  std::uint16_t time = 0;
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries))
    if (e.execution())
      *next++ = {e.offset, e.site, static_cast<std::uint32_t>(e.width), time++, e.word};
  desc.executions = time;
}

}  // namespace memprof::backend
