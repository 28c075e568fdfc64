/* site_table.h - the tables about one translation unit that travel inside the
   instrumented program.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   The plugin writes them, a constructor hands them to the runtime
   (__mprt_unit), the runtime copies them into the stream, the backend reads
   them there.  Two parts, because only one of them needs relocation:

   struct mprt_unit (data.rel.ro): addresses - of the blob, of the descriptor
   tables, of the global variables.

   blob (rodata): struct mprt_blob, then its sections back to back in the order
   of the counts, each an array of fixed-size rows, then the string pool.  All
   references between rows are row indices; all text is a byte offset into the
   string pool, where 0 is the empty string and each string ends in a NUL.

   Rows are sorted by function; a function's sites and loops are consecutive,
   and a site's ordinal in its function is its index minus `first_site'.  */

#ifndef MEMPROF_WIRE_SITE_TABLE_H
#define MEMPROF_WIRE_SITE_TABLE_H

#include <stdint.h>

#define MPRT_BLOB_MAGIC 0x4c42504du /* "MPBL" */
#define MPRT_NONE 0xffffffffu

struct mprt_blob
{
  uint32_t magic, abi;		/* MPRT_BLOB_MAGIC, MPRT_ABI */
  uint32_t functions, loops, sites, alloc_sites, globals, locals;
  uint32_t strings;		/* bytes of the string pool */
  uint32_t file;		/* main source file, as given */
  uint32_t compiler;		/* "GNU C17 12.2.0" */
  uint32_t output_dir;		/* of -fprofile-mem-generate=DIR, or "" */
  uint32_t module_names;	/* of -fprofile-mem-modules=LIST, or "" */
  uint32_t options_hash;	/* of the options that change code */
  uint32_t options;		/* their text */
  uint32_t types, fields, obstacles;	/* rows */
  uint32_t left_out;		/* events that the unit does not report:
				   module_events.h */
  uint32_t mode;		/* enum mprt_mode */
  uint32_t object_bytes;	/* MPRT_MODE_OBJECTS: smaller ones do not count */
  uint32_t callees, frames, calls;	/* rows */
};

/* What the unit reports.  */
enum mprt_mode
{
  MPRT_MODE_FULL = 0,		/* everything */
  MPRT_MODE_OBJECTS = 1,	/* births and deaths of large objects only */
  MPRT_MODE_SAMPLE = 2		/* everything, in bursts */
};

enum mprt_function_flags { MPRT_FN_COMDAT = 1, MPRT_FN_STATIC = 2 };

struct mprt_function
{
  uint32_t file;	   /* source name of its TRANSLATION_UNIT_DECL: the file of
			      all rows of the function that name none */
  uint32_t name;	   /* for people: "Tree::insert" */
  uint32_t linkage_name;   /* no other function of this file has it */
  uint32_t line;
  uint32_t checksum;	   /* of the CFG and the sites: doc/feedback-format */
  uint32_t flags;
  uint32_t first_loop, loops;
  uint32_t first_site, sites;
  uint32_t line_file;	   /* of `line', if it is not `file': a header */
  uint32_t first_frame, frames;
};

struct mprt_loop
{
  uint32_t function;
  uint32_t parent;	   /* row index, or MPRT_NONE */
  uint32_t file;	   /* "" = the function's file */
  uint32_t line, column;
  uint32_t frame;
};

/* A call that was inlined.  `frame' of a site, a loop or another call says which one it was inlined
   with: 1 is the first row of the function, 0 none.  A call is after the one around it.  */
struct mprt_inlined
{
  uint32_t frame;	   /* around it */
  uint32_t name;	   /* of the inlined function, for people */
  uint32_t file;	   /* of the call; "" = the function's file */
  uint32_t line, column;
};

/* A call, that was not inlined, of a function that a system header defines.  In the order of the callers.  */
struct mprt_header_call
{
  uint32_t function;	   /* row of the caller */
  uint32_t callee;	   /* linkage name */
  uint32_t file;	   /* "" = the function's file */
  uint32_t line;
};

