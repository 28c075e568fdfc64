// mprt_exec.cc - exec: the recording ends before the program is replaced.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// All functions of the family call execve and execvpe here, as in libc; the
// variadic ones collect their arguments on the stack first.  Handing over takes
// as long as an exit does, so it is done only if the file looks executable; if
// exec fails nevertheless, the process continues recording into a new stream, as the
// child of a fork does.
//
// In the child of a vfork nothing is handed over: it is not the process that
// records.

#include "mprt_hooks.h"

#include <alloca.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

namespace mprt {

// What ACCESS, the result of a system call, says.  Where it may not be asked, as with EPERM of
// a filter or on an old kernel, an exec is expected to succeed: one that fails comes back.
static bool
allowed_p (long access)
{
  return access == 0 || access == -ENOSYS || access == -EPERM;
}

static bool
executable_p (const char *path)
{
  return path && allowed_p (sys (SYS_faccessat, AT_FDCWD, as_long (path), X_OK, 0));
}

// Would execvp find FILE?
static bool
found_in_path (const char *file)
{
  if (!file)
    return false;
  for (const char *p = file; *p; p++)
    if (*p == '/')
      return executable_p (file);
  const char *path = environment ("PATH");
  if (!path)
    path = "/bin:/usr/bin";
  for (;;)
    {
      const char *end = path;
      while (*end && *end != ':')
	end++;
      Line candidate;
      candidate.add (path, static_cast<uint64_t> (end - path));
      candidate.add (end == path ? "./" : "/").add (file);
      if (executable_p (candidate.text ()))
	return true;
      if (!*end)
	return false;
      path = end + 1;
    }
}

// Returns whether a recording was ended.
static bool
hand_over (bool likely)
{
  if (!likely || !recording () || process.ended || process.mode <= k_parked
      || process.pid != own_pid (process.pid))
    return false;
  end_program (MPRT_END_EXEC, 0, false);
  return true;
}

// After exec has failed; errno is kept.
static int
go_on (bool handed_over)
{
  int saved_errno = errno;
  if (handed_over)
    start_again ();
  errno = saved_errno;
  return -1;
}

typedef char *const *Words;

MPRT_HOOK (int, execve, (const char *path, Words arguments, Words variables))
{
  bool over = hand_over (executable_p (path));
  REAL (execve) (path, arguments, variables);
  return go_on (over);
}

MPRT_HOOK (int, execv, (const char *path, Words arguments))
{
  bool over = hand_over (executable_p (path));
  REAL (execv) (path, arguments);
  return go_on (over);
}

MPRT_HOOK (int, execvp, (const char *file, Words arguments))
{
  bool over = hand_over (found_in_path (file));
  REAL (execvp) (file, arguments);
  return go_on (over);
}

MPRT_HOOK (int, execvpe, (const char *file, Words arguments, Words variables))
{
  bool over = hand_over (found_in_path (file));
  REAL (execvpe) (file, arguments, variables);
  return go_on (over);
}

MPRT_HOOK (int, fexecve, (int fd, Words arguments, Words variables))
{
  bool over = hand_over (allowed_p (sys (SYS_faccessat2, fd, as_long (""), X_OK,
				       AT_EMPTY_PATH)));
  REAL (fexecve) (fd, arguments, variables);
  return go_on (over);
}

MPRT_HOOK (int, execveat,
	   (int fd, const char *path, Words arguments, Words variables, int flags))
{
  bool over = hand_over (allowed_p (sys (SYS_faccessat2, fd, as_long (path), X_OK,
				       flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))));
  REAL (execveat) (fd, path, arguments, variables, flags);
  return go_on (over);
}

// The number of words up to and with the null pointer.
static unsigned
count_words (const char *first, va_list &rest)
{
  unsigned n = 1;
  if (first)
    do
      n++;
    while (va_arg (rest, const char *));
  return n;
}

// REST moves on.
static void
collect_words (const char **to, const char *first, va_list &rest)
{
  *to++ = first;
  if (first)
    while ((*to++ = va_arg (rest, const char *)))
      continue;
}

// Makes `words' of the arguments from FIRST on and leaves `rest' after them.
#define COLLECT(first)                                                        \
  va_list rest, again;                                                        \
  va_start (rest, first);                                                     \
  va_copy (again, rest);                                                      \
  unsigned n = count_words (first, again);                                    \
  va_end (again);                                                             \
  const char **words                                                          \
    = static_cast<const char **> (alloca (n * sizeof (char *)));              \
  collect_words (words, first, rest);                                         \
  Words arguments = const_cast<char **> (words)

MPRT_HOOK (int, execl, (const char *path, const char *first, ...))
{
  COLLECT (first);
  va_end (rest);
  return hook_execv (path, arguments);
}

MPRT_HOOK (int, execlp, (const char *file, const char *first, ...))
{
  COLLECT (first);
  va_end (rest);
  return hook_execvp (file, arguments);
}

MPRT_HOOK (int, execle, (const char *path, const char *first, ...))
{
  COLLECT (first);
  Words variables = va_arg (rest, Words);
  va_end (rest);
  return hook_execve (path, arguments, variables);
}

} // namespace mprt
