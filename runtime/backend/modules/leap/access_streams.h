// access_streams.h - LEAP: the four compressed streams of one site in one group.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Most states of an irregular program have closed all of v3, v2 and v1 (object_relative.cc);
// then one common summary (the `tail') takes the points and is folded into the
// streams' own at the end.  o1 joins the tail when it closes, too.  In a field of the nodes
// of a structure it is v1 that never closes, as all offsets are equal: there the tail has
// the others.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "feedback/model.h"
#include "runtime/backend/event/batch.h"
#include "runtime/backend/modules/leap/lmad.h"

namespace memprof::backend {

// The four streams of one (site, group).
class AccessStreams {
 public:
  explicit AccessStreams(std::uint64_t width) : width_(width) {}

  // Accesses of one object, of equal width.
  [[gnu::always_inline]] void add(const Item* items, std::size_t n, const Target& target,
                                  std::uint64_t time) {
    accesses_ += n;
    mixed_width_ |= target.width != width_;
    if (tail_takes(target.object))
      add_to_tail(items, n, target, time);
    else if (tail_ == Tail::objects)
      add_to_field(items, n, target, time);
    else
      add_to_streams(items, n, target, time);
  }

  // As many of N accesses, which are of one chunk, as are of GROUP and do what nearly all that
  // sites with such a tail do: what is there in a node of a list goes on in another one. How many.
  std::uint32_t add_nodes(const Batch& batch, GroupId group, const Item* items, std::uint32_t n) {
    if (!in_field_) return 0;
    std::array<std::int64_t, Chunk::k_size> objects;
    std::uint32_t k = 0;
    for (; k < n && (items[k].target & k_range_item) == 0; k++) {
      const Target& target = batch.targets[items[k].target];
      if (target.group != group || target.width != width_ ||
          offset_of(items[k], target) != tail_offset_)
        break;
      objects[k] = target.object;
    }
    if (k == 0) return 0;
    accesses_ += k;
    add_to_nodes(items, k, std::span(objects).first(k), batch.time);
    return k;
  }

  // ROWS times COUNT accesses of one object: offset, offset + step, ..., then the same
  // ROW_STEP further. TIME_STEP lies between each and the next.
  void add_rows(std::int64_t object, std::int64_t offset, std::int64_t step, std::uint64_t count,
                std::int64_t row_step, std::uint64_t rows, std::uint64_t time,
                std::uint64_t time_step, std::uint64_t width) {
    if (count == 0) return;
    accesses_ += rows * count;
    mixed_width_ |= width != width_;
    end_steady();
    for (; rows != 0 && (tail_ == Tail::none || tail_ == Tail::objects);
         rows--, offset += row_step, time += count * time_step)
      add_row(object, offset, step, count, time, time_step);
    if (rows == 0) return;
    const auto t = static_cast<std::int64_t>(time), dt = static_cast<std::int64_t>(time_step);
    const auto row_time = static_cast<std::int64_t>(count * time_step);
    tail_points_.add_rows({object, offset, t}, {0, step, dt}, count, {0, row_step, row_time}, rows);
    if (tail_ != Tail::offsets) return;
    o1_.add_progression({object}, {0}, rows * count, time, time_step);
    if (o1_.closed()) look_for_tail();
  }

  // Once, at the end.
  feedback::ObjectRelative row() {
    end_steady();
    fold();
    feedback::ObjectRelative row;
    row.accesses = accesses_;
    row.v3 = v3_.result();
    row.v2 = v2_.result();
    row.v1 = v1_.result();
    row.o1 = o1_.result();
    return row;
  }

  // 0: varies.
  std::uint64_t width() const { return mixed_width_ ? 0 : width_; }

 private:
  // Which streams have their points in tail_points_: all but o1, all but v1, all.
  enum class Tail : std::uint8_t { none, offsets, objects, all };

  static std::int64_t offset_of(const Item& item, const Target& target) {
    return static_cast<std::int64_t>(item.address - target.base);
  }
  static std::int64_t time_of(const Item& item, std::uint64_t time) {
    return static_cast<std::int64_t>(time + item.time);
  }

  // Whether no stream but the tail wants the points in OBJECT.
  bool tail_takes(std::int64_t object) const {
    return tail_ == Tail::all || object == tail_object_;
  }
  [[gnu::always_inline]] void add_to_tail(const Item* items, std::size_t n,
                                          const Target& target, std::uint64_t time) {
    tail_points_.add_growing(n, 1, [&](std::size_t i, int dimension) {
      return dimension == 0   ? std::int64_t{target.object}
             : dimension == 1 ? offset_of(items[i], target)
                              : time_of(items[i], time);
    });
    tail_count_ += n;
  }

  // As long as v1 takes each row by itself.
  void add_row(std::int64_t object, std::int64_t offset, std::int64_t step, std::uint64_t count,
               std::uint64_t time, std::uint64_t time_step) {
    const auto t = static_cast<std::int64_t>(time), dt = static_cast<std::int64_t>(time_step);
    v1_.add_progression({offset}, {step}, count, time, time_step);
    if (tail_ == Tail::objects) {
      tail_points_.add_progression({object, offset, t}, {0, step, dt}, count);
      if (v1_.closed()) look_for_tail();
      return;
    }
    v3_.add_progression({object, offset, t}, {0, step, dt}, count, time, time_step);
    v2_.add_progression({object, offset}, {0, step}, count, time, time_step);
    o1_.add_progression({object}, {0}, count, time, time_step);
    if (v3_.closed() && v2_.closed() && v1_.closed()) look_for_tail();
  }

