// file.h - whole files in, whole files out.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "feedback/result.h"

namespace memprof::feedback {

// Larger documents are refused: no real profile is near it, and a compiler
// should not fill the machine's memory because of a file.
inline constexpr std::size_t k_max_document = std::size_t(1) << 30;

// An error about FILE with errno's text after WHAT.
Error system_error(Error::Kind kind, const std::string& file,
                   const std::string& what, int error);

// A regular file, opened; reads of parts of it.
class InputFile {
 public:
  static Result<std::unique_ptr<InputFile>> open(const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  bool regular() const { return regular_; }
  std::size_t size() const { return size_; }
  // Appends bytes [from, to) to OUT; false when they are not all there.
  bool read(std::size_t from, std::size_t to, std::string& out) const;
  // Everything up to the end, also of a pipe.
  Result<std::string> read_all() const;

 private:
  InputFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_;
  bool regular_ = false;
  std::size_t size_ = 0;
};

// A text in two pieces. The body is large and the head has its index, so to join them would
// copy it.
struct DocumentText {
  std::string head, body;
};

// Replaces PATH (through symbolic links) by DOCUMENT in one step: temporary in the
// same folder, fsync, rename.  Keeps the mode of a file that is there; a new
// one gets what the umask allows.  A device or pipe is written to.  Without SYNC,
// which may take a tenth of a second, a crash of the machine soon after may leave
// nothing.
Status replace_file(const std::string& path, const DocumentText& document, bool sync = true);

// The file with ENDING that belongs to the profile PROFILE: a.memprof.json, ".html": a.memprof.html.
std::string path_beside(std::string profile, const char* ending);

// A lock on PATH among those who write it, released by the destructor: on the file that
// is there, or, as long as there is none, on its folder. So no lock file remains, and
// programs that have their profiles in one folder do not wait for each other.
class WriterLock {
 public:
  enum class Patience { a_minute, any };
  explicit WriterLock(Patience patience = Patience::a_minute) : patience_(patience) {}
  WriterLock(const WriterLock&) = delete;
  WriterLock& operator=(const WriterLock&) = delete;

  // False when the lock cannot be had (no such folder, a file system without
  // locks, or another holder for longer than the patience).
  bool acquire(const std::string& path);
  bool held() const { return fd_ >= 0; }
  ~WriterLock() { release(); }

 private:
  bool lock(const std::string& name, int flags);
  void release();

  const Patience patience_;
  int fd_ = -1;
  unsigned waits_ = 0;
};

}  // namespace memprof::feedback
