// convergence.h - when sample mode has seen enough.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The measure is how executions spread over sites. It is compared after 4, 8, 16,
// ... bursts, each time with what it was after half as many: a single burst among
// many changes little even in a program that has just begun to do something else.
//
//     after        4 bursts     8 bursts     16 bursts
//     site 1          60 %         50 %          51 %
//     site 2          40 %         50 %          49 %
//     change                       10 %           1 %
//
// The change is half the sum of all differences: the share of the executions that
// belong to other sites than before.
#pragma once

#include <cstdint>
#include <vector>

namespace memprof::backend {

class Convergence {
 public:
  // A change of less than PERCENT is none; 0: there is always one.
  explicit Convergence(double percent) : limit_(percent / 100) {}

  // Whether note() wants to be called after BURSTS bursts.
  bool due(std::uint64_t bursts) const { return limit_ > 0 && bursts >= next_; }
  // EXECUTIONS of all sites so far. True: that will do.
  bool note(std::vector<std::uint64_t> executions);

 private:
  double limit_;
  std::uint64_t next_ = 4;
  std::vector<std::uint64_t> before_;
};

}  // namespace memprof::backend