  // N points in the field that v1 goes on with, which are in OBJECTS.
  void add_to_nodes(const Item* items, std::size_t n, std::span<const std::int64_t> objects,
                    std::uint64_t time) {
    tail_points_.add_alike(objects, n, [&](std::size_t i) { return time_of(items[i], time); });
    tail_count_ += n;
  }
  // The tail wants all of it, and v1 the offsets.
  void add_to_field(const Item* items, std::size_t n, const Target& target, std::uint64_t time) {
    const Item* const end = items + n;
    while (items != end) {
      const Item* next = items;
      while (next != end && in_field_ && offset_of(*next, target) == tail_offset_) next++;
      n = static_cast<std::size_t>(next - items);
      if (n != 0) {
        const std::int64_t object = target.object;
        add_to_nodes(items, n, {&object, 1}, time);
        items = next;
        continue;
      }
      end_steady();
      const std::int64_t offset = offset_of(*items, target);
      tail_points_.add({target.object, offset, time_of(*items, time)});
      v1_.add({offset}, time + items->time);
      items++;
      if (v1_.closed()) {
        look_for_tail();
        if (items != end)
          add_to_tail(items, static_cast<std::size_t>(end - items), target, time);
        return;
      }
      in_field_ = v1_.goes_on({offset}, {0});
      tail_offset_ = offset;
    }
  }

  [[gnu::noinline]] void add_to_streams(const Item* items, std::size_t n,
                                        const Target& target, std::uint64_t time) {
    const std::int64_t object = target.object;
    const Item* const end = items + n;
    while (items != end) {
      const Item* next = items;
      if (object == steady_.object)
        for (; next != end && offset_of(*next, target) == steady_.offset; next++)
          steady_.offset += steady_.step;
      n = static_cast<std::size_t>(next - items);
      if (n != 0) {
        steady_.count += n;
        v3_.summary().add_last(n, [&](std::size_t i) { return time_of(items[i], time); });
        items = next;
      } else if (tail_takes(object)) {
        add_to_tail(items, static_cast<std::size_t>(end - items), target, time);
        return;
      } else if (tail_ == Tail::objects) {
        add_to_field(items, static_cast<std::size_t>(end - items), target, time);
        return;
      } else {
        add_open(object, offset_of(*items, target), time + items->time);
        items++;
      }
    }
  }

  // Some stream is still open.
  void add_open(std::int64_t object, std::int64_t offset, std::uint64_t time) {
    const auto t = static_cast<std::int64_t>(time);
    end_steady();
    if (tail_ == Tail::offsets) {
      tail_points_.add({object, offset, t});
      o1_.add({object}, time);
      if (o1_.closed())
        look_for_tail();
      else if (o1_.goes_on({object}, {0}))
        tail_object_ = object;
      return;
    }
    v3_.add({object, offset, t}, time);
    v2_.add({object, offset}, time);
    v1_.add({offset}, time);
    o1_.add({object}, time);
    if (!v3_.closed()) return;
    if (v2_.closed() && v1_.closed())
      look_for_tail();
    else if (v2_.closed() && o1_.closed())
      tail_ = Tail::objects;
    else
      look_for_steady(object, offset);
  }

  void look_for_steady(std::int64_t object, std::int64_t offset) {
    const std::int64_t step = v1_.next()[0] - offset;
    if (!v2_.goes_on({object, offset + step}, {0, step}) ||
        !v1_.goes_on({offset + step}, {step}) || !o1_.goes_on({object}, {0}))
      return;
    steady_ = {object, offset + step, step, 0};
  }
  void end_steady() {
    const std::uint64_t n = steady_.count;
    if (n != 0) {
      v2_.extend(n);
      v1_.extend(n);
      o1_.extend(n);
      const auto first =
          steady_.offset - static_cast<std::int64_t>(n) * steady_.step;
      v3_.summary().add_others({steady_.object, first, 0}, {0, steady_.step, 0}, n);
    }
    steady_ = {};
    if (tail_object_ >= 0) o1_.extend(tail_count_);
    if (in_field_) v1_.extend(tail_count_);
    tail_object_ = -1;
    in_field_ = false;
    tail_count_ = 0;
  }

  void look_for_tail() {
    fold();
    tail_ = o1_.closed() ? Tail::all : Tail::offsets;
  }

  void fold() {
    if (tail_ == Tail::none) return;
    v3_.summary().merge(tail_points_, {0, 1, 2});
    v2_.summary().merge(tail_points_, {0, 1});
    if (tail_ != Tail::objects) v1_.summary().merge(tail_points_, {1});
    if (tail_ != Tail::offsets) o1_.summary().merge(tail_points_, {0});
    tail_points_ = {};
  }

  // While v3 has closed and the others go on in one object, in equal steps: the
  // next point, and those that v2, v1 and o1 do not have yet.
  struct Steady {
    std::int64_t object = -1;  // none
    std::int64_t offset = 0, step = 0;
    std::uint64_t count = 0;
  };
  Steady steady_;
  // The same with a tail, for o1 or v1: an object or an offset that it goes on with, and
  // how often since it was last reported.
  std::int64_t tail_object_ = -1;
  std::int64_t tail_offset_ = 0;  // if in_field_
  bool in_field_ = false;
  std::uint64_t tail_count_ = 0;
  Summary<3> tail_points_;
  std::uint64_t accesses_ = 0;
  std::uint64_t width_;
  Tail tail_ = Tail::none;
  bool mixed_width_ = false;
  LmadCompressor<1> o1_;
  LmadCompressor<3> v3_;
  LmadCompressor<2> v2_;
  LmadCompressor<1> v1_;
};

}  // namespace memprof::backend
