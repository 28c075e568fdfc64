// window_decoder.cc - sample mode: the records of windows.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/decode/window_decoder.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <set>
#include <span>

#include "runtime/backend/decode/decode_limits.h"
#include "runtime/backend/event/window_use.h"
#include "runtime/backend/stream/nest_records.h"
#include "runtime/backend/stream/run_records.h"

namespace memprof::backend {

namespace {

constexpr std::uint64_t k_line = std::uint64_t{1} << WindowSample::k_line_bits;

// Executions of ACCESS from number K on that stay on the line of that one.
std::uint64_t on_line(const RangeAccess& access, std::uint64_t k) {
  const std::uint64_t left = access.count - k, step = magnitude(access.step);
  if (step == 0) return left;
  if (step >= k_line) return 1;
  const std::uint64_t address = access.address + k * static_cast<std::uint64_t>(access.step);
  const std::uint64_t inside = address % k_line;
  return std::min(left, (access.step < 0 ? inside : k_line - 1 - inside) / step + 1);
}

// The bytes from the first to the last execution of an access.
struct Sweep {
  static constexpr std::uint64_t k_beside = 16 * k_line;
  std::uint64_t low, bytes;

  explicit Sweep(const RangeAccess& a)
      : low(a.address), bytes(magnitude(a.step) * a.count) {
    if (a.step < 0) low -= bytes;
  }
  bool beside_p(const Sweep& other) const { return low - other.low + k_beside <= 2 * k_beside; }
  bool meets_p(const Sweep& other) const { return low - other.low < other.bytes || other.low - low < bytes; }
};

}  // namespace

void WindowDecoder::begin(StreamRing& ring, const WindowUse& known) {
  ring.window = {.open = true, .seed = WindowSample::hash(++windows_)};
  out_.batch().window_uses.push_back({.number = ring.window.seed, .count = known.count, .base = known.base,
                                      .bytes = known.bytes, .thread = ring.thread, .kind = WindowUse::begin});
  out_.mark();
}

void WindowDecoder::end(StreamRing& ring) {
  if (!std::exchange(ring.window.open, false)) return;
  out_.batch().window_uses.push_back(
      {.count = ring.window.position, .thread = ring.thread, .kind = WindowUse::end});
  out_.mark();
}

// COUNT accesses of SITE to the line of ADDRESS.
[[gnu::always_inline]] inline void WindowDecoder::touch(SiteId site, std::uint64_t address,
                                                        std::uint64_t count) {
  StreamRing::Window& window = ring_->window;
  if (window.position >= window.same_until) [[unlikely]] {
    for (const auto kind : {WindowUse::line, WindowUse::page})
      window.shifts[kind - WindowUse::line] = WindowSample::shift(kind, window.position);
    window.same_until = std::max(std::uint64_t{1} << WindowSample::k_full_bits,
                                 std::bit_floor(window.position) * 2);
  }
  Object object{};
  bool known = false;
  for (const auto kind : {WindowUse::line, WindowUse::page}) {
    const std::uint64_t number =
        address >> (kind == WindowUse::line ? WindowSample::k_line_bits : WindowSample::k_page_bits);
    const std::uint64_t hash = WindowSample::hash(number);
    const unsigned shift = window.shifts[kind - WindowUse::line];
    const bool looked_at = WindowSample::looked_at(hash, window.seed, shift);
    const bool marked = WindowSample::marked(kind, hash) && first_p(kind, number);
    if (!looked_at && !marked) continue;
    if (!std::exchange(known, true))
      if (const Object* found = resolver_.objects().find(address)) object = *found;
    out_.batch().window_uses.push_back({number, count, site, object.group, object.base,
                                        object.size(), ring_->thread, kind,
                                        static_cast<std::uint8_t>(shift), looked_at, marked});
  }
  pass(count);
}

// A window with very many accesses is over: what follows says no more about any cache.
inline void WindowDecoder::pass(std::uint64_t accesses) {
  ring_->window.position += accesses;
  if (ring_->window.position > k_most_accesses) end(*ring_);
}

// Whether the marked line or page NUMBER may not have been accessed in the window before.
bool WindowDecoder::first_p(WindowUse::Kind kind, std::uint64_t number) {
  const std::uint64_t tag = (number << 1 | (kind == WindowUse::page)) ^ ring_->window.seed;
  std::uint64_t& known = marked_[WindowSample::hash(tag) % std::size(marked_)];
  return std::exchange(known, tag) != tag;
}

// COUNT of them, all to the same line if there are several.
void WindowDecoder::access(SiteId site, std::uint64_t address, std::uint64_t width,
                           std::uint64_t count) {
  if (width == 0 || width > k_max_width || address >= k_user_end - width || site == k_no_site)
    return;
  touch(site, address, count);
  const std::uint64_t first = address / k_line, last = (address + width - 1) / k_line;
  // Of wide ones, each line from the second on is an access of its own.
  if (width <= k_line) return;
  for (std::uint64_t line = first + 1; line <= last && ring_->window.open; line++) touch(site, line * k_line, 1);
}

void WindowDecoder::block(const CompiledDesc& desc, const std::uint64_t* p) {
  for (const BlockEntry& e : std::span(desc.block_entries(), desc.entries))
    if (e.execution() && ring_->window.open) {
      samples_.call_in_window(e, p);
      access(e.site, p[e.word] + e.offset, e.length_word ? p[e.length_word] : e.width, 1);
    }
}

std::uint64_t WindowDecoder::add_stretches(const CompiledDesc& desc, const std::uint64_t* p, bool report) {
  std::uint64_t accesses = 0;
  stretches_.clear();
  for (const RangeEntry& e : std::span(desc.range_entries(), desc.entries)) {
    const RangeAccess a = range_access(e, p);
    const bool wraps = wraps_p(e, a, e.index(p));
    if (report) samples_.loop_in_window(a, wraps);
    if (a.count == 0 || a.width == 0 || wraps) continue;
    stretches_.push_back({a});
    accesses += a.count;
  }
  return accesses;
}

// The accesses take turns, each by steps of the executions that stay on a line.
void WindowDecoder::follow_stretches(std::uint64_t first, std::uint64_t most) {
  std::erase_if(stretches_, [first](Stretch& s) { return (s.k = first) >= s.access.count; });
  while (!stretches_.empty() && ring_->window.open && ring_->window.position < most) {
    const auto next = std::ranges::min_element(stretches_, {}, &Stretch::k);
    const RangeAccess& a = next->access;
    const std::uint64_t n = on_line(a, next->k);
    access(a.site, a.address + next->k * static_cast<std::uint64_t>(a.step), a.width, n);
    next->k += n;
    if (next->k >= a.count) stretches_.erase(next);
  }
}

void WindowDecoder::range(const CompiledDesc& desc, const std::uint64_t* p) {
  if (p[1] > k_max_count) return;
  add_stretches(desc, p, true);
  follow_stretches(0, ~std::uint64_t{0});
}

// Whether all sites of the loop of DESC, a range, are in its record.
bool WindowDecoder::whole_p(const CompiledDesc& desc) const {
  const std::span entries(desc.range_entries(), desc.entries);
  const Unit* const unit = entries.empty() ? nullptr : units_.unit_of_site(entries[0].site);
  if (!unit) return false;
  const auto sites = unit->image.sites();
  const std::size_t row = entries[0].site - unit->first_site;
  if (row >= sites.size()) return false;
  const auto in_loop = [loop = sites[row].loop](const mprt_site& site) { return site.loop == loop; };
  std::set<SiteId> recorded;
  for (const RangeEntry& e : entries) recorded.insert(e.site);
  return static_cast<std::size_t>(std::ranges::count_if(sites, in_loop)) == recorded.size();
}

void WindowDecoder::long_loop(StreamRing& ring, const CompiledDesc& desc, const std::uint64_t* p) {
  // Fewer accesses are met by other windows; the lengths of these windows, by powers of two.
  constexpr std::uint64_t k_least = 1 << 14, k_first = 32, k_least_bits = 13, k_lengths = 6;
  if (desc.kind != CompiledKind::range || p[1] > k_max_count || p[1] * desc.entries < k_least) return;
  if (!loops_wanted_ || ring.window.open) return;
  const std::uint64_t accesses = add_stretches(desc, p, false);
  if (accesses < k_least) return;
  SampledLoop& loop = loops_[&desc];
  if (!std::exchange(loop.known, true)) loop.whole = whole_p(desc);
  if (!loop.whole || (++loop.executions > k_first && !std::has_single_bit(loop.executions))) return;
  const std::uint64_t seed = WindowSample::hash(windows_ + 1);
  const std::uint64_t most = std::uint64_t{1} << (k_least_bits + seed % k_lengths);
  const std::uint64_t late = accesses - std::min(accesses, most), turns = stretches_.size();
  const std::uint64_t first = WindowSample::hash(seed) % (late / turns + 1);
  const std::uint64_t lines = swept_lines(), before = static_cast<std::uint64_t>(
      static_cast<double>(lines) * static_cast<double>(first * turns) / static_cast<double>(accesses));
  ring_ = &ring;
  begin(ring, {.count = accesses - first * turns, .base = before, .bytes = lines - std::min(lines, before)});
  follow_stretches(first, most);
  end(ring);
}

// Stretches beside each other, as of b[i - 1] and b[i + 1], are one sweep.
std::uint64_t WindowDecoder::swept_lines() const {
  std::uint64_t lines = 0;
  for (auto a = stretches_.begin(); a != stretches_.end(); ++a) {
    const Sweep sweep(a->access);
    if (sweep.bytes < 2 * Sweep::k_beside) return 0;
    bool beside = false;
    for (auto b = stretches_.begin(); b != a; ++b) {
      const Sweep other(b->access);
      const bool near = a->access.step == b->access.step && sweep.beside_p(other);
      if (!near && sweep.meets_p(other)) return 0;
      beside = beside || near;
    }
    if (!beside) lines += std::min(sweep.bytes / k_line, a->access.count);
  }
  return lines;
}

void WindowDecoder::nest(const CompiledDesc& desc, const std::uint64_t* p, unsigned depth) {
  if (!NestRecords::whole_p(desc, p) || depth == k_max_nests) return;
  for (NestRecords each(desc, p); each.left() != 0 && ring_->window.open; each.advance()) {
    const std::uint64_t* const inner = each.words();
    const CompiledDesc* const inner_desc = inner[0] ? writer_.inner_desc(inner[0]) : nullptr;
    if (!inner_desc) return;
    pass(1);  // of none, too, so that the loop ends
    if (inner_desc->kind == CompiledKind::range)
      range(*inner_desc, inner);
    else
      nest(*inner_desc, inner, depth + 1);
  }
}

void WindowDecoder::record(StreamRing& ring, const CompiledDesc& desc, const std::uint64_t* p,
                           std::uint64_t header) {
  if (!ring.window.open) return;
  ring_ = &ring;
  switch (desc.kind) {
    case CompiledKind::block:
    case CompiledKind::mixed: block(desc, p); break;
    case CompiledKind::run:
      for (RunRecords each(desc, p, header); each.left(); each.advance()) block(desc, each.words());
      break;
    case CompiledKind::range: range(desc, p); break;
    case CompiledKind::nest: nest(desc, p, 0); break;
    case CompiledKind::loop_resume:
    case CompiledKind::tally: break;
  }
}

}  // namespace memprof::backend
