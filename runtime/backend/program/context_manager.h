// context_manager.h - calling contexts: push, pop, a small number for each.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A context is the path of functions from the start of a thread to where it is.
// Paths form a tree; a context is the number of its node, 0 the root:
//
//     main calls f and g, f calls g       main 1, main f 2, main g 3, main f g 4
//
// A function that is active already does not make the path longer: control is in
// the context of its first activation again. So recursion has few contexts, of at
// most as many functions as the program has.
//
// ContextTree names contexts, for all threads; ContextManager follows a thread.
// Returns without a call are ignored. An exception or a longjmp leaves functions
// without a word: the one where it arrives tells its frame (resume), and the stack
// grows downwards, so functions whose frames lie below are over.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/backend/event/module.h"

namespace memprof::backend {

using ContextId = std::uint32_t;

class ContextTree {
 public:
  ContextTree() : nodes_(1) {}

  // FUNCTION called from CONTEXT.
  ContextId child(ContextId context, FunctionId function) {
    for (ContextId c = context; c != 0; c = nodes_[c].parent)
      if (nodes_[c].function == function) return c;
    const auto [at, fresh] = children_.try_emplace(
        std::uint64_t{context} << 32 | function, static_cast<ContextId>(nodes_.size()));
    if (fresh) nodes_.push_back({context, function});
    return at->second;
  }
  // Innermost function first.
  std::vector<FunctionId> decode(ContextId context) const {
    std::vector<FunctionId> path;
    for (; context != 0; context = nodes_[context].parent)
      path.push_back(nodes_[context].function);
    return path;
  }
  // "g < f < main"
  std::string text(ContextId context, const ProgramInfo& program) const {
    std::string text;
    for (const FunctionId function : decode(context))
      text += (text.empty() ? "" : " < ") + program.function_name(function);
    return text;
  }

 private:
  struct Node {
    ContextId parent = 0;
    FunctionId function = 0;
  };
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, ContextId> children_;
};

class ContextManager {
 public:
  // FUNCTION begins at ENTERED (loop_context.h).
  void push(ContextTree& tree, FunctionId function, std::uint64_t frame,
            std::uint64_t entered = 0) {
    stack_.push_back({function, tree.child(encode(), function), frame, entered});
  }
  void pop(FunctionId function) {
    for (std::size_t i = stack_.size(); i-- > 0;)
      if (stack_[i].function == function) {
        stack_.resize(i);
        return;
      }
  }
  void resume(std::uint64_t frame) {
    while (!stack_.empty() && stack_.back().frame < frame) stack_.pop_back();
  }
  ContextId encode() const { return stack_.empty() ? 0 : stack_.back().context; }
  // The innermost call that is still going on and had begun at STAMP, by its
  // function; 0: there is none.
  FunctionId since(std::uint64_t stamp) const {
    for (std::size_t i = stack_.size(); i-- > 0;)
      if (stack_[i].entered <= stamp) return stack_[i].function;
    return 0;
  }

 private:
  struct Active {
    FunctionId function;
    ContextId context;
    std::uint64_t frame, entered;
  };
  std::vector<Active> stack_;
};

}  // namespace memprof::backend