struct mprt_site
{
  uint32_t function;
  uint32_t kind;	   /* enum mprt_op: load or store */
  uint32_t file;	   /* "" = the function's file */
  uint32_t line, column;
  uint32_t width;	   /* bytes; 0 = known only when it runs */
  uint32_t loop;	   /* row index of the innermost loop, or MPRT_NONE */
  uint32_t type;	   /* record type accessed: "struct node", or "" */
  uint32_t field;	   /* "next", "pos.x", or "" */
  uint32_t expression;	   /* "p->next" */
  uint32_t frame;
  uint32_t header;	   /* "file:line:column" in a system header, if the place is a call of it */
  uint32_t flags;
  /* What the language keeps apart; 0: not known.  */
  uint32_t scalars;	   /* enum mprt_scalar: of what it accesses */
  uint32_t record_bytes;   /* of the record `type' */
  uint32_t first_byte;	   /* of that, from which on it accesses */
  uint32_t bytes;	   /* of the part of it that is accessed */
};
/* INTEGER and FLOAT are of one byte; those of 2^N bytes are N bits further to the left.  */
#define MPRT_SCALAR_SIZES 5
enum mprt_scalar
{
  MPRT_SCALAR_INTEGER = 1,
  MPRT_SCALAR_FLOAT = 1 << MPRT_SCALAR_SIZES,
  MPRT_SCALAR_POINTER = 1 << 2 * MPRT_SCALAR_SIZES
};
/* POINTER: what it moves is a pointer.  SAMPLED: in sample mode, loop samples report how
   often it is executed outside of bursts.  */
enum mprt_site_flags
{
  MPRT_SITE_VOLATILE = 1,
  MPRT_SITE_ATOMIC = 2,
  MPRT_SITE_POINTER = 4,
  MPRT_SITE_SAMPLED = 8
};

struct mprt_alloc_site
{
  uint32_t function;
  uint32_t file, line, column;
  uint32_t allocator;	   /* "malloc", "operator new", "xmalloc" */
  uint32_t type;	   /* element type when known, or "" */
  uint32_t wrapper;	   /* "NAME:ARG" if the function returns what is allocated, or "" */
};

struct mprt_global
{
  uint32_t name, file, line, type;
  uint32_t bytes_low, bytes_high;
};

struct mprt_local
{
  uint32_t function, name, line, type;
  uint32_t bytes_low, bytes_high;
};

/* A record type that a site accesses, or of which there are obstacles, and its
   fields by position.  bytes 0: it is incomplete here.  A row without a name has
   facts about functions.  */
struct mprt_type
{
  uint32_t name;	   /* as in mprt_site */
  uint32_t file, line;	   /* of its definition; the file without folders */
  uint32_t key;		   /* hash of the definition; 0: not known */
  uint32_t bytes, align;
  uint32_t first_field, fields;
  uint32_t flags;
};
/* CHECKED: this unit has said all that it knows of against moving fields.  */
enum mprt_type_flags { MPRT_TYPE_PACKED = 1, MPRT_TYPE_CHECKED = 2 };

/* Something in the unit that depends on where the fields of a type lie.  The
   kinds are those of consumers/decide/legality.h; and

     external   the function or variable `detail' knows the type, and is not
		defined here: an obstacle unless the program defines it
     from       a pointer to the type is what the function `detail' returns as
		void *: an obstacle unless that allocates
     allocates  (row without a name) the function `detail' returns new memory  */
struct mprt_obstacle
{
  uint32_t type;	   /* row */
  uint32_t kind, detail;
  uint32_t file, line;
};

/* A function that code of the unit calls and that may write memory; it is not instrumented
   unless another unit says so. DEFINED: a public function of this unit that has no row of
   mprt_function, as it accesses no memory.  */
struct mprt_callee
{
  uint32_t name;	   /* assembler name */
  uint32_t flags;
};
enum mprt_callee_flags { MPRT_CALLEE_DEFINED = 1 };

struct mprt_field
{
  uint32_t name;	   /* "" = it has none */
  uint32_t declaration;	   /* in C, needs no other one: "struct node *next" */
  uint32_t offset, bytes;  /* bytes 0: a bit-field, or the array at the end */
  uint32_t align;
  uint32_t bit_offset, bits;  /* of a bit-field, from `offset' on */
};

/* What the constructor passes.  Each descriptor table is the descriptors of
   one function, one after the other, each padded to MPRT_DESC_ALIGN.  */
struct mprt_desc_table
{
  const uint64_t *words;
  uint64_t count;
};

struct mprt_unit
{
  uint64_t abi;			/* MPRT_ABI */
  const void *blob;
  uint64_t blob_bytes;
  const struct mprt_desc_table *desc_tables;
  uint64_t desc_table_count;
  const void *const *globals;	/* addresses; blob rows in the same order */
  uint64_t global_count;
  /* One byte per allocation site: the address of byte i names site i.  */
  const unsigned char *alloc_sites;
  uint64_t alloc_site_count;
  const char *backend;		/* absolute path of the memprof-backend that
				   belongs to this plugin; may be null */
  /* Sample mode: for each row of functions where it counts its first entries
     (MPRT_FIRST_ENTRY), or null.  */
  const int64_t *const *entry_weights;
  uint64_t entry_weight_count;	/* functions, or 0 */
};

#endif
