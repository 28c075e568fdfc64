// frames.cc - the inlined calls of a function, and the chain from a site to the function.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/frames.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace memprof::feedback {
namespace {

auto key(const Frame& f) { return std::tie(f.frame, f.name, f.file, f.line, f.column); }

struct Before {
  bool operator()(const Frame& a, const Frame& b) const { return key(a) < key(b); }
};

}  // namespace

std::vector<const Frame*> chain(const Function& function, std::uint32_t frame) {
  std::vector<const Frame*> calls;
  for (; frame != 0; frame = calls.back()->frame) calls.push_back(&function.frames[frame - 1]);
  return calls;
}

std::vector<std::uint32_t> add_frames(const std::vector<Frame>& from, std::vector<Frame>& to) {
  std::vector<std::uint32_t> numbers{0};
  std::map<Frame, std::uint32_t, Before> known;
  for (std::uint32_t i = 0; i < to.size(); i++) known.emplace(to[i], i + 1);
  for (Frame frame : from) {
    frame.frame = numbers[frame.frame];
    const auto [place, fresh] = known.emplace(frame, to.size() + 1);
    if (fresh) to.push_back(std::move(frame));
    numbers.push_back(place->second);
  }
  return numbers;
}

void number_frames(Function& function) {
  std::vector<std::uint32_t> numbers(function.frames.size() + 1);
  std::vector<Frame> kept;
  const auto number = [&](std::uint32_t& frame) {
    std::vector<std::uint32_t> fresh;
    for (std::uint32_t f = frame; f != 0 && numbers[f] == 0; f = function.frames[f - 1].frame)
      fresh.push_back(f);
    for (; !fresh.empty(); fresh.pop_back()) {
      Frame& call = kept.emplace_back(std::move(function.frames[fresh.back() - 1]));
      call.frame = numbers[call.frame];
      numbers[fresh.back()] = static_cast<std::uint32_t>(kept.size());
    }
    frame = numbers[frame];
  };
  for (Site& site : function.sites) number(site.frame);
  for (Loop& loop : function.loops) number(loop.frame);
  function.frames = std::move(kept);
}

}  // namespace memprof::feedback
