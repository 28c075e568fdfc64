// target.h - what a fuzz target is: a kind of input, what is done with it, and how it is mutated.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A target reads one kind of file that may come from somebody else, with the code that the commands,
// the compiler, the linker or the backend read it with.  No input may crash it, or make it take
// seconds or gigabytes.  Where a rule holds for every input (what is valid can be merged, say), the
// target checks it with must().
//
// The same source is built in two ways:
//
//   fuzz_replay    every compiler; all targets in one program, which runs the files of corpus/KIND
//                  and some mutations of each: replay.cc, in make check
//   fuzz-KIND      clang -fsanitize=fuzzer; one target, whose inputs libFuzzer makes:
//                  run-fuzz.sh, in make check-long
//
// A target with a structure has a mutator that keeps it: bytes that are changed at random hardly
// ever get past a parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace memprof::cli {
struct Command;
}

namespace memprof::fuzz {

using Random = std::minstd_rand;
// Changes TEXT a little.
using Mutator = void (*)(std::string& text, Random& random);

struct Target {
  const char* kind;
  void (*run)(std::string_view input);
  Mutator mutate;  // null: bytes at random
};

// All of this program.
std::vector<Target>& targets();

// Writes TEXT to the file NAME in a folder of this process; its path.
std::string put(const std::string& name, std::string_view text);
// Runs `memprof COMMAND WORDS...'; its exit status.
int run(const cli::Command& command, std::vector<std::string> words);
// Ends the process with TEXT if CONDITION does not hold.
void must(bool condition, const std::string& text);

// Below LIMIT, which is not 0.
inline std::size_t below(std::size_t limit, Random& random) { return random() % limit; }
// What libFuzzer calls its mutator with; the size of the new DATA, at most MOST.
std::size_t mutate_in_place(Mutator mutate, std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

struct Registered {
  explicit Registered(const Target& target) { targets().push_back(target); }
};

}  // namespace memprof::fuzz

// Weak, since fuzz_replay has those of all targets and calls none.
#define MEMPROF_FUZZ_TARGET(kind, run)                                                            \
  static const ::memprof::fuzz::Registered registered{{kind, run, nullptr}};                      \
  extern "C" __attribute__((weak)) int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    run({reinterpret_cast<const char*>(data), size});                                             \
    return 0;                                                                                     \
  }

#define MEMPROF_FUZZ_MUTATED_TARGET(kind, run, mutate)                                            \
  static const ::memprof::fuzz::Registered registered{{kind, run, mutate}};                       \
  extern "C" __attribute__((weak)) int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) { \
    run({reinterpret_cast<const char*>(data), size});                                             \
    return 0;                                                                                     \
  }                                                                                               \
  extern "C" __attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(                           \
      std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {                    \
    return ::memprof::fuzz::mutate_in_place(mutate, data, size, most, seed);                      \
  }
