/* record.h - what a record in the event stream looks like.
   SPDX-License-Identifier: GPL-3.0-or-later WITH GCC-exception-3.1

   The one definition of the stream, included by the plugin (which emits code
   that writes records), by the runtime (which writes control records) and by
   memprof-backend (which reads both).  C and C++, only <stdint.h>.

   A stream is a sequence of 8-byte words, cut into chunks (ring.h).  A record
   is a header word and up to 62 more; it never straddles two chunks.

     header word of a *site record*      descriptor address | record words
     header word of a *control record*   kind << 6          | record words

   Descriptors are 64-byte aligned, so the low 6 bits are free for the length,
   and no descriptor lies below 4096, so the two cannot be confused.

   A descriptor is constant data in the instrumented program that says what the
   words of its records mean; the backend gets a copy when the unit is loaded
   (MPRT_UNIT_LOAD) and never touches the program's memory.  For

       p->count += q[1];             // sites 4 (load q), 5 (load p), 6 (store p)

   in one basic block, the record is { descriptor | 3, q, p } and the descriptor
   has three entries: {site 4, base word 1, offset 8}, {5, 2, 16}, {6, 2, 16}.

   A descriptor is an array of words: word 0 is the MPRT_DESC_* header, then
   come the entries in execution order, MPRT_RANGE_ENTRY_WORDS words each in a
   range, MPRT_BLOCK_ENTRY_WORDS in others (MPRT_MOVE in a nest).

     entry word 0   MPRT_ENTRY_*: site, base word, length word, op, width
     entry word 1   byte offset from the base word; the whole address (a
                    relocated constant) when base is MPRT_BASE_ABSOLUTE
     range only:
     entry word 2   constant step in bytes, if the step word is 0
     entry word 3   MPRT_STEP_*: index of the record word that holds the step,
                    and how many executions fewer than `count' there are;
                    MPRT_INDEX_*: if there is an index that may wrap around, the
                    record word that holds it, and its modulus

   Kinds of descriptor:

     BLOCK  accesses that are executed one after the other, each once, and
            loops that begin, iterate or end between them (MPRT_OP_ENTER,
            _ITERATION, _EXIT).  An access may be followed by its value.  With MPRT_DESC_ITERATION, the record starts an
            iteration of its loop before its first entry.
     RANGE  record word 1 is `count': a whole execution of an innermost loop
            that has no other records.  Represents: loop entry; `count'
            iterations, each of which performs, in order, the entries whose
            index k of iteration satisfies k < count - minus, at address
            start + k * step, or start + (index + k * step) mod modulus;
            loop exit.
     RESUME an exception or a longjmp has arrived in a function, inside the loop
            or outside of all loops of the function (MPRT_NO_LOOP).  Word 1 is
            its frame address: loops of deeper frames are over, and those of
            this frame that do not hold the place.
     TALLY  accesses that were counted while a loop ran.  An entry represents as
            many executions as its length word says, none of which anything could
            free memory between, all in the object that its address lies in; its
            width is that of the site.
     COVERED has no records.  Its entries name covered sites, which no record
            names: each is executed as often as the site whose row is the entry's
            width, in the same objects or, if the base is MPRT_BASE_ABSOLUTE, in
            the variable there.
     RUN    a block that is executed several times with nothing in between: the
            iterations of a loop. A BLOCK's record of 1 + c + n words, of which
            the first c (MPRT_DESC_COMMON) advance by constants, is shortened
            for all executions but the first to the other n; how many there are
            follows from the record's length. The c steps stand after the
            entries, which are accesses of static width.

	      { header | 1 + c + 3 n,  c words,  n words, n words, n words }

     NEST   a whole execution of a loop that does nothing but to execute another
            one, which a RANGE or a NEST describes, once in each iteration.  Word 1
            is the number of iterations, word 2 and those after it are the
            record of the inner loop in the first one; if word 2 is 0, no iteration
            executes that loop.  The entries say which words of the inner record
            move from one iteration to the next, and how far.

	      for (i = 0; i < 3; i++)		a of 800 bytes per row
		for (j = 0; j < 100; j++)
		  a[i][j] = 0;			{ nest | 5, 3, range | 3, 100, a }

            If its loop is MPRT_NO_LOOP, its iterations are not needed.

   The loop of a descriptor is an index into the unit's loops (site_table.h);
   an iteration is one execution of the loop header.  */

