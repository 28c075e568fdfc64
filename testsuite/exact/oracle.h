// oracle.h - what the files of the oracle plugin share (oracle_plugin.cc).
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gcc-plugin.h"
#include "tree.h"
#include "context.h"
#include "function.h"
#include "basic-block.h"
#include "cfghooks.h"
#include "tree-pass.h"
#include "gimple.h"
#include "gimple-iterator.h"
#include "gimplify.h"
#include "gimplify-me.h"
#include "ssa.h"
#include "tree-cfg.h"
#include "tree-dfa.h"
#include "tree-eh.h"
#include "tree-into-ssa.h"
#include "pass_manager.h"
#include "cgraph.h"
#include "stringpool.h"
#include "attribs.h"
#include "asan.h"
#include "fold-const.h"
#include "stor-layout.h"
#include "dominance.h"
#include "cfganal.h"
#include "diagnostic.h"
#include "internal-fn.h"
#include "plugin-version.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace oracle {

enum Part {
  part_rhs,      // the right-hand side
  part_lhs,      // what is assigned; for calls, after the call
  part_arg,      // an aggregate argument
  part_pointer,  // *argument, `length' bytes
  part_string,   // *argument, up to and with the NUL
  part_swap,     // *argument, if a compare-and-swap succeeded
  part_asm_in,
  part_asm_out
};

struct Site {
  gimple *stmt;
  Part part;
  unsigned index;   // of the argument or asm operand
  int length;       // argument that holds the length; -1: `bytes'
  long bytes;       // static width; 0: only known when it runs
  bool store;
  bool atomic;
  unsigned id;
};

struct Loop {
  basic_block header;
  std::set<int> blocks;
  unsigned id;
};

// Of the function between the two passes.
extern std::vector<Site> sites;
extern std::vector<tree> locals;    // that live in memory
extern tree scanned_function;
extern unsigned next_id;
extern FILE *map_file;

// oracle_scan.cc
unsigned scan (function *f);
long static_bytes (tree ref);
std::string callee_name (gimple *call);
bool starts (const std::string &s, const char *prefix);
std::vector<Loop> find_loops (function *f);
const Loop *innermost (const std::vector<Loop> &loops, int block,
                       const Loop *but = nullptr);

// oracle_calls.cc
void emit_site (const Site &s);
void emit_allocation (gimple *call);
void emit_pointer (unsigned id, tree pointer, gimple_seq *seq);
void emit_local (tree var, gimple_seq *seq);
gcall *build_hook_call (const char *name, std::initializer_list<tree> args,
                        tree result = void_type_node);
void add_edges (gimple_seq seq, basic_block bb);
void insert_before (gimple *stmt, gimple_seq seq);
void insert_after (gimple *stmt, gimple_seq seq);
tree word (unsigned long value);

}  // namespace oracle
