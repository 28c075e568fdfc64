// arena_churn.cc - allocates, moves and frees at random in arenas and malloc, in
// one thread, in several, in children; objects die in other threads, and threads
// allocate and free in one arena at the same time.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "arena.h"

FALLBACK(malloc, malloc);
HINTS_FALLBACK;
FALLBACK(calloc, calloc);
FALLBACK(realloc, realloc);
FALLBACK(Znwm, _Znwm);

namespace {

cell first, second, third, shared = SHARED;

void require(bool ok, const char* what) {
  if (ok) return;
  std::printf("wrong: %s\n", what);
  std::abort();
}

struct Item {
  unsigned char* p;
  std::size_t bytes;
  unsigned char value;
};

void check(const Item& i) {
  for (std::size_t k = 0; k < i.bytes; k++) require(i.p[k] == i.value, "content");
  require(malloc_usable_size(i.p) >= i.bytes, "usable size");
}

class Churn {
 public:
  explicit Churn(unsigned seed) : state_(seed * 2654435761u + 1) {}

  void run(int steps, std::vector<Item>& items) {
    while (steps-- > 0)
      if (items.size() < 2000 || next() % 2)
        items.push_back(make());
      else
        change(items, next() % items.size());
  }

 private:
  unsigned next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    return state_ ^= state_ << 5;
  }
  std::size_t size() { return next() % 32 ? next() % 400 : next() % 60000; }

  Item make() {
    const std::size_t bytes = size();
    void* p;
    switch (next() % 6) {
      case 5: p = wrapped(bytes); break;
      case 4: p = __mprt_hot_malloc(bytes, &shared); break;
      case 0: p = __mprt_hot_malloc(bytes, &first); break;
      case 1: p = __mprt_hot_malloc(bytes, &third); break;
      case 2: p = std::malloc(bytes); break;
      default:
        p = __mprt_hot_calloc(bytes, 1, &second);
        for (std::size_t i = 0; i < bytes; i++)
          require(!static_cast<char*>(p)[i], "zeros");
    }
    require(p && reinterpret_cast<std::uintptr_t>(p) % 16 == 0, "alignment");
    Item i{static_cast<unsigned char*>(p), bytes, static_cast<unsigned char>(next())};
    std::memset(p, i.value, bytes);
    return i;
  }

  // As by xmalloc and xrealloc, whose callers leave a hint, none, or one that is not withdrawn.
  void* wrapped(std::size_t bytes) {
    if (next() % 3) __mprt_arena_hint(next() % 2 ? &shared : &third);
    void* p = next() % 2 ? __mprt_hinted_malloc(bytes) : __mprt_hinted_calloc(1, bytes);
    if (next() % 2) __mprt_arena_hint(&second);
    if (next() % 2) p = __mprt_hinted_realloc(p, bytes + 1);
    if (next() % 2) __mprt_arena_hint(nullptr);
    return p;
  }

  void change(std::vector<Item>& items, std::size_t at) {
    Item& i = items[at];
    check(i);
    if (next() % 3) {
      errno = 99;
      std::free(i.p);
      require(errno == 99, "errno after free");
      i = items.back();
      items.pop_back();
      return;
    }
    const std::size_t bytes = size() + 1;
    void* p = next() % 2 ? std::realloc(i.p, bytes)
                         : __mprt_hot_realloc(i.p, bytes, next() % 2 ? &second : &shared);
    const Item moved{static_cast<unsigned char*>(p),
                     bytes < i.bytes ? bytes : i.bytes, i.value};
    check(moved);
    std::memset(p, i.value, bytes);
    i = {moved.p, bytes, i.value};
  }

  unsigned state_;
};

// Each object has one owner at a time: it goes round through the places.
class Exchange {
 public:
  void run(unsigned seed) {
    for (unsigned i = 0; i < ROUNDS; i++) {
      void* p = __mprt_hot_malloc(i % 2 ? 48 : 80, i % 3 ? &third : &shared);
      own(p, true);
      void* old = places_[(i * 7919ull + seed) % PLACES].exchange(p);
      if (!old) continue;
      own(old, false);
      errno = 99;
      std::free(old);
      require(errno == 99, "errno after free");
    }
  }

