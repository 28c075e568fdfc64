// regularity.cc - streams of addresses, added up.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/regularity.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "feedback/model.h"

namespace memprof::feedback {
namespace {

template <std::size_t N>
std::uint64_t class_of(const std::array<std::uint64_t, N>& borders, std::uint64_t value) {
  return *std::prev(std::upper_bound(borders.begin(), borders.end(), value));
}

std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

void add_class(Regularity& row, const StreamClass& more) {
  const auto order = [](const StreamClass& a, const StreamClass& b) {
    return std::tie(a.length, a.step) < std::tie(b.length, b.step);
  };
  auto at = std::lower_bound(row.streams.begin(), row.streams.end(), more, order);
  if (at == row.streams.end() || order(more, *at))
    at = row.streams.insert(at, {more.length, more.step, 0, 0});
  add_count(at->streams, more.streams);
  add_count(at->elements, more.elements);
}

double divided(double a, double b) { return b > 0 ? a / b : 0; }

}  // namespace

void add_stream(Regularity& row, std::uint64_t length, std::int64_t step) {
  const std::uint64_t bytes =
      step < 0 ? -static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  add_class(row, {class_of(k_stream_lengths, length), class_of(k_stream_steps, bytes), 1,
                  length});
  const std::uint64_t extent = saturating_product(length, bytes);
  const std::uint64_t pages = extent / k_stream_page + (extent % k_stream_page != 0);
  add_count(row.squares, saturating_product(length, length));
  add_count(row.steps, bytes);
  add_count(row.pages, pages);
  add_count(row.wide, pages >= k_wide_stream);
}

void add_period(Regularity& row, std::uint64_t period, std::uint64_t length) {
  auto at = std::lower_bound(
      row.periods.begin(), row.periods.end(), period,
      [](const Regularity::Period& p, std::uint64_t value) { return p.period < value; });
  if (at == row.periods.end() || at->period != period)
    at = row.periods.insert(at, {period, 0});
  add_count(at->elements, length);
}

void scale_row(Regularity& row, std::uint64_t references) {
  const std::uint64_t looked = row.references;
  if (looked == references || looked == 0) return;
  const auto grow = [&](std::uint64_t& count) {
    const auto scaled = static_cast<unsigned __int128>(count) * references / looked;
    count = static_cast<std::uint64_t>(std::min<unsigned __int128>(scaled, ~std::uint64_t{0}));
  };
  for (std::uint64_t* count : {&row.regular, &row.squares, &row.steps, &row.pages, &row.wide,
                               &row.references})
    grow(*count);
  for (StreamClass& c : row.streams) {
    grow(c.streams), grow(c.elements);
    if (c.streams == 0) c.streams = 1, c.elements = std::max<std::uint64_t>(c.elements, 3);
  }
  for (Regularity::Period& p : row.periods) grow(p.elements);
  row.looked = looked;
}

void add_row(Regularity& sum, const Regularity& row) {
  // A row of all references may be added to one of windows, or the other way round.
  if (sum.looked != 0 || row.looked != 0) {
    const std::uint64_t before = sum.looked != 0 ? sum.before : sum.regular;
    sum.looked = sum.looked != 0 ? sum.looked : sum.references;
    sum.before = before;
    add_count(sum.looked, row.looked != 0 ? row.looked : row.references);
    add_count(sum.before, row.looked != 0 ? row.before : row.regular);
  }
  add_count(sum.references, row.references);
  add_count(sum.regular, row.regular);
  for (const StreamClass& c : row.streams) add_class(sum, c);
  add_count(sum.squares, row.squares);
  add_count(sum.steps, row.steps);
  add_count(sum.pages, row.pages);
  add_count(sum.wide, row.wide);
  for (const Regularity::Period& p : row.periods) add_period(sum, p.period, p.elements);
}

const char* name(RegularityClass c) {
  switch (c) {
    case RegularityClass::irregular: break;
    case RegularityClass::mixed: return "mixed";
    case RegularityClass::regular: return "regular";
  }
  return "irregular";
}

RegularitySummary summary(const Regularity& sum) {
  RegularitySummary s;
  std::uint64_t elements = 0;
  for (const StreamClass& c : sum.streams) {
    add_count(s.streams, c.streams);
    add_count(elements, c.elements);
    if (c.step == 0) add_count(s.scalar, c.streams);
  }
  const double streams = static_cast<double>(s.streams);
  s.references = sum.references;
  s.regularity = divided(static_cast<double>(sum.regular), static_cast<double>(sum.references));
  s.klass = s.regularity > 0.80   ? RegularityClass::regular
            : s.regularity < 0.65 ? RegularityClass::irregular
                                  : RegularityClass::mixed;
  if (sum.looked != 0) {
    const double all = static_cast<double>(sum.references);
    s.looked = divided(static_cast<double>(sum.looked), all);
    s.change = std::abs(s.regularity - divided(static_cast<double>(sum.before), all));
  }
  s.length = divided(static_cast<double>(elements), streams);
  s.deviation = std::sqrt(
      std::max(0.0, divided(static_cast<double>(sum.squares), streams) - s.length * s.length));
  // Windows cut streams, but neither their number nor their share depends on that.
  if (sum.looked != 0) s.length = divided(static_cast<double>(sum.regular), streams);
  s.step = divided(static_cast<double>(sum.steps), streams);
  s.pages = divided(static_cast<double>(sum.pages), streams);
  for (const Regularity::Period& p : sum.periods) {
    const double share = divided(static_cast<double>(p.elements), static_cast<double>(elements));
    if (share > s.period_share) s.period = p.period, s.period_share = share;
  }
  return s;
}

std::uint64_t count_streams(const Regularity& sum, std::uint64_t length, std::uint64_t step,
                            std::uint64_t below) {
  std::uint64_t count = 0;
  for (const StreamClass& c : sum.streams)
    if (c.length >= length && c.step >= step && c.step < below) add_count(count, c.streams);
  return count;
}

}  // namespace memprof::feedback
