// array_history.h - sample mode: which sites have stored to the elements of an array, burst by
// burst.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The problem: a burst loads an element whose last store no burst has seen. How long stores
// last (last_writers.h) says little where sites take turns: one fills the array, one changes
// it bit by bit, then it is filled anew. What tells them apart is which sites were seen there since.
//
// The idea: the elements of an array are alike.
//
//   1. Of each burst is kept to how many words each site has stored. One store of N is seen, so
//      it has stored to N times as many, each of them somewhere in its *extent*, which is from
//      the first to the last word where it was ever seen; in an array of records, the words of
//      each 64 bytes that are among those where it was seen.
//   2. So it has stored to one word of that with the chance 1 - exp (-stores / extent).
//   3. The writers of a word are found by a walk back from burst to burst: its sites take that share of
//      what is left. The walk ends when next to nothing is left, after k_steps sites, or where
//      the word's own last store was seen: it has the rest.
//
//     100 words; one store of 50 is seen      burst 1    fill    4 words    200 stores
//                                             burst 2    change  1 word      50 stores
//     burst 3 loads a word: change has 1 - exp (-0.5) = 0.39 of it, fill 0.61 times
//     1 - exp (-2) = 0.53; that is 0.43 and 0.57.
//
// Some arrays are not like that; last_writers.h has the answer, or what was left at their places
// is (inferred_dependences.h):
//
//   * one that loops fill as a whole;
//   * one whose elements are not alike, say memory that the program's own allocator hands out,
//     or a structure. That is tested: for a word whose last store was seen, once, steps 2 and 3
//     are done as if it had not been. If the right site gets less than k_alike on average, the
//     elements are not alike.
//
// Sites whose stores the language does not let the load read are left out, in the test, too.
// A word that bursts have seen several stores to is asked about there, too.
//
// Bounds: of each array the sites, and those that stored in the last bursts: k_max_events.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "feedback/flat_map.h"
#include "runtime/backend/event/module.h"

namespace memprof::backend {

class ArrayHistory {
 public:
  static constexpr std::size_t k_max_events = 4096;

  struct Key {
    GroupId group;
    std::uint32_t object;
    bool operator==(const Key&) const = default;
  };
  // Of a word: the last store that was seen, and its time; site 0: none was seen.
  struct Seen {
    SiteId site = 0;
    std::uint64_t clock = 0;
    std::uint32_t times = 0;  // when some store was seen
  };
  using Shares = std::span<const std::pair<SiteId, double>>;

  // Words [low, end), to COUNT of which SITE has stored; a loop that FILLS an array, or not.
  struct Stores {
    std::uint64_t low, end, count;
    std::uint32_t residues;  // of the words modulo k_residues: a bit each
    SiteId site;
    bool fills = false;
  };
  static constexpr std::uint64_t k_residues = 32;
  explicit ArrayHistory(const ProgramInfo& program) : program_(program) {}

  // In the burst at CLOCK, or between bursts; one store of ONE_IN is seen.
  void store(const Key& array, const Stores& stores, std::uint64_t clock, double one_in);
  // The writers of what LOAD reads of WORD, as shares of 1, before the burst at CLOCK; valid
  // until the next question. Empty: nothing is known, or elements are not alike.
  Shares ask(SiteId load, const Key& array, std::uint64_t word, std::uint64_t clock, Seen seen);

 private:
  static constexpr std::size_t k_steps = 32;
  static constexpr double k_least = 0.02;  // of what is left
  static constexpr double k_alike = 0.3;
  static constexpr double k_filled = 0.1;  // of all stores
  // Words that are taken for rightly foretold before any has been asked about; with how many
  // it is known.
  static constexpr double k_trusted = 4, k_tested = 4096;

  struct Site {
    SiteId site;
    std::uint32_t residues = 0;
    std::uint64_t low, end;
    std::uint64_t event = 0;  // its last one, by number

    bool in_extent(std::uint64_t word) const {
      return low <= word && word < end && (residues >> word % k_residues & 1) != 0;
    }
    double extent() const {
      return std::max(1.0, static_cast<double>(end - low) * std::popcount(residues) / k_residues);
    }
  };
  struct Event {
    std::uint64_t clock;
    std::uint32_t site;  // number
    float stores;        // that those which were seen represent
  };
  struct Array {
    std::vector<Site> sites;
    feedback::FlatMap<SiteId, std::uint32_t> numbers;
    std::vector<Event> events;      // in the order of time
    std::uint64_t forgotten = 0;    // events before the first one
    double stores = 0, filled = 0;  // to words: by themselves, by loops
    // Words that were asked about, and the shares of the right sites: before the burst at `now',
    // and in it, since a burst is not looked at in the order of time.
    struct Tested {
      double words = 0, right = 0;
    };
    Tested before{k_trusted, k_trusted}, in_burst;
    std::uint64_t now = 0;

    bool alike() const {
      return filled <= k_filled * stores && before.right >= k_alike * before.words;
    }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return static_cast<std::size_t>((std::uint64_t{key.group} << 32 | key.object) *
                                          0x9e3779b97f4a7c15u >> 32);
    }
  };
  std::uint32_t number_of(Array& array, const Stores& stores);
  // Of the sites that LOAD may read, or that store what it may. Leaves the answer in shares_;
  // its sum.
  double walk(SiteId load, const Array& array, std::uint64_t word, std::uint64_t clock,
              const Seen& seen);
  void test(Array& array, std::uint64_t word, std::uint64_t clock, SiteId site);

  const ProgramInfo& program_;
  std::unordered_map<Key, Array, Hash> arrays_;
  std::vector<std::pair<SiteId, double>> shares_;
};

}  // namespace memprof::backend
