// object_file.h - the layout notes and the global symbols of an object file.
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "consumers/decide/layout_check.h"

namespace memprof::link {

// What the SIZE bytes at OFFSET of the file FD have, an object, a member of an archive or a shared library;
// NAME is what messages call it.  What is no 64-bit ELF file for this machine has nothing.
decide::LayoutObject read_object(const std::string& name, int fd, std::uint64_t offset, std::uint64_t size);

}  // namespace memprof::link
