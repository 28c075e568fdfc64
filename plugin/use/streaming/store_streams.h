/* store_streams.h - the stores of a loop that write memory line by line.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_STORE_STREAMS_H
#define MEMPROF_STORE_STREAMS_H

#include "plugin/use/bridge.h"

namespace memprof::plugin {

/* Stores of an innermost loop that lie side by side and together advance by as many bytes per
   iteration as they write.  */
struct store_stream
{
  auto_vec<gassign *> stores;	// by address
  auto_vec<unsigned> ordinals;	// of their sites, each once
  HOST_WIDE_INT bytes = 0;	// per iteration
  // Why they write no whole lines; null: they do.
  const char *obstacle = nullptr;
};

/* What an innermost loop moves from and to memory.  */
class store_streams
{
public:
  explicit store_streams (class loop *loop);
  ~store_streams ();

  /* Those whose sites the profile knows.  */
  const vec<store_stream *> &streams () const { return streams_; }

  /* Appends the ordinals of the sites of all loads and stores of the loop but those of STREAM.  */
  void other_sites (const store_stream &stream, vec<unsigned> *ordinals) const;

  /* The outermost loop around the innermost one in which STREAM still advances and whose
     iterations are counted before it, perhaps but for those of the innermost one; null: there is none, for
     the reason *OBSTACLE.  */
  class loop *widest_loop (const store_stream &stream, const char **obstacle) const;

  /* Appends code to *SEQ that computes how many bytes STREAM writes in an entry of OUTERMOST, which
     widest_loop returned: modulo 2^64, and without what is done before or after a vector loop.  ROW_BYTES
     is about what an entry of the innermost loop writes.  */
  tree emit_bytes (const store_stream &stream, class loop *outermost, uint64_t row_bytes,
		   gimple_seq *seq) const;

private:
  /* One load or store that advances.  */
  struct reference
  {
    gassign *stmt;
    bool store;
    innermost_loop_behavior where;
    HOST_WIDE_INT size, step, init;
  };

  void scan (gassign *stmt);
  void add_stream (const reference &first, vec<bool> *done);
  static bool together_p (const reference &a, const reference &b);

  class loop *loop_;
  auto_vec<reference> references_;
  auto_vec<gassign *> accesses_;	// all loads and stores
  auto_vec<store_stream *> streams_;
};

} // namespace memprof::plugin

#endif
