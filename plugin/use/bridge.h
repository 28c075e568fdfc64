/* bridge.h - what the compiler's side asks the profile's side, in plain data.
   SPDX-License-Identifier: GPL-3.0-or-later

   GCC's headers poison what the standard library needs, so no source file sees
   both.  The use pass and the transformations (GCC) call the functions below;
   profile_match.cc and profile_decisions.cc (feedback and decide, standard
   containers) implement them.  Facts about the code go to consumers/decide in the
   plain structs of its code_facts.h; what comes back is a decision_view, which points
   into a Decision that the profile keeps.
   Nothing here throws, and pointers stay valid until the profile is closed, if
   nothing else is said.  */

#ifndef MEMPROF_BRIDGE_H
#define MEMPROF_BRIDGE_H

#include <stdint.h>

#include "consumers/decide/code_facts.h"

namespace memprof::plugin {

class profile;          // every file that -fprofile-mem-use names
class function_profile; // the rows of one matched function

enum profile_status
{
  PROFILE_OK,
  PROFILE_MISSING, // no file, or an empty folder
  PROFILE_VERSION, // a format that this build does not read, or made by another GCC
  PROFILE_CORRUPT  // a file that is unreadable or is no profile
};

/* Where and with what the program will run, as far as the user says so: caches, in the words
   of run.caches (null: the caches of the profile's machine); bytes of L2 (0: not said); size of
   the inputs, as a multiple of the profile's inputs.  */
struct deployment
{
  const char *caches;
  uint64_t l2_bytes;
  unsigned scale;
};

/* Whether CACHES is what deployment::caches can be.  */
bool known_caches_p (const char *caches);

/* What a compile wants of a profile.  */
struct profile_request
{
  /* The only source file whose functions will be looked up: rows of other files are not read;
     null: all.  */
  const char *source = nullptr;
  /* Decide for everything possible.  */
  bool eager = false;
  /* Fields of records may be moved.  */
  bool move_fields = false;
  /* Allocation calls may get an arena with huge pages, or a shared one.  */
  bool huge_pages = true, shared_arenas = true;
  /* The code may become part of a shared library.  */
  bool in_library = false;
  /* Profiles of programs that another version of GCC has compiled match nothing, because
     the code where they were instrumented differs; 0: any will do.  */
  unsigned gcc_major = 0;
};

/* Opens PATH: one file, or a folder, of which all *.memprof.json count as
   merged.  *MESSAGE says what is wrong ("" when nothing is).  A profile is
   returned in any case; it matches nothing when there is none to read.  */
profile *profile_open (const char *path, const deployment &where,
		       const profile_request &request, profile_status *status,
		       const char **message);
void profile_close (profile *);

/* The I-th file that the profile was read from; null if there are no more.  */
const char *profile_file (profile *, unsigned i);

/* The options that change code with which SOURCE was profiled: THESE if it was
   profiled with them, else the options of one profiled compile of it; null when
   SOURCE is not in the profile.  */
const char *profile_options (profile *, const char *source,
			     const char *these);

enum match_state
{
  MATCH_OK,
  MATCH_SALVAGED,    // the code has changed, but some of its sites are the profile's
  MATCH_NO_MODULE,   // the profile does not know the source file
  MATCH_NO_FUNCTION, // ... or not this function
  MATCH_STALE,       // the function's code has changed, and no site was found again
  MATCH_AMBIGUOUS    // several entries fit equally well
};

struct function_match
{
  match_state state;
  const function_profile *function; // null unless MATCH_OK or MATCH_SALVAGED
};

/* Looks up a function by its key.  SHARED: inline, COMDAT or external, so that
   an equal function of any module will do.  ALONE: no other function of this compile is of
   its family, so that one whose name has other numbers will do.
   Ends the decisions about the function that was looked up before.  */
function_match profile_find (profile *, const char *source,
			     const char *linkage_name, uint32_t checksum,
			     bool shared, bool alone);

/* A site of a function that has changed, in the words of the profile's rows.  */
struct site_shape
{
  bool store;
  unsigned width;
  const char *expression, *type, *field;
  int64_t line; // counted from the function's if it lies in the unit's source file
  const char *file; // "" for the unit's; null: the place is not known
  unsigned source_line, column;
};

/* When profile_find gave WAS, which has no function: finds the sites of the COUNT SITES
   again in what the profile knows of the function called LINKAGE_NAME, or of others of the
   unit that had been inlined elsewhere.  Returns WAS if there are none.  */
function_match profile_salvage (profile *, function_match was,
				const char *source, const char *linkage_name,
				const site_shape *sites, unsigned count);

/* How FOUND came about, as a line of the remarks file; null when the profile does not know
   such a function.  Valid until the next call.  */
const char *profile_match_remark (profile *, function_match found,
				  const char *source, const char *linkage_name);

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

/* Loops with fewer iterations are not worth a look.  */
uint64_t profile_min_loop_iterations (const function_profile *);
/* Nor are affine addresses that advance by less.  */
int64_t profile_min_strided_bytes (const function_profile *);

/* A Decision of consumers/decide, of whichever transformation, in plain data.  */
struct decision_view
{
  bool take;
  double gain;
  const char *expression; // what is transformed
  const char *text;	  // why, for people
  const char *remark;	  // the same as a line of the remarks file
  /* What a transformation that is taken has to know.  */
  unsigned distance;	  // prefetch: iterations or nodes
  int64_t stride;	  // prefetch: bytes from node to node
  uint64_t at_least;	  // prefetch: bytes of a block of WATCHED; 0: in any case;
			  // streaming_stores: bytes that an entry writes
  uint64_t row_bytes;	  // streaming_stores: that an entry of the innermost loop wrote
  bool trial, unsure;	  // prefetch: the program measures it; it is off at first
  const char *watched;	  // prefetch: the call's name in consumers/decide/watched_blocks.h
  uint64_t blocks;	  // huge_pages: of which objects, bit 0 for the first
  uint64_t slab_bytes;	  // huge_pages: of an object in a slab; 0: its objects are too large
  unsigned first;	  // huge_pages: offset of the first object in a slab
  uint32_t arena;	  // co_allocation: its number
  const uint64_t *offsets; // field_order: of the fields, in their order
  const double *probabilities; // branch_counts: of the edges, in their order; negative: as they are
  const double *block_counts;  // branch_counts: executions of the blocks
  uint32_t hash;	  // field_order: equal in units that agree on the places
};

/* The decisions below are valid until the next profile_find; those about types, variables and
   allocation calls, as long as the profile.  ORDINAL is the number of the load's site.  */
const decision_view *profile_decide_prefetch (const function_profile *,
					      const decide::Candidate &,
					      unsigned ordinal,
					      const decide::PrefetchCode &);
const decision_view *profile_decide_versioning (const function_profile *,
						const decide::Candidate &,
						const decide::LoopOfSite &,
						const decide::VersioningCode &);
/* Whether the function gets GCC's options for measured code.  */
const decision_view *profile_decide_hot_function (const function_profile *,
						  const decide::Candidate &,
						  const decide::FunctionCode &);
const decision_view *profile_decide_branch_counts (const function_profile *,
						   const decide::Candidate &,
						   const decide::BranchCode &);
/* LOOP: that of the first store, or around it, which would get a copy.  */
const decision_view *profile_decide_streaming (const function_profile *,
					       const decide::Candidate &,
					       const decide::LoopOfSite &loop,
					       const decide::StreamingCode &);

/* Whether the objects of a call get an arena with huge pages; null when the profile
   saw none of them.  */
const decision_view *profile_decide_huge_pages (profile *,
						const decide::Candidate &,
						const decide::AllocationCode &);

/* Whether a variable gets huge pages; null when the profile saw no access to it, or it is too
   small to matter.  */
const decision_view *profile_decide_variable (profile *,
					      const decide::Candidate &,
					      const decide::VariableCode &);

/* The name under which the program keeps the size of the call's largest block
   (consumers/decide/watched_blocks.h); null: it need not.  As long-lived as the profile.  */
const char *profile_watched_name (profile *, const decide::AllocationCode &);

/* Whether the objects of a call come from an arena that other calls may share; null when
   the profile has nothing about it.  */
const decision_view *profile_decide_co_allocation (profile *,
						   const decide::Candidate &,
						   const decide::AllocationCode &);

/* Whether the profile has NAME as a wrapper that made objects: a function of the program that gets them
   from malloc, such as xmalloc.  */
bool profile_wrapper_p (profile *, const char *name);

/* Whether the fields of a type are moved; null when the profile does not know it.  */
const decision_view *profile_decide_field_order (profile *,
						 const decide::Candidate &,
						 const decide::RecordCode &);

/* Whether the profile has rows of the source file SOURCE.  */
bool profile_knows_source (profile *, const char *source);

/* What `memprof layout' says of an obstacle: "offsetof is used at a.c:7".  Valid until the next call.  */
const char *obstacle_words (const char *kind, const char *detail, const char *file, unsigned line);

/* For tests: decisions about types know no obstacle of KIND.  */
void profile_ignore_obstacle (profile *, const char *kind);

} // namespace memprof::plugin

#endif
