/* loop_runs.h - loops whose iterations share records.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_LOOP_RUNS_H
#define MEMPROF_LOOP_RUNS_H

#include "plugin/generate/loop_events.h"

namespace memprof::plugin {

/* Sets `run' of those RECORDS whose executions may share a record.  EVENTS and
   RECORDS are all that are written in blocks of FUN.  */
void find_loop_runs (function *fun, auto_delete_vec<block_record> &records,
		     const auto_vec<loop_event> &events);

/* The words of one execution: those that advance by constant steps in the
   loop, and the others.  */
struct run_words
{
  auto_vec<tree> common, own;
  /* Of the common ones: steps, and values in the first iteration.  */
  auto_vec<HOST_WIDE_INT> steps;
  auto_vec<tree> starts;
  /* By old number, from 1: new number.  */
  auto_vec<unsigned> number;

  /* Whether iterations shall share a record: some words differ in each, and one
     advances.  */
  bool worth_it_p () const;
};

/* Divides WORDS, which are computed in LOOP and have a register each.  SCEV and
   dominators must be known.  */
void divide_run_words (class loop *loop, const vec<tree> &words,
		       run_words &result);

/* Emits the code for a run in LOOP: executions before PLACE, of the
   descriptor at HEADER.  Dominators must be known.  */
void emit_run (gimple *place, class loop *loop, tree header,
	       const run_words &words);

} // namespace memprof::plugin

#endif
