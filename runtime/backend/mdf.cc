// mdf.cc - memory dependence frequency from LMADs.
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
// For each delta, (1) and (2) either have one solution (Cramer), or are one
// line in the (x, y) plane, whose integer points are (x0, y0) + z (b/g, -a/g);
// the bounds on x, y and (3) cut an interval out of z, so that the conflicting
// y are a progression.
//
// Example: the store writes offsets 0,4,..36 at times 0,2,..18, the load reads
// offsets -12,-8,..24 at times 1,3,..19: element y reads what the store wrote
// three elements earlier, so y = 3..9 conflict.
//
// The estimate for a pair of sites: C = conflicts among the captured executions
// of the load, lo = C / all executions, est = C / captured executions, hi = est
// plus the executions that may read what the store wrote after its stream had
// closed, judged by its summary.
#include "runtime/backend/mdf.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace memprof::backend {
namespace {

using Wide = __int128;

constexpr std::uint64_t k_max_bits = std::uint64_t{1} << 26;

// Nearly all values are small, and division of 128 bits is slow.
bool short_p(Wide v) { return v == static_cast<std::int64_t>(v); }

// B > 0.
Wide floor_div(Wide a, Wide b) {
  if (short_p(a) && short_p(b)) {
    const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
    return x / y - (x % y < 0);
  }
  return a / b - (a % b < 0);
}
bool multiple_p(Wide a, Wide b) {
  if (short_p(a) && short_p(b) && b != -1)
    return static_cast<std::int64_t>(a) % static_cast<std::int64_t>(b) == 0;
  return a % b == 0;
}
Wide ceil_div(Wide a, Wide b) { return -floor_div(-a, b); }

std::uint64_t common_divisor(std::int64_t a, std::int64_t b) {
  const auto magnitude = [](std::int64_t v) {
    return v < 0 ? -static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v);
  };
  return std::gcd(magnitude(a), magnitude(b));
}

// g = gcd(a, b) = u a + v b, g >= 0.
Wide extended_gcd(Wide a, Wide b, Wide& u, Wide& v) {
  Wide u0 = 1, v0 = 0, u1 = 0, v1 = 1;
  while (b != 0) {
    const Wide q = a / b;
    std::swap(a -= q * b, b);
    std::swap(u0 -= q * u1, u1);
    std::swap(v0 -= q * v1, v1);
  }
  u = a < 0 ? -u0 : u0;
  v = a < 0 ? -v0 : v0;
  return a < 0 ? -a : a;
}

// An interval of integers that constraints cut down.
struct Interval {
  Wide low, high;
  // Keeps the z with k z + c <= bound.
  void at_most(Wide k, Wide c, Wide bound) {
    if (k > 0)
      high = std::min(high, floor_div(bound - c, k));
    else if (k < 0)
      low = std::max(low, ceil_div(c - bound, -k));
    else if (c > bound)
      high = low - 1;
  }
  void at_least(Wide k, Wide c, Wide bound) { at_most(-k, -c, -bound); }
  void cut(Wide k, Wide c, Wide low_bound, Wide high_bound) {
    at_least(k, c, low_bound);
    at_most(k, c, high_bound);
  }
  bool empty() const { return low > high; }
};

// One delta: a1 x + b1 y = c1, a2 x + b2 y = c2, ra x + rb y <= rc.
struct System {
  Wide a1, b1, c1, a2, b2, c2, ra, rb, rc;
  Wide n1, n2;
  static constexpr Wide k_far = static_cast<Wide>(1) << 100;

  void emit(std::vector<Progression>& out, Wide first, Wide step, Wide count) const {
    out.push_back({static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(step),
                   static_cast<std::uint64_t>(count)});
  }
  // All y in [0, n2) that satisfy (3) for this x.
  void all_y(std::vector<Progression>& out, Wide x) const {
    Interval y{0, n2 - 1};
    y.at_most(rb, ra * x, rc);
    if (!y.empty()) emit(out, y.low, 1, y.high - y.low + 1);
  }
  void point(std::vector<Progression>& out, Wide x, Wide y) const {
    if (x >= 0 && x < n1 && y >= 0 && y < n2 && ra * x + rb * y <= rc)
      emit(out, y, 1, 1);
  }