#ifndef MEMPROF_WIRE_RECORD_H
#define MEMPROF_WIRE_RECORD_H

#include <stdint.h>

/* Changes whenever a layout in runtime/wire does; checked at attach, in every
   unit and in every stream file.  */
#define MPRT_ABI 27u

enum
{
  MPRT_LENGTH_BITS = 6,
  MPRT_LENGTH_MASK = 63,
  MPRT_MAX_RECORD_WORDS = 63,
  /* Below the limit there is room for this number of words and a CHUNK_END:
     instrumented code need not look at the limit for each record.  */
  MPRT_ROOM_WORDS = 255,
  MPRT_DESC_ALIGN = 64,
  MPRT_CONTROL_LIMIT = 4096,	/* header words below this are control records */
  MPRT_BLOCK_ENTRY_WORDS = 2,
  MPRT_RANGE_ENTRY_WORDS = 4,
  MPRT_MAX_ENTRIES = 255
};

/* Descriptor header word.  */
enum mprt_desc_kind
{
  MPRT_DESC_BLOCK = 0,
  MPRT_DESC_RANGE = 1,
  MPRT_DESC_RESUME = 2,
  MPRT_DESC_TALLY = 3,
  MPRT_DESC_COVERED = 4,
  MPRT_DESC_RUN = 5,
  MPRT_DESC_NEST = 6
};
#define MPRT_DESC_KIND(w) ((unsigned) ((w) & 15))
#define MPRT_DESC_ITERATION (1ull << 4)
#define MPRT_DESC_ENTRIES(w) ((unsigned) ((w) >> 8 & 255))
#define MPRT_DESC_RECORD_WORDS(w) ((unsigned) ((w) >> 16 & 63))
/* Of a RUN the common words; MPRT_DESC leaves it 0.  */
#define MPRT_DESC_COMMON(w) ((unsigned) ((w) >> 22 & 63))
#define MPRT_DESC_COMMON_FIELD(words) ((uint64_t) (words) << 22)
#define MPRT_DESC_LOOP(w) ((uint32_t) ((w) >> 32))
#define MPRT_NO_LOOP 0xffffffffu
#define MPRT_DESC(kind, flags, entries, words, loop)                           \
  ((uint64_t) (kind) | (flags) | (uint64_t) (entries) << 8                     \
   | (uint64_t) (words) << 16 | (uint64_t) (loop) << 32)

/* Entry word 0: site:24 | base:6 | length word:6 | op:4 | width:24.  */
enum mprt_op
{
  MPRT_OP_LOAD = 0,
  MPRT_OP_STORE = 1,
  /* Memory written by code that is not instrumented (read, recv, ...): no
     execution, but later loads depend on the writer EXTERNAL.  `site' is
     meaningless.  */
  MPRT_OP_EXTERNAL_STORE = 2,
  /* A local variable comes to life: its bytes have no writer.  `site' is an
     index into the unit's locals.  */
  MPRT_OP_LOCAL_BIRTH = 3,
  /* An invocation of a loop begins (before its first iteration), an iteration
     begins, the invocation ends.  `site' is the row of the loop.  The base word
     of ENTER is the frame address of the function, or 0: none.  A reader pops
     to the loop that ends, and ignores an EXIT without one.  */
  MPRT_OP_ENTER = 4,
  MPRT_OP_ITERATION = 5,
  MPRT_OP_EXIT = 6,
  /* The value that the access of the entry before has moved, zero-extended: its
     `address'.  A constant is that of MPRT_BASE_ABSOLUTE.  */
  MPRT_OP_VALUE = 7,
  /* A function begins, with its frame address as base word; it returns.  `site'
     is its row.  Left by an exception or a longjmp it says nothing: see RESUME.  */
  MPRT_OP_FUNCTION_ENTER = 8,
  MPRT_OP_FUNCTION_EXIT = 9,
  /* The function, whose row is `site', was passed a pointer as argument number
     `width', from 1, or returns it (0).  */
  MPRT_OP_POINTER = 10,
  /* The callee whose row is `site' has returned.  Unless it is instrumented: it is one call
     of it if the width is MPRT_EXTERNAL_CALL; else it was passed the address, and may have
     written the object there, or, where none is known, that number of bytes.  */
  MPRT_OP_EXTERNAL_CALL = 11
};
#define MPRT_EXTERNAL_CALL MPRT_MAX_STATIC_WIDTH
#define MPRT_ENTRY_SITE(w) ((uint32_t) ((w) & 0xffffff))
#define MPRT_ENTRY_BASE(w) ((unsigned) ((w) >> 24 & 63))
#define MPRT_ENTRY_LENGTH_WORD(w) ((unsigned) ((w) >> 30 & 63))
#define MPRT_ENTRY_OP(w) ((unsigned) ((w) >> 36 & 15))
#define MPRT_ENTRY_WIDTH(w) ((uint32_t) ((w) >> 40))
#define MPRT_BASE_ABSOLUTE 63u
/* With a length word, the width is the value of that record word (0 bytes is
   an execution that touches nothing); otherwise it is the static width.  */
