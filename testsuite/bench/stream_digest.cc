// stream_digest.cc - digests of the four sequences of whole streams, to compare runs.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// usage: stream_digest PROG.memprof.streams
//
// Prints one line: accesses, those to no known object, and FNV-1a of sites, groups, objects, offsets, of
// all threads and segments. The offset of an access to no known object is its address, which depends on
// where the system has put it, so that is left out.
#include <array>
#include <cstdio>
#include <map>
#include <optional>

#include "feedback/streams/grammar.h"
#include "feedback/streams/stream_file.h"

namespace {

using namespace memprof::streams;

constexpr std::uint64_t k_basis = 0xcbf29ce484222325, k_prime = 0x100000001b3;

using Part = std::array<std::optional<Grammar>, k_omsg_dimensions>;

struct Digest {
  std::uint64_t accesses = 0, unknown = 0;
  std::array<std::uint64_t, k_omsg_dimensions> sums{k_basis, k_basis, k_basis, k_basis};

  void add(const Part& part) {
    std::array<Expander, k_omsg_dimensions> all{Expander(*part[0]), Expander(*part[1]), Expander(*part[2]),
                                                Expander(*part[3])};
    std::array<Symbol, k_omsg_dimensions> access{};
    while (all[0].next(access[0])) {
      for (unsigned d = 1; d < k_omsg_dimensions; d++) all[d].next(access[d]);
      accesses++;
      if (access[1] == 0) access[3] = 0, unknown++;
      for (unsigned d = 0; d < k_omsg_dimensions; d++) sums[d] = (sums[d] ^ access[d]) * k_prime;
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: stream_digest PROG.memprof.streams\n");
    return 2;
  }
  auto file = StreamFile::open(argv[1]);
  if (!file) {
    std::fprintf(stderr, "stream_digest: %s\n", file.error().text().c_str());
    return 2;
  }
  std::map<std::pair<std::uint64_t, std::uint32_t>, Part> parts;
  for (const Block& block : file->blocks()) {
    if (block.kind != BlockKind::grammar || block.dimension == Dimension::address) continue;
    auto grammar = decode(block.payload, argv[1]);
    if (!grammar) return 2;
    parts[{block.segment, block.thread}][static_cast<unsigned>(block.dimension)] = std::move(*grammar);
  }
  Digest digest;
  for (const auto& [of, part] : parts) {
    if (!part[0] || !part[1] || !part[2] || !part[3]) return 2;
    digest.add(part);
  }
  std::printf("%llu %llu", static_cast<unsigned long long>(digest.accesses),
              static_cast<unsigned long long>(digest.unknown));
  for (const auto sum : digest.sums) std::printf(" %016llx", static_cast<unsigned long long>(sum));
  std::printf("\n");
  return digest.accesses ? 0 : 1;
}
