// dependence_pairs.cc - the store that each load of a program reads from.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// usage: dependence_pairs STREAM PAIRS [LIMIT]
//
// Replays an event stream (MPRT_OPTIONS=file=STREAM) and writes one 8-byte number
// per load whose first byte was stored before: site of the store << 32 | site of
// the load, in the order of time, LIMIT of them at most (10 million).
#include <array>
#include <memory>
#include <unordered_map>

#include "testsuite/bench/replay.h"

namespace memprof::bench {
namespace {

using namespace memprof::backend;

std::FILE* g_out;
std::uint64_t g_left = 10'000'000;

class Pairs final : public backend::Module {
 public:
  void consume(const Batch& batch) override {
    for_each(batch, [this](const Event& e, std::uint64_t width) { access(e, width); });
  }
  void finish(feedback::Profile&) override {}

 private:
  static constexpr unsigned k_page_bits = 14;
  using Page = std::array<SiteId, 1u << k_page_bits>;

  SiteId& writer(std::uint64_t address) {
    if (address >> k_page_bits != number_) {
      number_ = address >> k_page_bits;
      std::unique_ptr<Page>& page = pages_[number_];
      if (!page) page = std::make_unique<Page>();
      page_ = page.get();
    }
    return (*page_)[address % page_->size()];
  }
  void access(const Event& e, std::uint64_t width) {
    if (e.kind == EventKind::store) {
      for (std::uint64_t i = 0; i < width; i++) writer(e.address + i) = e.site;
    } else if (e.kind == EventKind::load && width && g_left) {
      const SiteId source = writer(e.address);
      if (!source) return;
      const std::uint64_t pair = std::uint64_t{source} << 32 | e.site;
      std::fwrite(&pair, sizeof pair, 1, g_out);
      g_left--;
    }
  }

  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t number_ = ~std::uint64_t{0};
  Page* page_ = nullptr;
};

std::unique_ptr<backend::Module> make_pairs(const ProgramInfo&) {
  return std::make_unique<Pairs>();
}

}  // namespace
}  // namespace memprof::bench

int main(int argc, char** argv) {
  using namespace memprof::bench;
  if (argc < 3) {
    std::fprintf(stderr, "usage: dependence_pairs STREAM PAIRS [LIMIT]\n");
    return 2;
  }
  g_out = std::fopen(argv[2], "w");
  if (!g_out) {
    std::perror(argv[2]);
    return 2;
  }
  if (argc > 3) g_left = std::strtoull(argv[3], nullptr, 10);
  const memprof::backend::ModuleEntry entry{"pairs", "", false, make_pairs, 0, ""};
  double seconds;
  replay(argv[1], {&entry}, &seconds);
  const bool none = std::ftell(g_out) <= 0;
  if (none) std::fprintf(stderr, "dependence_pairs: no pairs in %s\n", argv[1]);
  return std::fclose(g_out) || none ? 2 : 0;
}
