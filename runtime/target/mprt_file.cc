// mprt_file.cc - the stream in a file, for `memprof-backend --from FILE'.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// ring.h, "Stream file".  The rings work as usual, but this side is its own
// consumer: what is published is written out as a frame at once.  Frames of
// several threads are in the file in any order; tickets order them.  A
// program that is killed loses what its threads had not published.

#include "mprt_internal.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace mprt {

// Writing beyond the file size limit would kill the program.
static bool
within_limit (const struct iovec *parts, int count)
{
  struct rlimit limit;
  if (!read_limit (RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY)
    return true;
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++)
    bytes += parts[i].iov_len;
  long end = sys (SYS_lseek, process.file, 0, SEEK_END);
  return end < 0 || static_cast<uint64_t> (end) + bytes <= limit.rlim_cur;
}

static bool
write_all (struct iovec *parts, int count)
{
  if (!within_limit (parts, count))
    return false;
  while (count)
    {
      long n = sys (SYS_writev, process.file, as_long (parts), count);
      if (n == -EINTR)
	continue;
      if (n <= 0)
	return false;
      uint64_t done = static_cast<uint64_t> (n);
      while (count && done >= parts->iov_len)
	{
	  done -= parts->iov_len;
	  parts++, count--;
	}
      if (count)
	{
	  parts->iov_base = static_cast<char *> (parts->iov_base) + done;
	  parts->iov_len -= done;
	}
    }
  return true;
}

// `%p' in PATTERN is the process's number; process.making is held.
bool
open_file (const char *pattern)
{
  constexpr uint64_t k_number = 24; // with the dot
  static char name[2 * sizeof process.options.text];
  uint64_t n = 0;
  // The child of a fork must not overwrite its parent's file.
  bool need_number = process.epoch > 1;
  for (const char *p = pattern; *p; p++)
    {
      if (n + 2 * k_number > sizeof name)
	return false;
      if (p[0] == '%' && p[1] == 'p')
	{
	  Line number;
	  number.add_number (process.pid);
	  copy_bytes (name + n, number.text (), number.length ());
	  n += number.length ();
	  p++;
	  need_number = false;
	}
      else
	name[n++] = *p;
    }
  name[n] = 0;
  if (need_number)
    {
      Line suffix;
      suffix.add (".").add_number (process.pid);
      copy_bytes (name + n, suffix.text (), suffix.length () + 1);
    }
  return open_stream (name, true);
}

// Whether FD is a regular file with one name that is empty or an event stream.
static bool
holds_stream (int fd)
{
  struct stat file;
  clear_bytes (&file, sizeof file);
  if (sys (SYS_fstat, fd, as_long (&file)) != 0 || !S_ISREG (file.st_mode)
      || file.st_nlink != 1)
    return false;
  uint64_t magic = 0;
  return !file.st_size
	 || (sys (SYS_pread64, fd, as_long (&magic), sizeof magic, 0)
	       == static_cast<long> (sizeof magic)
	     && magic == MPRT_STREAM_MAGIC);
}

// An empty file PATH, or -errno.  Somebody else may have put a link or a pipe there; with
// REPLACE a stream may go that is there.
static long
create_stream (const char *path, bool replace)
{
  constexpr int k_flags = O_RDWR | O_CLOEXEC | O_APPEND;
  long fd = open_file (path, k_flags | O_CREAT | O_EXCL, 0666);
  if (fd != -EEXIST || !replace)
    return fd;
  fd = open_file (path, k_flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0)
    return fd;
  if (holds_stream (static_cast<int> (fd)) && sys (SYS_ftruncate, fd, 0) == 0)
    return fd;
  sys (SYS_close, fd);
  return -EEXIST;
}

bool
open_stream (const char *path, bool replace)
{
  long fd = create_stream (path, replace);
  if (fd < 0)
    return false;
  process.file = hide_descriptor (static_cast<int> (fd));
  if (process.file < 0)
    return false;
  mprt_stream_header header = { MPRT_STREAM_MAGIC, MPRT_ABI, sizeof (mprt_shared) };
  struct iovec parts[] = { { &header, sizeof header },
			   { process.shared, sizeof (mprt_shared) } };
  if (!write_all (parts, 2))
    return false;
  store (&process.mode, k_file);
  // What was parked goes first.
  Thread &thread = self;
  for (Ring &ring : thread.rings)
    if (ring.shared)
      {
	uint64_t published = ring.shared->published;
	ring.shared->published = ring.shared->consumed;
	while (recording () && ring.shared->published < published)
	  {
	    uint64_t next = (ring.shared->published / MPRT_CHUNK_BYTES + 1)
			    * MPRT_CHUNK_BYTES;
	    write_frame (ring, next < published ? next : published);
	  }
      }
  return recording ();
}

// The program must find its descriptors as without us, also after trouble.
static void
close_file ()
{
  if (process.file >= 0)
    sys (SYS_close, process.file);
  process.file = -1;
}

// Writes [published, TO) of RING, which lies in one chunk, and notes it.
void
write_frame (Ring &ring, uint64_t to)
{
  mprt_ring *shared = ring.shared;
  uint64_t from = shared->published;
  uint64_t offset = from % MPRT_CHUNK_BYTES;
  char *bytes = chunk_address (shared, from / MPRT_CHUNK_BYTES) + offset;
  // Not the unused rest of a chunk.
  uint64_t length = 0;
  while (length < to - from)
    {
      uint64_t header = *reinterpret_cast<uint64_t *> (bytes + length);
      length += (header & MPRT_LENGTH_MASK) * 8;
      if (MPRT_CONTROL_KIND (header) == MPRT_DATA && header < MPRT_CONTROL_LIMIT)
	{
	  const uint64_t *record
	    = reinterpret_cast<uint64_t *> (bytes + length) - 3;
	  length += (record[2] + 7) & ~7ull;
	}
      else if (header == MPRT_CONTROL_HEADER (MPRT_CHUNK_END, 1) || !header)
	break;
    }
  mprt_frame frame = { ring.index, shared->thread, shared->signal_of,
		       static_cast<uint32_t> (length) };
  struct iovec parts[] = { { &frame, sizeof frame }, { bytes, length } };
  uint64_t mask;
  block_signals (&mask);
  lock_word (&process.file_lock);
  // Another thread may have ended the recording.
  if (process.mode == k_file && process.file >= 0 && !write_all (parts, 2))
    {
      switch_off ("cannot write the event stream; nothing more is recorded");
      close_file ();
    }
  unlock_word (&process.file_lock);
  restore_signals (&mask);
  store (&shared->published, to);
  store (&shared->consumed, to);
}

void
finish_file ()
{
  uint64_t mask;
  block_signals (&mask);
  lock_word (&process.file_lock);
  close_file ();
  unlock_word (&process.file_lock);
  restore_signals (&mask);
}

} // namespace mprt