  void solve(std::vector<Progression>& out) const {
    const Wide det = a1 * b2 - a2 * b1;
    if (det != 0) {
      const Wide x = c1 * b2 - c2 * b1, y = a1 * c2 - a2 * c1;
      if (multiple_p(x, det) && multiple_p(y, det)) point(out, x / det, y / det);
      return;
    }
    const bool zero1 = a1 == 0 && b1 == 0, zero2 = a2 == 0 && b2 == 0;
    if ((zero1 && c1 != 0) || (zero2 && c2 != 0)) return;
    if (zero1 && zero2) return all_y(out, 0);  // x = 0 is the earliest store
    if (!zero1 && !zero2 && (a1 * c2 != a2 * c1 || b1 * c2 != b2 * c1)) return;
    // Both rows describe one line, but the integer points need both.
    const Wide a = zero1 ? a2 : a1, b = zero1 ? b2 : b1, c = zero1 ? c2 : c1;
    Wide u, v;
    const Wide g = extended_gcd(a, b, u, v);
    if (!multiple_p(c, g)) return;
    if (a == 0) return point(out, 0, c / b);
    if (b == 0) {
      const Wide x = c / a;
      if (x >= 0 && x < n1) all_y(out, x);
      return;
    }
    const Wide x0 = u * (c / g), y0 = v * (c / g), kx = b / g, ky = -(a / g);
    Interval z{-k_far, k_far};
    z.cut(kx, x0, 0, n1 - 1);
    z.cut(ky, y0, 0, n2 - 1);
    z.at_most(ra * kx + rb * ky, ra * x0 + rb * y0, rc);
    if (z.empty()) return;
    const Wide first = std::min(y0 + ky * z.low, y0 + ky * z.high);
    emit(out, first, ky < 0 ? -ky : ky, z.high - z.low + 1);
  }
};

// What the bytes of some accesses lie in, and when they happen.  Wide enough
// for any LMAD that describes accesses; others are clamped.
struct Box {
  std::int64_t object_low, object_high, byte_low, byte_high, first, last;

  bool meets(const Box& load) const {
    return first < load.last && object_low <= load.object_high &&
           load.object_low <= object_high && byte_low <= load.byte_high &&
           load.byte_low <= byte_high;
  }
  void include(const Box& other) {
    object_low = std::min(object_low, other.object_low);
    object_high = std::max(object_high, other.object_high);
    byte_low = std::min(byte_low, other.byte_low);
    byte_high = std::max(byte_high, other.byte_high);
    first = std::min(first, other.first);
    last = std::max(last, other.last);
  }
};

std::int64_t clamp(Wide v) {
  constexpr Wide far = static_cast<Wide>(1) << 62;
  return static_cast<std::int64_t>(std::clamp(v, -far, far));
}

Box box_of(const feedback::Lmad<3>& lmad, std::uint64_t width) {
  Wide low[3], high[3];
  for (int i = 0; i < 3; i++) {
    const Wide a = lmad.start[i];
    const Wide b = a + static_cast<Wide>(lmad.count - 1) * lmad.stride[i];
    low[i] = std::min(a, b);
    high[i] = std::max(a, b);
  }
  return {clamp(low[0]), clamp(high[0]), clamp(low[1]),
          clamp(high[1] + static_cast<Wide>(width) - 1), clamp(low[2]), clamp(high[2])};
}

// One of the accesses, with the boxes of its LMADs and of all of them.
struct Boxed {
  const MdfAccess* access;
  std::vector<Box> boxes;
  Box whole;

  explicit Boxed(const MdfAccess& a) : access(&a), whole{1, 0, 1, 0, 1, 0} {
    for (const auto& lmad : a.row->v3.lmads) {
      boxes.push_back(box_of(lmad, a.width));
      if (boxes.size() == 1)
        whole = boxes[0];
      else
        whole.include(boxes.back());
    }
  }
};

