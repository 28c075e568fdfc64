// frames.h - the inlined calls of a function, and the chain from a site to the function.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Each function has a list of the calls that were inlined into it.  A call names the one around it,
// a site and a loop the one that they were inlined with: the innermost.  Numbers begin with 1;
// 0 means the function's own code.
//
//     int main () { return sum (v); }                  // m.c:9, calls at (v, i) in line 4
//
//     frames: [{"name": "sum", "line": 9}, {"frame": 1, "name": "at", "line": 4}]
//     sites:  [{..., "line": 2, "frame": 2}]           // the load of at
//
// chain (main, 2) is at, called in m.c:4, and sum, called in m.c:9.
#pragma once

#include <cstdint>
#include <vector>

#include "feedback/model.h"

namespace memprof::feedback {

// The calls from FRAME of FUNCTION outwards; FRAME has been checked.
std::vector<const Frame*> chain(const Function& function, std::uint32_t frame);

// Adds the calls of FROM that TO does not have.  The result has their numbers in TO by their numbers in FROM.
std::vector<std::uint32_t> add_frames(const std::vector<Frame>& from, std::vector<Frame>& to);

// Drops the calls that no site and no loop names, and numbers the others in the order of the sites.
void number_frames(Function& function);

}  // namespace memprof::feedback
