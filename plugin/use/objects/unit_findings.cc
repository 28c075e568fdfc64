/* unit_findings.cc - what this unit does with its records, known before their fields are moved.
   SPDX-License-Identifier: GPL-3.0-or-later

   The profile lists what stood against moving fields in the code that was profiled.  The code that is
   compiled may be another: edited since, or compiled with other macros.  But fields move when the
   definition has been read, and what the unit does with the record comes after it.

   So at the first definition whose fields would move, the compiler forks.

     child	goes on without moving anything, through the search of type_facts.cc; then it writes what
		was found into a pipe and ends
     parent	waits for it, and then knows all obstacles of the unit

   The child has the state of the parser, reads the same headers, and writes nothing: its output, messages
   and assembly go to /dev/null, and it ends without flushing.  It costs one more run of the front end, in
   units with a type that would be moved.  If it does not come to its end (an error in the source, no
   memory), each type keeps its layout.

   `external' and `from' are left to the link, which knows all units (layout_notes.h).  */

#include "plugin/gcc-common.h"
#include "plugin/options.h"
#include "plugin/tables/source_text.h"
#include "plugin/tables/type_facts.h"
#include "plugin/tables/unit_rows.h"
#include "plugin/use/bridge.h"
#include "plugin/use/objects/unit_findings.h"

#include <fcntl.h>
#include <sys/wait.h>

namespace memprof::plugin {

namespace {

bool looked, whole, child;
int result_pipe = -1;
/* By name of the type, the first one.  */
hash_map<nofree_string_hash, const char *> findings;

/* The last line that a child writes.  */
const char k_end[] = ".";

/* For tests: whether obstacles of KIND count as none.  A unit that was not checked has all of them.  */

bool
ignored_p (const char *kind)
{
  const char *ignored = options.ignored_obstacle;
  return ignored && (strcmp (ignored, kind) == 0 || strcmp (ignored, "unchecked") == 0);
}

bool
local_p (const char *kind)
{
  return strcmp (kind, "external") != 0 && strcmp (kind, "from") != 0
	 && strcmp (kind, "allocates") != 0
	 && !ignored_p (kind);
}

/* PLUGIN_EARLY_GIMPLE_PASSES_END: each function has been looked through.  */

void
report (void *, void *)
{
  if (!child)
    return;
  using unit_tables::rows;
  FILE *out = fdopen (result_pipe, "w");
  if (!out)
    _exit (1);
  const char *strings = rows.strings.bytes ().address ();
  for (const mprt_obstacle &o : rows.types.obstacles ())
    if (local_p (strings + o.kind))
      fprintf (out, "%s\t%s\n", strings + rows.types.types ()[o.type].name,
	       obstacle_words (strings + o.kind, strings + o.detail, strings + o.file, o.line));
  fprintf (out, "%s\n", k_end);
  fflush (out);
  _exit (0);
}

void
become_child (int to)
{
  child = true;
  result_pipe = to;
  int null = open ("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0)
    _exit (1);
  dup2 (null, STDOUT_FILENO);
  dup2 (null, STDERR_FILENO);
  if (asm_out_file)
    dup2 (null, fileno (asm_out_file));
}

void
read_findings (int from)
{
  FILE *in = fdopen (from, "r");
  char *line = nullptr;
  size_t size = 0;
  while (in && getline (&line, &size, in) > 0)
    {
      line[strcspn (line, "\n")] = '\0';
      char *tab = strchr (line, '\t');
      if (strcmp (line, k_end) == 0)
	whole = true;
      else if (tab)
	{
	  *tab = '\0';
	  if (!findings.get (line))
	    findings.put (xstrdup (line), xstrdup (tab + 1));
	}
    }
  free (line);
  if (in)
    fclose (in);
}

void
look ()
{
  looked = true;
  int ends[2];
  if (pipe2 (ends, O_CLOEXEC))
    return;
  fflush (nullptr);
  pid_t pid = fork ();
  if (pid == 0)
    {
      close (ends[0]);
      become_child (ends[1]);
      return;
    }
  close (ends[1]);
  if (pid < 0)
    {
      close (ends[0]);
      return;
    }
  read_findings (ends[0]);
  while (waitpid (pid, nullptr, 0) < 0 && errno == EINTR)
    ;
}

} // anonymous namespace

bool
looking_p ()
{
  return child;
}

const char *
unit_obstacle (tree type)
{
  if (!looked)
    look ();
  if (child || !whole)
    return "the unit could not be looked through before";
  text name;
  type_text (type, &name);
  const char **found = findings.get (name.c_str ());
  return found ? *found : nullptr;
}

void
register_unit_findings (const char *plugin_name)
{
  register_type_facts (plugin_name);
  register_callback (plugin_name, PLUGIN_EARLY_GIMPLE_PASSES_END, report, nullptr);
}

} // namespace memprof::plugin
