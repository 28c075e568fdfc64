// file.cc - whole files in, whole files out.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace memprof::feedback {
namespace {

// Longest wait for another writer of the same file: a minute, in steps of 5 ms.
constexpr unsigned k_most_waits = 60 * 200;
// How temporary files end: .NAME.PROCESS.NANOSECONDS.tmp
constexpr std::string_view k_temporary = ".tmp";
// Of a folder, looked at for files that were left: thousands of runs may share one.
constexpr unsigned k_most_entries = 10'000;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string resolved(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (!real) return path;
  std::string out = real;
  std::free(real);
  return out;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(std::size_t(n));
  }
  return true;
}

bool write_all(int fd, const DocumentText& document) {
  return write_all(fd, document.head) && write_all(fd, document.body);
}

void pause_5ms() {
  const timespec pause = {0, 5'000'000};
  ::nanosleep(&pause, nullptr);
}

// A folder, a device or a pipe may be opened for other reasons than to read it.
bool regular_p(const std::string& path) {
  struct stat st;
  return ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode);
}

// Whether FD is what PATH leads to: another writer may have replaced it.
bool same_file_p(int fd, const std::string& path) {
  struct stat open, now;
  return ::fstat(fd, &open) == 0 && ::stat(path.c_str(), &now) == 0 &&
         open.st_dev == now.st_dev && open.st_ino == now.st_ino;
}

// The process that made the temporary file NAME, which begins with START; 0: it is none.
long maker_of(std::string_view name, std::string_view start) {
  if (!name.starts_with(start) || !name.ends_with(k_temporary)) return 0;
  name.remove_prefix(start.size());
  name.remove_suffix(k_temporary.size());
  const std::size_t dot = name.find('.');
  if (dot == name.npos || name.find_first_not_of("0123456789.") != name.npos) return 0;
  return std::atol(std::string(name.substr(0, dot)).c_str());
}

// Whether the process MAKER has ended. A zombie has, though its number still counts as in use: in a
// container whose first process reaps no children it stays.
bool ended_p(long maker) {
  if (::kill(pid_t(maker), 0) != 0) return errno == ESRCH;
  char text[512] = "";
  const int fd = ::open(("/proc/" + std::to_string(maker) + "/stat").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  // PID (NAME) STATE, and NAME may have any character.
  const std::string_view line(text, std::size_t(std::max<ssize_t>(n, 0)));
  const std::size_t end = line.rfind(')');
  return end != line.npos && end + 2 < line.size() && (line[end + 2] == 'Z' || line[end + 2] == 'X');
}

// Removes what processes that were killed have left in FOLDER. The process number finds those
// on this machine, the lock of those elsewhere as well.
void remove_stale(const std::string& folder, const std::string& start) {
  DIR* const dir = ::opendir(folder.c_str());
  if (!dir) return;
  unsigned seen = 0;
  for (const dirent* entry; seen < k_most_entries && (entry = ::readdir(dir)); seen++) {
    const long maker = maker_of(entry->d_name, start);
    if (maker <= 0 || !ended_p(maker)) continue;
    const int fd = ::openat(::dirfd(dir), entry->d_name,
                            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) ::unlinkat(::dirfd(dir), entry->d_name, 0);
    ::close(fd);
  }
  ::closedir(dir);
}

// Whether a name leads to a descriptor of this process.
bool descriptor_p(const std::string& path) {
  return path == "/dev/stdin" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

// Nothing is waited for, neither at open nor later: FD is then as without O_NONBLOCK.
int open_at_once(const std::string& path, int flags) {
  const int fd = ::open(path.c_str(), flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd >= 0) ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK);
  return fd;
}

Status write_special(const std::string& path, const DocumentText& document) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool good = fd >= 0 && write_all(fd, document);
  const int error = errno;
  if (fd >= 0) ::close(fd);
  if (!good)
    return system_error(Error::Kind::unwritable, path, "cannot write", error);
  return Nothing{};
}

}  // namespace

Error system_error(Error::Kind kind, const std::string& file,
                   const std::string& what, int error) {
  return {kind, file, "", what + ": " + std::strerror(error)};
}

