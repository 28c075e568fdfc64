// file.h - whole files in, whole files out.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Internal to feedback/.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "feedback/result.h"

namespace memprof::feedback {

// Larger documents are refused: no real profile is near it, and a compiler
// should not fill the machine's memory because of a file.
inline constexpr std::size_t k_max_document = std::size_t(1) << 30;

// An error about FILE with errno's text after WHAT.
Error system_error(Error::Kind kind, const std::string& file,
                   const std::string& what, int error);

// A file, opened; reads of parts of it.
class InputFile {
 public:
  // Never waits for the other end of a pipe.
  static Result<std::unique_ptr<InputFile>> open(const std::string& path,
                                                 Input input = Input::file);
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

// What replace_file does with a name that the user did not type: a symbolic link, which
// somebody else may have put there, is not followed, nor is a pipe written to.
enum class Links { follow, refuse };

// Replaces PATH by DOCUMENT in one step: temporary in the same folder, fsync, rename.
// Keeps the mode of a file that is there; a new one gets what the umask allows.  A
// device or pipe is written to.  Without SYNC, which may take a tenth of a second, a
// crash of the machine soon after may leave nothing.
Status replace_file(const std::string& path, const DocumentText& document, bool sync = true,
                    Links links = Links::follow);

// Opens a new file beside PATH, to be renamed to it; its name in *NAME. It is locked, so
// that others can tell whether its writer lives: what dead ones have left is removed. -1:
// see errno.
int open_temporary(const std::string& path, std::string* name);

// Why PATH must not be replaced by a file that begins with MARK (blanks do not count);
// empty if it may: it is not there, is empty, or is such a file.
std::string foreign_file(const std::string& path, std::string_view mark);

// A regular file without a byte, such as mktemp makes.
bool empty_p(const std::string& path);
// False where PATH is another user's, in a folder where only owners may replace files.
bool replaceable_p(const std::string& path);
// A device that the user has named, such as /dev/null: other users cannot make files there.
bool device_p(const std::string& path);

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
