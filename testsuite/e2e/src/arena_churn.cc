// arena_churn.cc - allocates, moves and frees at random in arenas and malloc, in
// one thread, in several, in children; objects die in other threads.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "arena.h"

FALLBACK(malloc, malloc);
FALLBACK(calloc, calloc);
FALLBACK(realloc, realloc);
FALLBACK(Znwm, _Znwm);

namespace {

cell first, second, third;

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
    switch (next() % 4) {
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
                         : __mprt_hot_realloc(i.p, bytes, &second);
    const Item moved{static_cast<unsigned char*>(p),
                     bytes < i.bytes ? bytes : i.bytes, i.value};
    check(moved);
    std::memset(p, i.value, bytes);
    i = {moved.p, bytes, i.value};
  }

  unsigned state_;
};

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
      std::vector<Item> own;
      Churn(i).run(5000, own);
      for (const Item& item : own) std::free(item.p);
      _exit(0);
    }
    int status;
    require(waitpid(child, &status, 0) == child && !status, "child");
  }
  for (auto& t : threads) t.join();
  for (auto& list : items)
    for (const Item& i : list) check(i), std::free(i.p);
  require(!__mprt_hot_realloc(__mprt_hot_malloc(5, &first), 0, &first), "realloc to 0");
  require(!__mprt_hot_calloc(std::size_t(-1), 2, &first), "overflow");
  struct S { int a[10]; };
  delete static_cast<S*>(__mprt_hot_Znwm(sizeof(S), &second));
  char* large = static_cast<char*>(__mprt_hot_malloc(64 << 20, &first));
  std::memset(large, 1, 64 << 20);
  large = static_cast<char*>(std::realloc(large, 100 << 20));
  require(large[(64 << 20) - 1] == 1, "large");
  std::free(large);
  std::puts("all right");
}