int open_temporary(const std::string& path, std::string* name) {
  const std::string folder = folder_of(path);
  const std::size_t slash = path.rfind('/');
  std::string base = slash == std::string::npos ? path : path.substr(slash + 1);
  base.resize(std::min<std::size_t>(base.size(), NAME_MAX - 40));
  const std::string start = '.' + base + '.';
  remove_stale(folder, start);
  for (unsigned attempt = 0; attempt < 100; attempt++) {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    *name = folder + '/' + start + std::to_string(::getpid()) + '.' +
            std::to_string(now.tv_nsec) + std::string(k_temporary);
    const int fd = ::open(name->c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (fd >= 0) ::flock(fd, LOCK_EX | LOCK_NB);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

std::string foreign_file(const std::string& path, std::string_view mark) {
  auto file = InputFile::open(path, Input::no_link);
  if (!file) return file.error().kind == Error::Kind::missing ? "" : file.error().what;
  std::string begin;
  if (!(*file)->read(0, std::min<std::size_t>((*file)->size(), 256), begin))
    return "it cannot be read";
  std::string wanted(mark);
  for (std::string* text : {&begin, &wanted})
    std::erase_if(*text, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
  return begin.empty() || begin.starts_with(wanted) ? "" : "it is not a file of memprof";
}

bool empty_p(const std::string& path) {
  struct stat st;
  return ::lstat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

bool replaceable_p(const std::string& path) {
  struct stat file, folder;
  const uid_t we = ::geteuid();
  return we == 0 || ::lstat(path.c_str(), &file) != 0 ||
         ::stat(folder_of(path).c_str(), &folder) != 0 || (folder.st_mode & S_ISVTX) == 0 ||
         file.st_uid == we || folder.st_uid == we;
}

bool device_p(const std::string& path) {
  struct stat st;
  return path.starts_with("/dev/") && ::stat(path.c_str(), &st) == 0 && S_ISCHR(st.st_mode);
}

Result<std::unique_ptr<InputFile>> InputFile::open(const std::string& path, Input input) {
  const int fd = open_at_once(path, O_RDONLY | (input == Input::no_link ? O_NOFOLLOW : 0));
  if (fd < 0 && errno == ELOOP && input == Input::no_link)
    return Error{Error::Kind::unreadable, path, "", "a symbolic link, which no run follows"};
  if (fd < 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return system_error(
        missing ? Error::Kind::missing : Error::Kind::unreadable, path,
        "cannot open", errno);
  }
  std::unique_ptr<InputFile> file(new InputFile(path, fd));
  struct stat st;
  if (::fstat(fd, &st) != 0)
    return system_error(Error::Kind::unreadable, path, "cannot read", errno);
  if (S_ISDIR(st.st_mode))
    return system_error(Error::Kind::unreadable, path, "cannot read", EISDIR);
  file->regular_ = S_ISREG(st.st_mode);
  if (!file->regular_ && !(input == Input::descriptor_too && descriptor_p(path)))
    return Error{Error::Kind::unreadable, path, "", "not a regular file"};
  file->size_ = file->regular_ ? std::size_t(st.st_size) : 0;
  return file;
}

InputFile::~InputFile() { ::close(fd_); }

bool InputFile::read(std::size_t from, std::size_t to, std::string& out) const {
  if (from > to || to > size_) return false;
  const std::size_t old = out.size();
  out.resize(old + (to - from));
  for (std::size_t done = 0; done < to - from;) {
    const ssize_t n = ::pread(fd_, out.data() + old + done, to - from - done,
                              off_t(from + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      out.resize(old);
      return false;
    }
    done += std::size_t(n);
  }
  return true;
}

Result<std::string> InputFile::read_all() const {
  const Error too_large = {Error::Kind::corrupt, path_, "",
                           "larger than 1 GiB, which no profile is"};
  if (size_ > k_max_document) return too_large;
  std::string out;
  // One byte more than the file has: a second read sees its end without growing OUT.
  std::size_t room = regular_ ? size_ + 1 : 1 << 16;
  for (;;) {
    const std::size_t old = out.size();
    out.resize(old + room);
    const ssize_t n = ::read(fd_, out.data() + old, room);
    const int error = errno;
    out.resize(old + std::size_t(std::max<ssize_t>(n, 0)));
    if (n < 0 && error == EINTR) continue;
    if (n < 0)
      return system_error(Error::Kind::unreadable, path_, "cannot read", error);
    if (n == 0) return out;
    if (out.size() > k_max_document) return too_large;
    // Endless input such as /dev/zero is not read to the limit.
    const std::size_t first = out.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    if (first != std::string::npos && out[first] != '{')
      return Error{Error::Kind::corrupt, path_, "byte " + std::to_string(first),
                   "not a memprof profile: expected '{'"};
    room = out.capacity() > out.size() ? out.capacity() - out.size() : std::max(room, out.size());
  }
}

std::string path_beside(std::string profile, const char* ending) {
  constexpr std::string_view k_json = ".json";
  if (profile.ends_with(k_json)) profile.resize(profile.size() - k_json.size());
  return profile + ending;
}

Status replace_file(const std::string& path, const DocumentText& document, bool sync,
                    Links links) {
  const bool follow = links == Links::follow || device_p(path);
  const std::string target = follow ? resolved(path) : path;
  struct stat st;
  const bool exists = (follow ? ::stat : ::lstat)(target.c_str(), &st) == 0;
  // It may be there, and a device.
  if (!exists && errno != ENOENT)
    return system_error(Error::Kind::unwritable, path, "cannot write", errno);
  if (exists && S_ISDIR(st.st_mode))
    return system_error(Error::Kind::unwritable, path, "cannot write", EISDIR);
  if (exists && !S_ISREG(st.st_mode) && !follow)
    return Error{Error::Kind::unwritable, path, "", "not a regular file"};
  if (exists && !S_ISREG(st.st_mode)) return write_special(target, document);

  std::string name;
  const int fd = open_temporary(target, &name);
  if (fd < 0)
    return system_error(Error::Kind::unwritable, path,
                        "cannot create a file in its folder", errno);
  bool good = write_all(fd, document);
  if (good && exists) {
    // Another owner's group may be refused; the mode then must not leak.
    const bool same_group = ::fchown(fd, uid_t(-1), st.st_gid) == 0;
    good = ::fchmod(fd, st.st_mode & (same_group ? 0777 : 0707)) == 0;
  }
  good = good && (!sync || ::fsync(fd) == 0);
  int error = errno;
  if (::close(fd) != 0 && good) {
    good = false;
    error = errno;
  }
  if (good && ::rename(name.c_str(), target.c_str()) != 0) {
    good = false;
    error = errno;
  }
  if (!good) {
    ::unlink(name.c_str());
    return system_error(Error::Kind::unwritable, path, "cannot write", error);
  }
  // The folder is not synced, which takes milliseconds that the program waits for:
  // after a crash of the machine the old file may be there, but a whole one.
  return Nothing{};
}

// By the time that a lock is had, its holder may have replaced the file, or made the first
// one: then the lock is on a file that is no longer used, and there is another one to take.
bool WriterLock::acquire(const std::string& path) {
  const std::string target = resolved(path);
  for (;;) {
    const bool exists = regular_p(target);
    // Some network file systems lock only what is open for writing.
    const bool locked = exists ? lock(target, O_RDWR) || lock(target, O_RDONLY)
                               : lock(folder_of(target), O_RDONLY | O_DIRECTORY);
    if (locked && (exists ? same_file_p(fd_, target) : !regular_p(target))) return true;
    release();
    if (!locked && regular_p(target) == exists) return false;
  }
}

bool WriterLock::lock(const std::string& name, int flags) {
  fd_ = ::open(name.c_str(), flags | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) return false;
  for (;;) {
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    if (patience_ == Patience::a_minute && waits_ == k_most_waits) break;
    waits_++;
    pause_5ms();
  }
  release();
  return false;
}

void WriterLock::release() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

}  // namespace memprof::feedback
