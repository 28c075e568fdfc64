/* wrapping_index.h - affine addresses whose index may wrap around.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_WRAPPING_INDEX_H
#define MEMPROF_WRAPPING_INDEX_H

#include "plugin/generate/planned_record.h"
#include "plugin/generate/record_words.h"

namespace memprof::plugin {

/* Whether the address of REF, which STMT accesses in LOOP, is invariant but for
   one index of a narrow unsigned type that advances by invariant steps.  Sets what
   *ENTRY says about addresses.  */
bool find_wrapping_index (tree ref, gimple *stmt, class loop *loop,
			  name_expansions &expansions, range_entry *entry);

} // namespace memprof::plugin

#endif
