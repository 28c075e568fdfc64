/* arena.h - calls of the arenas by hand, as the plugin makes them.
   SPDX-License-Identifier: GPL-3.0-or-later  */
#ifndef ARENA_H
#define ARENA_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
struct cell { unsigned site, calls; unsigned long plain; };
#define SHARED { 0xffffu << 16, 0, 0 } /* of an arena for several calls */
void *__mprt_hot_malloc (size_t, struct cell *);
void *__mprt_hot_calloc (size_t, size_t, struct cell *);
void *__mprt_hot_realloc (void *, size_t, struct cell *);
void *__mprt_hot_Znwm (size_t, struct cell *);
/* Of the call of a wrapper, and of what the wrapper calls.  */
void __mprt_arena_hint (struct cell *);
void *__mprt_hinted_malloc (size_t);
void *__mprt_hinted_calloc (size_t, size_t);
void *__mprt_hinted_realloc (void *, size_t);
#ifdef __aarch64__
#define JUMP_TO(name) "b " #name "\n"
#else
#define JUMP_TO(name) "jmp " #name "@PLT\n"
#endif
/* What each object file has: for links without the library, and to ask for it.  */
#define FALLBACK(name, old)                                                   \
  __asm__ (".weak __mprt_hot_" #name "\n__mprt_hot_" #name ": " JUMP_TO (old) \
	   ".comm __mprt_arena_wanted,4,4\n.comm __mprt_slabs_wanted,4,4\n"        \
	   ".comm __mprt_new_wanted,4,4\n.comm __mprt_hints_wanted,4,4\n")
#define HINTS_FALLBACK                                                        \
  __asm__ (".weak __mprt_arena_hint\n__mprt_arena_hint: ret\n"              \
	   ".weak __mprt_hinted_malloc\n__mprt_hinted_malloc: " JUMP_TO (malloc) \
	   ".weak __mprt_hinted_calloc\n__mprt_hinted_calloc: " JUMP_TO (calloc) \
	   ".weak __mprt_hinted_realloc\n__mprt_hinted_realloc: " JUMP_TO (realloc))
#ifdef __cplusplus
}
#endif
#endif
