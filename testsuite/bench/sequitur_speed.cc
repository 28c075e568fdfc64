// sequitur_speed.cc - how fast grammars are made of the sequences of a run, and how large they are.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// usage: sequitur_speed PROG.memprof.streams [ROUNDS]
//
// Expands each grammar of the file, and makes it again: it must be the same. Prints the sequence, its terminals,
// million terminals a second of processor time (the best of ROUNDS), and bytes of memory for each
// symbol of the grammar.
#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "feedback/streams/sequitur.h"
#include "feedback/streams/stream_file.h"

namespace {

using namespace memprof::streams;

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

bool measure(const Block& block, const Grammar& grammar, int rounds) {
  std::vector<Symbol> text;
  Expander all(grammar);
  for (Symbol s; all.next(s);) text.push_back(s);
  double best = 0, bytes = 0;
  std::size_t symbols = 0;
  for (int i = 0; i < rounds; i++) {
    const double start = cpu_seconds();
    Sequitur sequitur;
    sequitur.append(text.data(), text.size());
    const double speed = static_cast<double>(text.size()) / (cpu_seconds() - start);
    best = std::max(best, speed);
    symbols = sequitur.symbols();
    Grammar again = sequitur.grammar();
    if (again.symbols != grammar.symbols || again.starts != grammar.starts) {
      std::fprintf(stderr, "sequitur_speed: another grammar\n");
      return false;
    }
    bytes = static_cast<double>(sequitur.bytes()) / static_cast<double>(std::max<std::size_t>(symbols, 1));
  }
  std::printf("thread %u segment %llu %-8s %12zu terminals %9zu symbols %6.1f M/s %5.1f bytes/symbol\n",
              block.thread, static_cast<unsigned long long>(block.segment), name(block.dimension),
              text.size(), symbols, best / 1e6, bytes);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: sequitur_speed PROG.memprof.streams [ROUNDS]\n");
    return 2;
  }
  const int rounds = argc > 2 ? std::max(std::atoi(argv[2]), 1) : 3;
  auto file = StreamFile::open(argv[1]);
  if (!file) {
    std::fprintf(stderr, "sequitur_speed: %s\n", file.error().text().c_str());
    return 2;
  }
  for (const Block& block : file->blocks()) {
    if (block.kind != BlockKind::grammar || block.count < 100000) continue;
    auto grammar = decode(block.payload, argv[1]);
    if (!grammar || !measure(block, *grammar, rounds)) return 2;
  }
  return 0;
}