#define MPRT_MAX_STATIC_WIDTH 0xffffffu
#define MPRT_MAX_SITES 0xffffffu
#define MPRT_ENTRY(site, base, length_word, op, width)                         \
  ((uint64_t) (site) | (uint64_t) (base) << 24                                 \
   | (uint64_t) (length_word) << 30 | (uint64_t) (op) << 36                    \
   | (uint64_t) (width) << 40)

/* Range entry word 3.  */
#define MPRT_STEP_WORD(w) ((unsigned) ((w) & 63))
#define MPRT_STEP_MINUS(w) ((unsigned) ((w) >> 8 & 1))
#define MPRT_STEP(word, minus) ((uint64_t) (word) | (uint64_t) (minus) << 8)
/* word:6 | modulus:42, above what MPRT_STEP takes; modulus 0: no index.  */
#define MPRT_INDEX_WORD(w) ((unsigned) ((w) >> 16 & 63))
#define MPRT_INDEX_MODULUS(w) ((uint64_t) (w) >> 22)
#define MPRT_MAX_MODULUS ((1ll << 42) - 1)
#define MPRT_INDEX(word, modulus)                                              \
  ((uint64_t) (word) << 16 | (uint64_t) (modulus) << 22)

/* Entry of a nest, word 0: the number of the word that moves, in the inner record,
   and the word of the whole record that says how far, or 0: entry word 1 does.  */
#define MPRT_MOVE_WORD(w) ((unsigned) ((w) & 63))
#define MPRT_MOVE_STEP_WORD(w) ((unsigned) ((w) >> 8 & 63))
#define MPRT_MOVE(word, step_word)                                             \
  ((uint64_t) (word) | (uint64_t) (step_word) << 8)
/* The inner record begins with this word.  */
#define MPRT_NEST_INNER 2

/* Control records.  [n] is the number of words including the header.  A ticket
   of 0 means that the process has had one thread so far (ring.h, "Order").  */
enum mprt_control
{
  MPRT_CHUNK_END = 1,	   /* [1] the rest of this chunk is unused */
  MPRT_UNIT_LOAD = 2,	   /* [2] unit address; DATA follows: see ring.h */
  MPRT_DATA = 3,	   /* [3] address, bytes; the bytes follow, padded to 8,
			      not counted in the record's length */
  MPRT_UNIT_UNLOAD = 4,    /* [2] unit address */
  MPRT_BIRTH = 5,	   /* [7] address, bytes, allocation site, return
			      address, enum mprt_allocator, ticket */
  MPRT_DEATH = 6,	   /* [3] address, ticket */
  MPRT_REALLOC_REQUEST = 7,/* [3] old address, ticket: the old object may die */
  MPRT_REALLOC_RESULT = 8, /* [8] old address, new address (0: failed, the old
			      object lives), bytes, allocation site, return
			      address, allocator, ticket */
  MPRT_TICKET = 9,	   /* [2] ticket */
  MPRT_THREAD_START = 10,  /* [5] thread number (0 = main), ticket, lowest
			      address of its stack, end of its stack */
  MPRT_THREAD_END = 11,	   /* [2] ticket */
  MPRT_MARKER = 12,	   /* [3] enum mprt_marker, value */
  MPRT_PROGRAM_END = 13,   /* [3] enum mprt_end, exit status */
  MPRT_SIGNAL_ENTER = 14,  /* [3] interrupted ring, bytes published in it */
  MPRT_SIGNAL_EXIT = 15,   /* [1] */
  MPRT_LOST = 16,	   /* [2] events that could not be recorded here */
  MPRT_UNIT_READY = 17,    /* [2] unit address: its DATA is complete */
  MPRT_SNAPSHOT = 18,	   /* [2] token: the program forks; ring.h, "Fork" */
  MPRT_WRITTEN = 20,	   /* [3] address, bytes: as MPRT_OP_EXTERNAL_STORE */
  MPRT_ENTRIES = 21,	   /* [5] unit address, enum mprt_entries, first of 16 rows of functions,
			      how often each was entered: MPRT_ENTRIES_OF */
  MPRT_LOOP_SAMPLE = 19	   /* [n] how many executions it represents (0: it is only
			      one of the first), the words of a RANGE record: what
			      a loop did outside of bursts; or of a BLOCK record:
			      what a call did */
};