void append_conflicts(std::vector<Progression>& out, const feedback::Lmad<3>& st,
                      std::uint64_t w1, const feedback::Lmad<3>& ld, std::uint64_t w2) {
  if (w1 == 0 || w2 == 0) return;
  System s{};
  s.a1 = st.stride[0];
  s.b1 = -static_cast<Wide>(ld.stride[0]);
  s.c1 = static_cast<Wide>(ld.start[0]) - st.start[0];
  // The left sides of (1) and (2) are multiples of the strides' divisors, which
  // leaves few deltas, or none.
  const std::uint64_t objects = common_divisor(st.stride[0], ld.stride[0]);
  if (objects == 0 ? s.c1 != 0 : !multiple_p(s.c1, static_cast<Wide>(objects))) return;
  s.a2 = st.stride[1];
  s.b2 = -static_cast<Wide>(ld.stride[1]);
  s.ra = st.stride[2];
  s.rb = -static_cast<Wide>(ld.stride[2]);
  s.rc = static_cast<Wide>(ld.start[2]) - st.start[2] - 1;
  s.n1 = static_cast<Wide>(st.count);
  s.n2 = static_cast<Wide>(ld.count);
  const Wide base = static_cast<Wide>(ld.start[1]) - st.start[1];
  const Wide low = base - static_cast<Wide>(w1 - 1), high = base + static_cast<Wide>(w2 - 1);
  const auto step = static_cast<Wide>(common_divisor(st.stride[1], ld.stride[1]));
  if (step == 0) {
    if (low <= 0 && high >= 0) s.solve(out);
    return;
  }
  for (s.c2 = ceil_div(low, step) * step; s.c2 <= high; s.c2 += step) s.solve(out);
}

}  // namespace

std::vector<Progression> conflicts(const feedback::Lmad<3>& st, std::uint64_t w1,
                                   const feedback::Lmad<3>& ld, std::uint64_t w2) {
  std::vector<Progression> result;
  append_conflicts(result, st, w1, ld, w2);
  return result;
}

std::uint64_t union_size(std::vector<Progression> progressions, std::uint64_t n,
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
  // Intervals of one residue class are merged in order.
  for (Progression& p : progressions)
    if (p.count == 1) p.step = step;
  std::sort(progressions.begin(), progressions.end(),
            [](const Progression& a, const Progression& b) {
              if (a.step != b.step) return a.step < b.step;
              if (a.first % a.step != b.first % b.step)
                return a.first % a.step < b.first % b.step;
              return a.first < b.first;
            });
  std::uint64_t total = 0, end = 0, residue = 0, last_step = 0;
  for (const Progression& p : progressions) {
    if (p.step != last_step || p.first % p.step != residue) {
      last_step = p.step;
      residue = p.first % p.step;
      end = 0;
    }
    const std::uint64_t begin = p.first / p.step;  // index in its class
    const std::uint64_t low = std::max(begin, end);
    if (begin + p.count > low) {
      total += begin + p.count - low;
      end = begin + p.count;
    }
  }
  return std::min(total, n);
}

