/* bridge.h - what the compiler's side asks the profile's side, in plain data.
   SPDX-License-Identifier: GPL-3.0-or-later

   GCC's headers poison what the standard library needs, so no source file sees
   both.  The use pass and the transformations (GCC) call the functions below;
   profile_match.cc and profile_views.cc (feedback and decide, standard containers)
   implement them.
   Nothing here throws, and pointers stay valid until the profile is closed.  */

#ifndef MEMPROF_BRIDGE_H
#define MEMPROF_BRIDGE_H

#include <stdint.h>

namespace memprof::plugin {

class profile;          // every file that -fprofile-mem-use names
class function_profile; // the rows of one matched function

enum profile_status
{
  PROFILE_OK,
  PROFILE_MISSING, // no file, or an empty folder
  PROFILE_VERSION, // a format that this build does not read
  PROFILE_CORRUPT  // a file that is unreadable or is no profile
};

/* Opens PATH: one file, or a folder, of which all *.memprof.json count as
   merged.  *MESSAGE tells what is wrong ("" when nothing is).  A profile is
   returned in any case; it matches nothing when there is none to read.
   L2_BYTES is the cache to beat, 0 = the cost model's own.  SOURCE, when not
   null, is the only source file whose functions will be asked for: then the
   rows of the others are not read.  EAGER: decide for everything possible.
   ARENAS: allocation calls may get one.  */
profile *profile_open (const char *path, uint64_t l2_bytes,
		       profile_status *status, const char **message,
		       const char *source = nullptr, bool eager = false,
		       bool arenas = true);
void profile_close (profile *);

/* The options that change code with which SOURCE was profiled: THESE if it was
   profiled with them, else those of one profiled compile of it; null when
   SOURCE is not in the profile.  */
const char *profile_options (profile *, const char *source,
			     const char *these);

enum match_state
{
  MATCH_OK,
  MATCH_NO_MODULE,   // the profile does not know the source file
  MATCH_NO_FUNCTION, // ... or not this function
  MATCH_STALE,       // the function's code has changed
  MATCH_AMBIGUOUS    // several entries fit equally well
};

struct function_match
{
  match_state state;
  const function_profile *function; // null unless MATCH_OK
};

/* Looks up a function by its key.  SHARED: inline, COMDAT or external, so that
   an equal function of any module will do.  */
function_match profile_find (profile *, const char *source,
			     const char *linkage_name, uint32_t checksum,
			     bool shared);

/* What the profile says about one site and the innermost loop around it; all
   zero for a site that was never executed.  */
struct site_counts
{
  uint64_t executions;
  uint64_t loop_invocations, loop_iterations;
};
site_counts profile_site (const function_profile *, unsigned ordinal);

/* The site's access as the compile that instrumented it printed it, in names of
   the source; "access" when it did not.  */
const char *profile_expression (const function_profile *, unsigned ordinal);

/* Facts about the code, see CodeFacts in consumers/decide/prefetch.h.  */
struct code_view
{
  enum { AFFINE, STRIDED, INDIRECT, LINKED } shape;
  const char *obstacle; // or null
  double instructions;
  double waits;
  bool chained;
  int64_t index_step;
  int64_t step; // STRIDED
  bool staged;
  int index_ordinal; // site of the load that is moved ahead, or -1
  // The first address of each entry of the site's loop is meant; the loop
  // around it ran so often.
  bool entry;
  uint64_t outer_invocations, outer_iterations;
};

struct advice_view
{
  bool take;
  double gain;
  unsigned distance;
  int64_t stride;
  char reason[24];
  char text[320];
};

/* A store of a loop and another access in it that the compiler cannot tell to
   be elsewhere; ordinals of sites.  */
struct pair_view
{
  unsigned store, other;
};

/* Facts about a loop, see VersioningCode in consumers/decide/versioning.h.  */
struct versioning_view
{
  const char *obstacle; // or null
  double instructions; // of the innermost loop around the site
  unsigned checks, hoisted, moved, lanes, shared;
  // The innermost loop around this site, or that many loops outside of it.
  unsigned ordinal, levels_out;
  unsigned pair_count;
  const pair_view *pairs;
};

/* Loops with fewer iterations are not worth a look.  */
uint64_t profile_min_loop_iterations (const function_profile *);
/* Nor are affine addresses that advance by less.  */
int64_t profile_min_strided_bytes (const function_profile *);

advice_view profile_decide_versioning (const function_profile *,
				       const versioning_view *);

advice_view profile_decide_prefetch (const function_profile *,
				     unsigned ordinal, const code_view *);

/* An allocation call, in the words of the profile's groups.  */
struct allocation_view
{
  const char *file;
  unsigned line;
  const char *function, *type;
  // The objects can come from an arena; otherwise the advice says why not.
  bool replaceable;
};

/* Whether the objects of a call get an arena, see consumers/decide/huge_pages.h.
   False when the profile saw none of them.  *BLOCKS are the large ones that
   get huge pages, bit 0 for the first object.  */
bool profile_decide_arena (profile *, const allocation_view *,
			   advice_view *advice, uint64_t *blocks);

/* What a record type becomes.  */
struct reorder_view
{
  advice_view advice;
  unsigned fields;
  const uint64_t *offsets; // new ones, in the order of the definition
  // Of the decision, equal in units that move fields to the same places.
  uint32_t hash;
};

/* For tests: decisions about types know no obstacle of KIND.  */
void profile_ignore_obstacle (profile *, const char *kind);

/* Whether the fields of the type NAME with the definition KEY are moved, see
   consumers/decide/reorder.h.  False when the profile does not know it.  */
bool profile_decide_reorder (profile *, const char *name, uint32_t key,
			     reorder_view *view);

} // namespace memprof::plugin

#endif
