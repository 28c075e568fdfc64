// mprt_options.cc - MPRT_OPTIONS: read once, at the start.
// SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1
//
// KEY=VALUE, separated by `:' or blanks; the keys are in wire/options.def.  A backslash
// takes the next character as it is: output=C\:/%n.json.  The first colon of label=NAME:VALUE
// is part of the word.  A mistake switches the runtime off: a profile that goes to the wrong place
// because of a misspelt key is of no use.

#include "mprt_internal.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace mprt {

struct Key
{
  const char *name, *argument, *help;
  const char *Options::*value;
};

static constexpr Key k_keys[] = {
#define MPRT_OPTION(key, argument, help) { #key, argument, help, &Options::key },
#define MPRT_TEST_OPTION(key, argument, help) { #key, argument, nullptr, &Options::key },
#include "runtime/wire/options.def"
};

static bool
separator_p (char c)
{
  return c == ':' || c == ' ' || c == '\t' || c == '\n';
}

static bool
begins_with (const char *text, const char *with)
{
  while (*with && *text == *with)
    text++, with++;
  return !*with;
}

static void
print_help ()
{
  Line ().add ("memprof: MPRT_OPTIONS=KEY=VALUE[:KEY=VALUE...]").send_to_stderr ();
  for (const Key &key : k_keys)
    if (key.help)
      Line ()
	.add ("  ")
	.add (key.name)
	.add ("=")
	.add (key.argument)
	.add ("  ")
	.add (key.help)
	.send_to_stderr ();
}

static void
reject (const char *why, const char *word)
{
  Line ()
    .add ("memprof: MPRT_OPTIONS: ")
    .add (why)
    .add (" '")
    .add (word)
    .add ("'; help=1 lists what there is; nothing is recorded")
    .send_to_stderr ();
  switch_off (nullptr);
}

static void
read_word (char *word)
{
  char *value = word;
  while (*value && *value != '=')
    value++;
  if (*value != '=')
    return reject ("expected KEY=VALUE, found", word);
  *value = 0;
  for (const Key &key : k_keys)
    if (same_text (key.name, word))
      {
	*value = '=';
	process.options.*key.value = value + 1;
	return;
      }
  reject ("unknown key", word);
}

const char *
environment (const char *name)
{
  uint64_t n = text_length (name);
  for (char **entry = environ; entry && *entry; entry++)
    {
      uint64_t i = 0;
      while (i < n && (*entry)[i] == name[i])
	i++;
      if (i == n && (*entry)[n] == '=')
	return *entry + n + 1;
    }
  return nullptr;
}

// Functions of .preinit_array run before the C library knows the environment.  Copies what
// the kernel knows of NAME to TO, or its first BYTES - 1 characters; null if there is none.

static const char *
first_environment (const char *name, char *to, uint64_t bytes)
{
  long fd = open_file ("/proc/self/environ", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return nullptr;
  uint64_t n = text_length (name), at = 0; // in the entry
  bool same = true;
  char part[256];
  for (long got; (got = sys (SYS_read, fd, as_long (part), sizeof part)) > 0;)
    for (long i = 0; i < got; i++)
      {
	char c = part[i];
	if (at <= n)
	  same = same && c == (at < n ? name[at] : '=');
	else if (same && at - n <= bytes)
	  to[at - n - 1] = at - n < bytes ? c : 0;
	at++;
	if (c)
	  continue;
	if (same)
	  {
	    sys (SYS_close, fd);
	    return to;
	  }
	at = 0;
	same = true;
      }
  sys (SYS_close, fd);
  return nullptr;
}

bool
option_on (const char *value, bool otherwise)
{
  if (!value)
    return otherwise;
  return *value && !same_text (value, "0");
}

// What launchers of MPI programs call the rank of a process: Open MPI, MPICH and those
// made of it, PMIx, Slurm, MVAPICH2, PALS.
static constexpr const char *k_rank_names[]
  = { "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID", "MV2_COMM_WORLD_RANK",
      "PALS_RANKID" };

// The rank as decimal digits to TO; empty if there is none.
void
read_rank (char *to, uint64_t bytes)
{
  to[0] = 0;
  for (const char *name : k_rank_names)
    {
      char copy[16];
      const char *text
	= environ ? environment (name) : first_environment (name, copy, sizeof copy);
      uint64_t n = 0;
      while (text && text[n] >= '0' && text[n] <= '9')
	n++;
      if (n == 0 || text[n] || n >= bytes)
	continue;
      copy_bytes (to, text, n + 1);
      return;
    }
}

void
read_options ()
{
  char *copy = process.options.text;
  const char *text
    = environ ? environment ("MPRT_OPTIONS")
	      : first_environment ("MPRT_OPTIONS", copy, sizeof process.options.text);
  if (!text)
    return;
  uint64_t length = text_length (text);
  if (length >= sizeof process.options.text - 1)
    return reject ("longer than 510 characters:", text);
  copy_bytes (copy, text, length + 1);
  copy_bytes (process.options.as_given, copy, length + 1);
  for (char *p = copy; *p;)
    {
      while (separator_p (*p))
	*p++ = 0;
      char *word = p, *end = p;
      bool label = begins_with (p, "label=");  // its name is not over
      while (*p && (!separator_p (*p) || (label && *p == ':')))
	{
	  label = label && *p != ':';
	  p += *p == '\\' && p[1];
	  *end++ = *p++;
	}
      bool last = !*p;
      *end = 0;
      if (*word)
	read_word (word);
      if (last || !recording ())
	break;
      p++;
    }
  if (option_on (process.options.help, false))
    print_help ();
  if (option_on (process.options.off, false))
    switch_off (nullptr);
}

} // namespace mprt
