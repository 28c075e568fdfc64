// result.cc - the text of an error.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/result.h"

namespace memprof::feedback {

std::string Error::text() const {
  std::string out = file;
  if (!pointer.empty()) {
    if (!out.empty()) out += ':';
    out += pointer;
  }
  if (!out.empty()) out += ": ";
  out += what;
  return out;
}

}  // namespace memprof::feedback
