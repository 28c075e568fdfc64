// containers.cc - counting insertions: our reducing map against other maps.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// usage: containers ROUNDS [KEYS-FILE]
//
// 10 million keys, uniform over 10,000 or (8 bytes each) from the file, again and
// again.  Prints nanoseconds by the clock per insertion, the median of ROUNDS
// that take the containers in turn; the time ends when all counts can be read.
// Each container must find the same counts.
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#ifdef HAVE_ABSL
#include <absl/container/flat_hash_map.h>
#endif

#include "runtime/backend/base/reducing_map.h"

namespace {

using Key = std::uint64_t;
using Rows = std::vector<std::pair<Key, std::uint64_t>>;

constexpr std::size_t k_inserts = 10'000'000;

double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

template <typename Map>
Rows count(const std::vector<Key>& keys) {
  Map map;
  for (const Key key : keys) map[key]++;
  Rows rows(map.begin(), map.end());
  std::sort(rows.begin(), rows.end());
  return rows;
}

Rows reduce(const std::vector<Key>& keys, unsigned workers) {
  using namespace memprof::backend;
  ReducingMap<Key, Count, NoValue> map(workers);
  for (const Key key : keys) map.insert(key);
  Rows rows;
  for (const auto& [key, count] : map.sorted()) rows.emplace_back(key, count.n);
  return rows;
}

struct Container {
  std::string name;
  std::function<Rows(const std::vector<Key>&)> count;
  std::vector<double> times{};
};

std::vector<Key> uniform_keys() {
  std::mt19937_64 random(1);
  std::vector<Key> keys(k_inserts);
  for (Key& key : keys) key = random() % 10'000;
  return keys;
}

std::vector<Key> keys_of(const char* path) {
  std::vector<Key> keys(k_inserts);
  std::FILE* const file = std::fopen(path, "r");
  const std::size_t n = file ? std::fread(keys.data(), sizeof(Key), k_inserts, file) : 0;
  if (n == 0) {
    std::fprintf(stderr, "containers: no keys in %s\n", path);
    std::exit(2);
  }
  std::fclose(file);
  for (std::size_t i = n; i < k_inserts; i++) keys[i] = keys[i - n];
  return keys;
}

void compare(const char* what, const std::vector<Key>& keys, int rounds) {
  std::vector<Container> containers{
      {"std::map", count<std::map<Key, std::uint64_t>>},
      {"std::unordered_map", count<std::unordered_map<Key, std::uint64_t>>}};
#ifdef HAVE_ABSL
  containers.push_back({"absl::flat_hash_map", count<absl::flat_hash_map<Key, std::uint64_t>>});
#endif
  for (const unsigned workers : {1u, 2u, 4u, 8u, 16u, 32u})
    containers.push_back({"reducing map, " + std::to_string(workers) + " workers",
                          [workers](const std::vector<Key>& k) { return reduce(k, workers); }});
  Rows truth;
  for (int round = 0; round < rounds; round++)
    for (Container& container : containers) {
      const double start = now();
      const Rows rows = container.count(keys);
      container.times.push_back((now() - start) * 1e9 / static_cast<double>(keys.size()));
      if (truth.empty()) truth = rows;
      if (rows != truth) {
        std::fprintf(stderr, "containers: %s counts wrongly\n", container.name.c_str());
        std::exit(1);
      }
    }
  std::printf("%s (%zu different)\n", what, truth.size());
  for (Container& container : containers) {
    std::sort(container.times.begin(), container.times.end());
    std::printf("  %-26s %7.2f ns per insertion  [%.2f, %.2f]\n", container.name.c_str(),
                container.times[container.times.size() / 2], container.times.front(),
                container.times.back());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 5;
  if (rounds < 1) return 2;
  compare("uniform keys", uniform_keys(), rounds);
  if (argc > 2) compare("pairs of the file", keys_of(argv[2]), rounds);
}
