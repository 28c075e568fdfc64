// lmad_conflicts.cc - which elements of one LMAD read what another one wrote.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// With a store LMAD ((o1,f1,t1), (p1,q1,r1), n1), width w1, and a load LMAD
// ((o2,f2,t2), (p2,q2,r2), n2), width w2, element y of the load conflicts iff
// some x has, for some delta = f_store - f_load in [-(w1-1), w2-1],
//
//   (1)  p1 x - p2 y  = o2 - o1              same object
//   (2)  q1 x - q2 y  = f2 - f1 + delta      a common byte
//   (3)  r1 x - r2 y <= t2 - t1 - 1          the store is earlier
//
// (1) and (2) either have one solution for each delta (Cramer), or are one line
// in the (x, y) plane, whose integer points are (x0, y0) + z (b/g, -a/g); the
// bounds on x, y and (3) cut an interval out of z, so that the conflicting y are
// a progression.  a, b, g do not depend on delta.
//
// Example: the store writes offsets 0,4,..36 at times 0,2,..18, the load reads
// offsets -12,-8,..24 at times 1,3,..19: element y reads what the store wrote
// three elements earlier, so y = 3..9 conflict.
//
// Nearly all numbers are small.  The system is therefore solved in 64 bits when
// no product below can overflow, and in 128 bits otherwise.
#include "runtime/backend/modules/leap/lmad_conflicts.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>
#include <utility>

#include "runtime/backend/base/interval.h"

namespace memprof::backend {
namespace {

using Wide = __int128;

constexpr std::uint64_t k_max_bits = std::uint64_t{1} << 26;

std::uint64_t magnitude(std::int64_t v) {
  return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
}
std::uint64_t common_divisor(std::int64_t a, std::int64_t b) {
  const std::uint64_t x = magnitude(a), y = magnitude(b);
  if (x == y || y == 0) return x;
  return x == 0 ? y : std::gcd(x, y);
}

// g = gcd(a, b) = u a + v b, g >= 0.
template <typename T>
T extended_gcd(T a, T b, T& u, T& v) {
  T u0 = 1, v0 = 0, u1 = 0, v1 = 1;
  if (a == b || a == -b) b = 0;
  while (b != 0) {
    const T q = a / b;
    std::swap(a -= q * b, b);
    std::swap(u0 -= q * u1, u1);
    std::swap(v0 -= q * v1, v1);
  }
  u = a < 0 ? -u0 : u0;
  v = a < 0 ? -v0 : v0;
  return a < 0 ? -a : a;
}

// a1 x + b1 y = c1, a2 x + b2 y = c2, ra x + rb y <= rc, for the multiples c2 of
// STEP in [low, high].
template <typename T>
struct System {
  T a1, b1, c1, a2, b2, ra, rb, rc;
  T n1, n2;
  T low, high, step;

  static void emit(std::vector<Progression>& out, T first, T step, T count) {
    out.push_back({static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(step),
                   static_cast<std::uint64_t>(count)});
  }
  // All y in [0, n2) that satisfy (3) for this x.
  void all_y(std::vector<Progression>& out, T x) const {
    Interval<T> y{0, n2 - 1};
    y.at_most(rb, ra * x, rc);
    if (!y.empty()) emit(out, y.low, 1, y.high - y.low + 1);
  }
  void point(std::vector<Progression>& out, T x, T y) const {
    if (x >= 0 && x < n1 && y >= 0 && y < n2 && ra * x + rb * y <= rc)
      emit(out, y, 1, 1);
  }

  void solve(std::vector<Progression>& out) const {
    const bool zero1 = a1 == 0 && b1 == 0, zero2 = a2 == 0 && b2 == 0;
    if (zero1 && c1 != 0) return;
    if (zero2 && (low > 0 || high < 0)) return;
    if (zero1 && zero2) return all_y(out, 0);  // x = 0 is the earliest store
    const T det = a1 * b2 - a2 * b1;
    if (det != 0)
      for_each_c2([&](T c2) {
        const T x = c1 * b2 - c2 * b1, y = a1 * c2 - a2 * c1;
        if (x % det == 0 && y % det == 0) point(out, x / det, y / det);
      });
    else if (zero1)
      line(out, a2, b2, [&](auto&& solve_for) { for_each_c2(solve_for); });
    else
      // The other row must be the same line, for some c2.
      line(out, a1, b1, [&](auto&& solve_for) {
        bool same = zero2;
        if (!same)
          for_each_c2([&](T c2) { same |= a1 * c2 == a2 * c1 && b1 * c2 == b2 * c1; });
        if (same) solve_for(c1);
      });
  }

