// residency.cc - how much of large objects is in memory when the program ends.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/residency.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace memprof::backend {

namespace {

constexpr std::uint64_t k_present = std::uint64_t{1} << 63, k_swapped = std::uint64_t{1} << 62;
// Pages that are asked for in all: those of 64 GB take a quarter of a second.
constexpr std::uint64_t k_most_pages = std::uint64_t{1} << 24;

class PageMap {
 public:
  explicit PageMap(const std::string& process)
      : file_(process.empty() ? -1 : open((process + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC)),
        page_(static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))), words_(k_words) {}
  ~PageMap() {
    if (file_ >= 0) close(file_);
  }
  PageMap(const PageMap&) = delete;

  // Adds the bytes of [FIRST, END) that are there. False: it is not known.
  bool add(std::uint64_t first, std::uint64_t end, std::uint64_t& resident) {
    const std::uint64_t pages = (end - 1) / page_ - first / page_ + 1;
    if (file_ < 0 || pages > left_) return false;
    left_ -= pages;
    std::uint64_t found = 0;
    for (std::uint64_t at = first / page_, left = pages; left != 0;) {
      const std::uint64_t n = std::min<std::uint64_t>(left, k_words);
      const auto got = pread(file_, words_.data(), n * sizeof words_[0],
                             static_cast<off_t>(at * sizeof words_[0]));
      if (got != static_cast<ssize_t>(n * sizeof words_[0])) return false;
      found += static_cast<std::uint64_t>(
          std::count_if(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(n),
                        [](std::uint64_t w) { return (w & (k_present | k_swapped)) != 0; }));
      at += n;
      left -= n;
    }
    resident += std::min(found * page_, end - first);
    return true;
  }

 private:
  static constexpr std::size_t k_words = 8192;

  const int file_;
  const std::uint64_t page_;
  std::uint64_t left_ = k_most_pages;
  std::vector<std::uint64_t> words_;
};

}  // namespace

std::map<GroupId, Residency> find_residency(const std::string& process,
                                            const ObjectManager& objects,
                                            const GroupTable& groups) {
  std::map<GroupId, Residency> result;
  PageMap map(process);
  objects.for_each([&](const Object& object) {
    if (object.size() < k_least_large || groups.kind(object.group) == feedback::GroupKind::stack)
      return;
    std::uint64_t resident = 0;
    if (!map.add(object.base, object.end(), resident)) return;
    result[object.group].bytes += object.size();
    result[object.group].resident += resident;
  });
  return result;
}

}  // namespace memprof::backend
