// text_file.cc - reads a file that is no profile.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/text_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace memprof::cli {

feedback::Result<std::string> read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  if (in) text << in.rdbuf();
  // An empty file leaves the stream of TEXT in failure, a folder that of IN.
  if (in && !in.bad()) return text.str();
  feedback::Error error;
  error.kind = errno == ENOENT ? feedback::Error::Kind::missing : feedback::Error::Kind::unreadable;
  error.file = file;
  error.what = std::strerror(errno ? errno : EIO);
  return error;
}

}  // namespace memprof::cli
