/* runtime_decls.h - declarations of what instrumented code uses of the runtime.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_RUNTIME_DECLS_H
#define MEMPROF_RUNTIME_DECLS_H

namespace memprof::plugin {

/* Trees that live as long as the compiler; a GC root each.  */
struct runtime_decls
{
  tree word;			/* unsigned 64-bit integer */
  /* The same with an alias set of its own: what records consist of.  No
     access of the program can touch a record.  */
  tree record_word;
  tree record_pointer;		/* pointer to record_word */
  tree room;			/* __mprt_room, two of record_pointer */
  tree countdown;		/* __mprt_countdown, a signed word */
  tree burst;			/* __mprt_burst */
  tree slow;			/* __mprt_slow */
  tree compared;		/* __mprt_compared */
  tree carved;			/* __mprt_carved */
  tree scattered;		/* __mprt_scattered */
  tree order;			/* __mprt_order */
  tree publish;			/* __mprt_publish */
  tree work;			/* __mprt_work, which may be below 0 */
  tree loop_sample;		/* __mprt_loop_sample */
  tree call_sample;		/* __mprt_call_sample */
  tree last_ticket;		/* __mprt_last_ticket, a word */
  tree guard_ticket;		/* __mprt_guard_ticket, a word of the process */
  tree alloc_site;		/* __mprt_alloc_site, a word */
  tree register_unit;		/* __mprt_unit */
  tree unregister_unit;	/* __mprt_unit_unload */
  /* __builtin_dwarf_cfa, DWARF's canonical frame address: as good as
     __builtin_frame_address to tell frames apart, and leaves GCC the frame
     pointer's register.  A declaration of ours, which says what front ends' does
     not: it is the same all the time that a function runs.  */
  tree frame_address;
};

/* The declarations; made at the first call.  */
const runtime_decls &runtime ();

/* The cursor and the limit, as references that are not shared.  */
tree room_cursor ();
tree room_limit ();
/* Whether T is one of them, or the limit.  */
bool room_p (const_tree t);
bool room_limit_p (const_tree t);

/* A static variable of TYPE called NAME for tables of ours: kept, without
   debug information, and not defined yet.  */
tree make_table_variable (const char *name, tree type, unsigned align_bytes);

/* Keeps VARIABLE, which code refers to before it is defined, from the variables that lie side by side
   (-fsection-anchors): for those, GCC must know the size then, and writes them before PLUGIN_FINISH_UNIT.  */
void place_alone (tree variable);

/* Defines VARIABLE with INITIAL, which gets the variable's type.  */
void define_table_variable (tree variable, tree initial);

/* An array of words as an initialiser; shrinks VARIABLE's type to fit.  */
void define_word_table (tree variable, vec<tree> &words);

/* The constant address of DECL + OFFSET as an initialiser word.  */
tree address_word (tree decl, HOST_WIDE_INT offset);

tree word_constant (unsigned HOST_WIDE_INT value);

/* For plugin_init: tells the garbage collector about the trees kept here.  */
void register_runtime_roots (const char *plugin_name);

} // namespace memprof::plugin

#endif