/* How __mprt_scattered finds what a call has written: an array of struct iovec, a struct
   msghdr, an array of struct mmsghdr; BUFFER: it is a buffer, and the count the address of a
   32-bit length that is written, too.  */
enum mprt_scattered
{
  MPRT_SCATTERED_BUFFER,
  MPRT_SCATTERED_LIST,
  MPRT_SCATTERED_MESSAGE,
  MPRT_SCATTERED_MESSAGES
};

/* Bytes that a call moves at least of which samples are taken outside of bursts.  */
#define MPRT_LONG_CALL 8192

/* Places of an early burst.  */
#define MPRT_EARLY_PLACES 64

/* Sample mode: an entry of a function that has bodies of both kinds takes as many places
   from the countdown as a word of its own says: 1, and for each of its first entries that
   is still to come MPRT_FIRST_ENTRY more, so that the runtime is asked.  */
#define MPRT_FIRST_ENTRIES 8
#define MPRT_FIRST_ENTRY (1ll << 44)

/* Entries of function I of a record MPRT_ENTRIES: MPRT_FIRST_ENTRIES represents as many or more, and
   MPRT_ENTRIES_UNKNOWN for a function that does not count them.  The counts go on through a fork or
   a dump, so a stream says what they were BEFORE it; what is 0 is left out.  */
#define MPRT_ENTRIES_OF(counts, i) ((unsigned) ((counts) >> 4 * (i)) & 15)
#define MPRT_ENTRIES_UNKNOWN 15u
enum { MPRT_ENTRIES_PER_RECORD = 16 };
enum mprt_entries { MPRT_ENTRIES_BEFORE, MPRT_ENTRIES_END };

/* Tags of MPRT_MARKER.  Between a burst and the next one there are no site records
   of that thread; lengths are numbers of places where a burst could begin.  */
enum mprt_marker
{
  MPRT_BURST_BEGIN = 1,	   /* value: places passed since the burst before */
  MPRT_BURST_END = 2,	   /* value: places in the burst */
  MPRT_BURST_REST = 3,	   /* value: places passed after the last burst */
  MPRT_GAP = 4,		   /* the program had stopped the recording */
  MPRT_EARLY_BEGIN = 5,	   /* of an early burst, whose records represent no
			      executions; value: as BURST_BEGIN */
  MPRT_EARLY_END = 6,	   /* value: places in it */
  MPRT_FIRST_BEGIN = 7,	   /* as EARLY_BEGIN, at a first entry of a function: what
			      it shows represents itself alone */
  MPRT_WINDOW_BEGIN = 8,   /* of a window, whose records say when memory is reused and
			      nothing else; value: as BURST_BEGIN */
  MPRT_WINDOW_END = 9	   /* value: places in it */
};
#define MPRT_CONTROL_HEADER(kind, words) ((uint64_t) (kind) << 6 | (words))
#define MPRT_CONTROL_KIND(w) ((unsigned) ((w) >> 6))

/* `allocation site' is 0 or the address of the word of the unit's
   allocation-site table (site_table.h) whose call is being executed.  */
enum mprt_allocator
{
  MPRT_MALLOC, MPRT_CALLOC, MPRT_REALLOC, MPRT_MEMALIGN, MPRT_MMAP,
  MPRT_CUSTOM,
  MPRT_UNMAP /* nothing is born: what is mapped at these bytes ends */
};

enum mprt_end
{
  MPRT_END_EXIT, MPRT_END_EXEC, MPRT_END_OFF,
  MPRT_END_DUMP,  /* another stream follows */
  MPRT_END_RESET  /* the same; this profile is not written */
};

#endif
