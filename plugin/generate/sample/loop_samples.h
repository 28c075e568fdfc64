/* loop_samples.h - sample mode: samples of whole loops and long calls.
   SPDX-License-Identifier: GPL-3.0-or-later

   One record can represent a whole loop, or for a call like memcpy.  Bursts begin at such
   places only, and seldom meet the long ones.  So the unprofiled body of a function writes
   these records, too, once in a number of iterations (mprt_loop_samples.cc):

     f (p, n)			f (p, n)
     {				{
				  if ((__mprt_work -= n) < 0 || n >= 512)
				    __mprt_loop_sample (range record)
       loop			  loop
	 p[i] = 0;		    p[i] = 0;
       memcpy (q, p, m);	  if (m >= 8192)
				    __mprt_call_sample (block record)
     }				  memcpy (q, p, m);
				}

   Instrumented bodies get the same code, which unprofiled_body.cc switches off there: they
   have the record itself.  */

#ifndef MEMPROF_LOOP_SAMPLES_H
#define MEMPROF_LOOP_SAMPLES_H

#include "plugin/generate/edge_places.h"
#include "plugin/generate/record_emit.h"

namespace memprof::plugin {

/* Emits the samples of the calls in FUN that move much.  SITES are those of FUN; row
   FIRST_SITE belongs to the first of them.  */
void sample_calls (function *fun, const auto_vec<access_site> &sites,
		   unsigned first_site, record_emitter &emitter,
		   name_expansions &expansions, edge_places &places);

} // namespace memprof::plugin

#endif
