// type_rows.h - the record types of the program, and what stands against moving
// their fields.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "feedback/model.h"
#include "runtime/backend/program/elf_file.h"
#include "runtime/backend/program/loaded_units.h"

namespace memprof::backend {

// EXECUTABLE: the path of the program, empty when it is not known; FILE: what is there.
std::vector<feedback::RecordType> type_rows(const LoadedUnits& units,
                                            const std::string& executable, const ElfFile& file);

}  // namespace memprof::backend
