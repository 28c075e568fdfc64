// watched_blocks.cc - allocation calls whose largest block a rebuilt program knows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/decide/watched_blocks.h"

#include <algorithm>
#include <string_view>

#include "consumers/decide/huge_pages.h"

namespace memprof::decide {
namespace {

// Calls of smaller objects on average are not watched.
constexpr std::uint64_t k_least_block = 16 << 10;

// FNV-1a, with an end after each text.
void add(std::uint64_t& hash, std::string_view text) {
  for (std::size_t i = 0; i <= text.size(); i++)
    hash = (hash ^ (i < text.size() ? static_cast<unsigned char>(text[i]) : 0)) * 0x100000001b3;
}

}  // namespace

std::string watched_name(const AllocationIndex::Key& key, const ObjectFacts& facts) {
  if (facts.kind != feedback::GroupKind::heap || !replaceable(facts.allocator) ||
      !facts.objects || facts.bytes / facts.objects < k_least_block)
    return {};
  std::uint64_t hash = 0xcbf29ce484222325;
  add(hash, key.file);
  add(hash, std::to_string(key.line));
  add(hash, key.function);
  add(hash, key.type);
  std::string name;
  for (int shift = 60; shift >= 0; shift -= 4) name += "0123456789abcdef"[hash >> shift & 15];
  return name;
}

std::uint64_t largest_block(const ObjectFacts& facts) {
  if (facts.objects == 1) return facts.bytes;
  if (facts.blocks.empty()) return std::min(facts.span, facts.bytes);
  std::uint64_t largest = 0, known = 0;
  for (const BlockFacts& block : facts.blocks) {
    largest = std::max(largest, block.bytes);
    known += block.bytes;
  }
  // What was not accessed may be all in one.
  return std::max(largest, facts.bytes - std::min(known, facts.bytes));
}

}  // namespace memprof::decide
