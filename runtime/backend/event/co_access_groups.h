// co_access_groups.h - sites that go together: one column stands for several.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Accesses of one basic block often have one base: q->a and q->b, or the words of a
// table's row. The record has their base once, and whatever a module finds out about
// the addresses of the one holds for the other, too:
//
//     p->x = q->a + q->b       record { header, q, p }
//     entries                  load 7 at q, load 8 at q + 8, store 9 at p
//     convoy                   7, and 8 at its address + 8, one access later
//     column of 7              items of 7; there is none of 8
//
// A *convoy* is all sites that only ever occur in one block and with one word of it. Its
// first site, the leader, has a column. Modules that read columns keep their state of
// the leader, and make that of the others from it at the end (ProgramInfo::convoys).
//
// That is right as long as all members access the same object, or none. The decoder
// looks whether they do where it looks up the leader's object, at no cost. Where they
// do not, the convoy is *dissolved* for good: from that batch on each member has a
// column, and the batch says so (Batch::dissolved), for modules to part their state.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "runtime/backend/event/descriptor.h"

namespace memprof::backend {

struct Convoy {
  struct Member {
    SiteId site;
    std::uint32_t width;   // bytes
    std::uint64_t offset;  // of its address from the leader's, modulo 2^64
    std::uint32_t time;    // accesses between the leader's and its own
  };
  std::vector<Member> members;  // at least two; the first one is the leader
  // The first bytes of all members lie in [address + low, address + low + extent),
  // and all bytes in [address + low, address + low + bytes).
  std::uint64_t low, extent, bytes;

  SiteId leader() const { return members[0].site; }
  std::span<const Member> followers() const { return std::span(members).subspan(1); }
};

class ConvoyTable {
 public:
  // Finds the convoys of blocks and runs among DESCRIPTORS, which are all that name the sites
  // FIRST .. FIRST + SITES - 1, and writes their columns.
  void plan(std::span<CompiledDesc* const> descriptors, SiteId first, std::size_t sites);
  // Numbers are 1 .. size().
  const Convoy& operator[](std::uint32_t number) const { return convoys_[number - 1].convoy; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(convoys_.size()); }
  bool whole_p(std::uint32_t number) const { return convoys_[number - 1].whole; }
  // The one that SITE leads: its number, or 0; itself, or null.
  std::uint32_t number_led_by(SiteId site) const { return site < led_.size() ? led_[site] : 0; }
  const Convoy* led_by(SiteId site) const {
    const std::uint32_t number = number_led_by(site);
    return number ? &(*this)[number] : nullptr;
  }
  // From here on the members have columns of their own.
  void dissolve(std::uint32_t number);
  // All that were not dissolved.
  std::vector<const Convoy*> whole() const;

 private:
  struct Planned {
    Convoy convoy;
    CompiledDesc* descriptor;
    bool whole = true;
  };
  void write_columns(CompiledDesc& desc) const;

  std::deque<Planned> convoys_;
  // By SiteId: the number of the convoy that it is a member of, or that it leads if that one
  // is whole.
  std::vector<std::uint32_t> convoy_of_, led_;
};

// Gives each execution of a block a column of its own. There is room behind the
// entries for one ColumnEntry per entry.
void write_single_columns(CompiledDesc& desc);

}  // namespace memprof::backend