 private:
  void own(void* p, bool mine) {
    const std::lock_guard<std::mutex> guard(mutex_);
    require(mine ? owned_.insert(p).second : owned_.erase(p) == 1, "one owner");
  }

  enum { ROUNDS = 3000, PLACES = 61 };
  std::atomic<void*> places_[PLACES] = {};
  std::mutex mutex_;
  std::set<void*> owned_;
};

// Several slabs of one size; each loses every other object first.
void alternate() {
  enum { N = 300, BYTES = 30000 };
  std::vector<Item> items;
  for (int i = 0; i < N; i++) {
    void* p = __mprt_hot_malloc(BYTES, &second);
    items.push_back({static_cast<unsigned char*>(p), BYTES,
                     static_cast<unsigned char>(i)});
    std::memset(p, i, BYTES);
  }
  for (int i = 0; i < N; i += 2) std::free(items[i].p);
  for (int i = 1; i < N; i += 2) check(items[i]), std::free(items[i].p);
}

// Slabs of several sizes, the same.
void alternate_mixed() {
  enum { N = 60000 };
  std::vector<Item> items;
  const auto make = [&](int i) {
    const std::size_t bytes = 16 + i % 7 * 48;
    void* p = __mprt_hot_malloc(bytes, &shared);
    require(malloc_usable_size(p) <= bytes + 32, "usable size of an object of a shared arena");
    std::memset(p, i, bytes);
    items.push_back({static_cast<unsigned char*>(p), bytes, static_cast<unsigned char>(i)});
  };
  for (int i = 0; i < N; i++) make(i);
  for (int i = 0; i < N; i += 2) std::free(items[i].p);
  for (int i = 0; i < N; i += 2) items[i].p = nullptr;
  for (int i = 0; i < N; i += 3) make(i);
  for (const Item& i : items)
    if (i.p) check(i), std::free(i.p);
}

}  // namespace

int main() {
  enum { THREADS = 4, STEPS = 60000 };
  std::vector<Item> items[THREADS];
  Churn(1).run(STEPS, items[0]);
  std::vector<std::thread> threads;
  for (int i = 0; i < THREADS; i++)
    threads.emplace_back([&, i] { Churn(i + 2).run(STEPS, items[i]); });
  for (auto& t : threads) t.join();
  threads.clear();
  for (int i = 0; i < THREADS; i++)
    threads.emplace_back([&, i] { Churn(i + 9).run(STEPS, items[(i + 1) % THREADS]); });
  for (int i = 0; i < 10; i++) {
    const pid_t child = fork();
    if (!child) {
      // So that a child that hangs ends.
      if (const char* seconds = std::getenv("CHURN_SECONDS")) alarm(std::atoi(seconds));
      std::vector<Item> own;
      Churn(i).run(5000, own);
      for (const Item& item : own) std::free(item.p);
      _exit(0);
    }
    int status;
    require(waitpid(child, &status, 0) == child && !status, "child");
  }
  for (auto& t : threads) t.join();
  threads.clear();
  // More threads than stripes, so that some allocate in the same one.
  static Exchange exchange;
  for (int i = 0; i < 32; i++)
    threads.emplace_back([i] { exchange.run(i); });
  for (auto& t : threads) t.join();
  for (auto& list : items)
    for (const Item& i : list) check(i), std::free(i.p);
  alternate();
  alternate_mixed();
  require(!__mprt_hot_realloc(__mprt_hot_malloc(5, &first), 0, &first), "realloc to 0");
  require(!__mprt_hot_calloc(std::size_t(-1), 2, &first), "overflow");
  require(!__mprt_hot_calloc((std::size_t(1) << 60) + 1, 16, &first), "overflow to 16");
  struct S { int a[10]; };
  delete static_cast<S*>(__mprt_hot_Znwm(sizeof(S), &second));
  char* large = static_cast<char*>(__mprt_hot_malloc(64 << 20, &first));
  std::memset(large, 1, 64 << 20);
  large = static_cast<char*>(std::realloc(large, 100 << 20));
  require(large[(64 << 20) - 1] == 1, "large");
  std::free(large);
  std::puts("all right");
}