namespace {

// Executions of the load that may touch what the store wrote after its stream
// had closed.
std::uint64_t possible_conflicts(const MdfAccess& st, const MdfAccess& ld) {
  const auto& box = st.row->v3.overflow;
  if (box.count == 0) return 0;
  const Wide w1 = static_cast<Wide>(st.width), w2 = static_cast<Wide>(ld.width);
  std::uint64_t total = 0;
  for (const auto& lmad : ld.row->v3.lmads) {
    Interval y{0, static_cast<Wide>(lmad.count) - 1};
    y.cut(lmad.stride[0], lmad.start[0], box.min[0], box.max[0]);
    y.cut(lmad.stride[1], lmad.start[1], box.min[1] - w2 + 1, box.max[1] + w1 - 1);
    y.at_least(lmad.stride[2], lmad.start[2], static_cast<Wide>(box.t_closed) + 1);
    const auto g = static_cast<Wide>(box.granularity[1]);
    // With offsets of one residue modulo the store's granularity, most
    // distances between load and store cannot occur.
    if (!y.empty() && g > w1 + w2 - 1 && lmad.stride[1] % g == 0) {
      Wide r = (static_cast<Wide>(lmad.start[1]) - box.min[1]) % g;
      if (r < 0) r += g;
      if (r >= w1 && r + w2 <= g) continue;
    }
    if (!y.empty()) total += static_cast<std::uint64_t>(y.high - y.low + 1);
  }
  const auto& rest = ld.row->v3.overflow;
  if (rest.count != 0 && rest.min[0] <= box.max[0] && box.min[0] <= rest.max[0] &&
      rest.min[1] < static_cast<Wide>(box.max[1]) + w1 &&
      box.min[1] < static_cast<Wide>(rest.max[1]) + w2 &&
      static_cast<Wide>(rest.max[2]) > static_cast<Wide>(box.t_closed))
    total += rest.count;
  return total;
}

// Captured executions of the load that conflict with captured ones of the store.
std::uint64_t count_conflicts(const Boxed& st, const Boxed& ld, std::uint64_t& work) {
  work++;
  if (!st.whole.meets(ld.whole)) return 0;
  const auto& stores = st.access->row->v3.lmads;
  const auto& loads = ld.access->row->v3.lmads;
  std::uint64_t total = 0;
  std::vector<Progression> all;
  for (std::size_t j = 0; j < loads.size(); j++) {
    if (!st.whole.meets(ld.boxes[j])) continue;
    all.clear();
    for (std::size_t i = 0; i < stores.size(); i++) {
      if (!st.boxes[i].meets(ld.boxes[j])) continue;
      work += 16;
      append_conflicts(all, stores[i], st.access->width, loads[j], ld.access->width);
    }
    work += stores.size();
    if (!all.empty()) total += union_size(all, loads[j].count);
  }
  return total;
}

using StoresOfGroup = std::map<feedback::Id, std::vector<Boxed>>;

// What is found out about one load, and what that cost.
struct LoadEstimate {
  std::vector<feedback::Mdf> rows;
  std::uint64_t work = 0;
};

// LIST: a load in each of its groups.
LoadEstimate estimate_load(const std::vector<Boxed>& list, const StoresOfGroup& by_group,
                           const MdfLimits& limits) {
  static const std::vector<Boxed> none;
  const auto stores_of = [&by_group](const Boxed& ld) -> const std::vector<Boxed>& {
    const auto stores = by_group.find(ld.access->row->group);
    return stores == by_group.end() ? none : stores->second;
  };
  LoadEstimate result;
  std::uint64_t captured = 0;
  std::map<feedback::Id, std::uint64_t> sources;  // conflicts by store
  for (const Boxed& ld : list) {
    captured += ld.access->row->v3.captured;
    for (const Boxed& st : stores_of(ld))
      if (const std::uint64_t n = count_conflicts(st, ld, result.work); n != 0)
        sources[st.access->row->site] += n;
  }
  const double all = static_cast<double>(list[0].access->executions);
  for (const auto& [source, n] : sources) {
    const double conflicting = static_cast<double>(n);
    feedback::Mdf row;
    row.source = source;
    row.sink = list[0].access->row->site;
    row.lo = conflicting / all;
    row.est = conflicting / static_cast<double>(captured);
    result.rows.push_back(row);
  }
  std::stable_sort(result.rows.begin(), result.rows.end(),
                   [](const auto& a, const auto& b) { return a.est > b.est; });
  if (result.rows.size() > limits.sources) result.rows.resize(limits.sources);
  for (feedback::Mdf& row : result.rows) {
    std::uint64_t possible = 0;
    for (const Boxed& ld : list)
      for (const Boxed& st : stores_of(ld))
        if (st.access->row->site == row.source)
          possible += possible_conflicts(*st.access, *ld.access);
    row.hi = std::min(1.0, row.est + static_cast<double>(possible) / all);
  }
  return result;
}

}  // namespace

std::vector<feedback::Mdf> estimate_mdf(const std::vector<MdfAccess>& accesses,
                                        const MdfLimits& limits) {
  // Busy loads first, because the work is bounded.
  StoresOfGroup stores;
  std::map<feedback::Id, std::vector<Boxed>> loads;
  for (const MdfAccess& a : accesses)
    if (a.store)
      stores[a.row->group].emplace_back(a);
    else
      loads[a.row->site].emplace_back(a);
  std::vector<const std::vector<Boxed>*> order;
  for (const auto& [site, list] : loads) order.push_back(&list);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return (*a)[0].access->executions > (*b)[0].access->executions;
  });

  // Loads are independent of each other. Some more than the bound allows are
  // estimated, but not used, so that the result does not depend on the workers.
  constexpr std::size_t k_at_once = 64;
  std::vector<feedback::Mdf> result;
  std::uint64_t work = 0;
  for (std::size_t first = 0; first < order.size(); first += k_at_once) {
    std::vector<LoadEstimate> estimates(std::min(k_at_once, order.size() - first));
    tbb::parallel_for(std::size_t{0}, estimates.size(), [&](std::size_t i) {
      estimates[i] = estimate_load(*order[first + i], stores, limits);
    });
    for (const LoadEstimate& estimate : estimates) {
      if (work > limits.pairs) return result;
      work += estimate.work;
      result.insert(result.end(), estimate.rows.begin(), estimate.rows.end());
    }
  }
  return result;
}

}  // namespace memprof::backend