 private:
  template <typename Visit>
  void for_each_c2(Visit&& visit) const {
    for (T c2 = ceil_div<T>(low, step) * step; c2 <= high; c2 += step) visit(c2);
  }

  // a x + b y = c, for each c that FOR_EACH_C gives; g divides them all.
  template <typename ForEachC>
  void line(std::vector<Progression>& out, T a, T b, ForEachC&& for_each_c) const {
    T u, v;
    const T g = extended_gcd<T>(a, b, u, v);
    const T kx = b / g, ky = -(a / g), kt = ra * kx + rb * ky;
    for_each_c([&](T c) {
      if (a == 0) return point(out, 0, c / b);
      if (b == 0) {
        const T x = c / a;
        if (x >= 0 && x < n1) all_y(out, x);
        return;
      }
      const T x0 = u * (c / g), y0 = v * (c / g);
      // The z with 0 <= x0 + kx z < n1.
      const T far = n1 - 1 - x0;
      Interval<T> z = kx > 0 ? Interval<T>{ceil_div<T>(-x0, kx), floor_div<T>(far, kx)}
                             : Interval<T>{ceil_div<T>(-far, -kx), floor_div<T>(x0, -kx)};
      z.cut(ky, y0, 0, n2 - 1);
      z.at_most(kt, ra * x0 + rb * y0, rc);
      if (z.empty()) return;
      const T first = std::min(y0 + ky * z.low, y0 + ky * z.high);
      emit(out, first, ky < 0 ? -ky : ky, z.high - z.low + 1);
    });
  }
};

// A - B in RESULT; false if that takes more than 64 bits.
bool subtract(std::int64_t a, std::int64_t b, std::int64_t& result) {
  return !__builtin_sub_overflow(a, b, &result);
}

// Whether no multiple of STEP is in [LOW, HIGH].
bool none_p(std::int64_t low, std::int64_t high, std::uint64_t step) {
  if (step == 0) return low > 0 || high < 0;
  const auto limit = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  if (limit >= step - 1 || step >> 62) return false;
  const auto divisor = static_cast<std::int64_t>(step);
  const std::int64_t rest = low % divisor;
  return rest != 0 && (rest < 0 ? -rest : divisor - rest) > static_cast<std::int64_t>(limit);
}

// For how many bits the numbers of a system need.
template <typename... T>
int bits(T... values) {
  return static_cast<int>(std::bit_width((magnitude(values) | ...)));
}

// False if products might overflow.
bool solve_short(std::vector<Progression>& out, const feedback::Lmad<3>& st,
                 std::uint64_t w1, const feedback::Lmad<3>& ld, std::uint64_t w2,
                 std::uint64_t step) {
  constexpr int most = 62;
  System<std::int64_t> s{};
  std::int64_t base;
  if (!subtract(ld.start[0], st.start[0], s.c1) || !subtract(ld.start[1], st.start[1], base) ||
      !subtract(ld.start[2], st.start[2], s.rc) || ((st.count | ld.count | w1 | w2) >> 60))
    return false;
  s.a1 = st.stride[0];
  s.b1 = ld.stride[0];
  s.a2 = st.stride[1];
  s.b2 = ld.stride[1];
  s.ra = st.stride[2];
  s.rb = ld.stride[2];
  s.n1 = static_cast<std::int64_t>(st.count);
  s.n2 = static_cast<std::int64_t>(ld.count);
  const auto before = static_cast<std::int64_t>(w1), after = static_cast<std::int64_t>(w2);
  const int slopes = bits(s.a1, s.b1, s.a2, s.b2), times = bits(s.ra, s.rb),
            counts = bits(s.n1, s.n2);
  // c2 is base + w1 + w2 at most, rounded to a step; three products are added.
  const int right = std::max(bits(s.c1, base, before, after) + 2, slopes + 1);
  if (slopes + right + times + 2 > most || times + counts + 2 > most ||
      slopes + counts + 2 > most || bits(s.rc) >= most)
    return false;
  s.b1 = -s.b1;
  s.b2 = -s.b2;
  s.rb = -s.rb;
  s.rc--;
  s.low = base - (before - 1);
  s.high = base + (after - 1);
  s.step = static_cast<std::int64_t>(step);
  s.solve(out);
  return true;
}

void solve_wide(std::vector<Progression>& out, const feedback::Lmad<3>& st,
                std::uint64_t w1, const feedback::Lmad<3>& ld, std::uint64_t w2,
                std::uint64_t step) {
  const Wide base = static_cast<Wide>(ld.start[1]) - st.start[1];
  const System<Wide> s{
      .a1 = st.stride[0],
      .b1 = -static_cast<Wide>(ld.stride[0]),
      .c1 = static_cast<Wide>(ld.start[0]) - st.start[0],
      .a2 = st.stride[1],
      .b2 = -static_cast<Wide>(ld.stride[1]),
      .ra = st.stride[2],
      .rb = -static_cast<Wide>(ld.stride[2]),
      .rc = static_cast<Wide>(ld.start[2]) - st.start[2] - 1,
      .n1 = static_cast<Wide>(st.count),
      .n2 = static_cast<Wide>(ld.count),
      .low = base - (static_cast<Wide>(w1) - 1),
      .high = base + (static_cast<Wide>(w2) - 1),
      .step = static_cast<Wide>(step)};
  s.solve(out);
}

}  // namespace

void append_conflicts(std::vector<Progression>& out, const feedback::Lmad<3>& st,
                      std::uint64_t w1, const feedback::Lmad<3>& ld, std::uint64_t w2) {
  if (w1 == 0 || w2 == 0 || st.count == 0 || ld.count == 0) return;
  // The left sides of (1) and (2) are multiples of the strides' divisors, which
  // leaves few deltas, or none.
  const std::uint64_t step = common_divisor(st.stride[1], ld.stride[1]);
  std::int64_t base, low, high;
  if (((w1 | w2) >> 62) == 0 && subtract(ld.start[1], st.start[1], base) &&
      subtract(base, static_cast<std::int64_t>(w1 - 1), low) &&
      !__builtin_add_overflow(base, static_cast<std::int64_t>(w2 - 1), &high) &&
      none_p(low, high, step))
    return;
  const std::uint64_t objects = common_divisor(st.stride[0], ld.stride[0]);
  std::int64_t between;
  if (objects > 1 && subtract(ld.start[0], st.start[0], between) &&
      magnitude(between) % objects != 0)
    return;
  if (!solve_short(out, st, w1, ld, w2, step)) solve_wide(out, st, w1, ld, w2, step);
}

std::vector<Progression> conflicts(const feedback::Lmad<3>& st, std::uint64_t w1,
                                   const feedback::Lmad<3>& ld, std::uint64_t w2) {
  std::vector<Progression> result;
  append_conflicts(result, st, w1, ld, w2);
  return result;
}

std::uint64_t union_size(std::span<Progression> progressions, std::uint64_t n,
                         bool* approximate) {
  if (progressions.size() == 1) return std::min(progressions[0].count, n);
  // Single elements fit any step; the others are sorted by step and residue.
  std::uint64_t step = 0;
  bool one_step = true;
  for (const Progression& p : progressions)
    if (p.count > 1) {
      one_step = one_step && (step == 0 || step == p.step);
      step = p.step;
    }
  if (step == 0) step = 1;
  if (!one_step && n <= k_max_bits) {
    std::vector<bool> bits(n);
    std::uint64_t total = 0;
    for (const Progression& p : progressions)
      for (std::uint64_t i = 0, y = p.first; i < p.count; i++, y += p.step)
        if (!bits[y]) {
          bits[y] = true;
          total++;
        }
    return total;
  }
  if (!one_step && approximate) *approximate = true;
  // Intervals of one residue class are merged in order.  From here on `first' is
  // the index in the class.
  struct Part {
    std::uint64_t step, residue, first, count;
  };
  const auto part_of = [step](const Progression& p) -> Part {
    const std::uint64_t own = p.count == 1 ? step : p.step;
    if (own == 1) return {1, 0, p.first, p.count};
    return {own, p.first % own, p.first / own, p.count};
  };
  std::sort(progressions.begin(), progressions.end(),
            [&](const Progression& a, const Progression& b) {
              if (one_step && step == 1) return a.first < b.first;
              const Part x = part_of(a), y = part_of(b);
              return std::tie(x.step, x.residue, x.first) < std::tie(y.step, y.residue, y.first);
            });
  std::uint64_t total = 0, end = 0, residue = 0, last_step = 0;
  for (const Progression& p : progressions) {
    const Part part = part_of(p);
    if (part.step != last_step || part.residue != residue) {
      last_step = part.step;
      residue = part.residue;
      end = 0;
    }
    const std::uint64_t low = std::max(part.first, end);
    if (part.first + part.count > low) {
      total += part.first + part.count - low;
      end = part.first + part.count;
    }
  }
  return std::min(total, n);
}

}  // namespace memprof::backend
