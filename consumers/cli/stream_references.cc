// stream_references.cc - the references that hot data streams are made of.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/stream_references.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <utility>

namespace memprof::cli {
namespace {

using streams::Access;

// What the profile says of numbers in the stream, for a look at every access.
class Numbers {
 public:
  explicit Numbers(const StreamProfile& profile) : profile_(profile) {}
  std::uint64_t bytes(std::uint32_t site) {
    if (site >= bytes_.size()) bytes_.resize(site + 1, 0);
    if (bytes_[site] == 0) {
      const ProfileView::SiteRef* ref = profile_.site(site);
      bytes_[site] = ref == nullptr ? 1 : std::max(ref->site->width, 1u);
    }
    return bytes_[site];
  }
  bool stack(std::uint32_t group) {
    if (group >= kinds_.size()) kinds_.resize(group + 1, k_unknown);
    if (kinds_[group] == k_unknown) {
      const feedback::Group* row = group == 0 ? nullptr : profile_.group(group);
      kinds_[group] = row != nullptr && row->kind == feedback::GroupKind::stack ? k_stack : k_other;
    }
    return kinds_[group] == k_stack;
  }

 private:
  enum : char { k_unknown, k_stack, k_other };
  const StreamProfile& profile_;
  std::vector<std::uint64_t> bytes_;
  std::vector<char> kinds_;
};

// From the thread that reads to the one that uses.
class Pieces {
 public:
  // Waits while there are enough. PIECE is empty then. It goes nowhere if its user failed.
  void put(std::vector<Reference>& piece) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return full_.size() < k_most || ended_; });
    if (!ended_) full_.push_back(std::move(piece));
    piece.clear();
    changed_.notify_all();
  }
  // False: there are no more.
  bool take(std::vector<Reference>& piece) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !full_.empty() || ended_; });
    if (full_.empty()) return false;
    piece = std::move(full_.front());
    full_.pop_front();
    changed_.notify_all();
    return true;
  }
  // One of both threads is done, or failed.
  void end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t k_most = 4;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<Reference>> full_;
  bool ended_ = false;
};

struct EndGuard {
  Pieces& pieces;
  ~EndGuard() { pieces.end(); }
};

feedback::Status read(const StreamProfile& profile, std::uint32_t thread, Pieces& pieces) {
  constexpr std::size_t k_piece = 1 << 13;
  const EndGuard guard{pieces};
  Numbers numbers(profile);
  std::vector<Reference> piece;
  const auto status = profile.for_each_piece([&](const Access* accesses, std::size_t count) {
    piece.reserve(k_piece + count);
    for (std::size_t i = 0; i < count; i++)
      if (accesses[i].thread == thread && !numbers.stack(accesses[i].group))
        piece.push_back({accesses[i], numbers.bytes(accesses[i].site)});
    if (piece.size() >= k_piece) pieces.put(piece);
  });
  pieces.put(piece);
  return status;
}

}  // namespace

feedback::Status for_each_reference_piece(const StreamProfile& profile, std::uint32_t thread,
                                          const std::function<void(const std::vector<Reference>&)>& use) {
  Pieces pieces;
  auto reader = std::async(std::launch::async, [&] { return read(profile, thread, pieces); });
  {
    const EndGuard guard{pieces};
    for (std::vector<Reference> piece; pieces.take(piece);) use(piece);
  }
  return reader.get();
}

}  // namespace memprof::cli
