// zero_size.cc - objects of 0 bytes in C++.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <cstdio>
#include <memory>
#include <new>
#include <string>
#include <vector>

struct Nothing {};
struct Derived : Nothing {
  [[no_unique_address]] Nothing also;
  int value = 1;
};

static volatile std::size_t zero;

[[gnu::noipa]] static long news() {
  void* const raw = ::operator new(zero);
  void* const aligned = ::operator new(zero, std::align_val_t(64));
  int* const array = new int[zero];
  Nothing* const one = new Nothing, *const several = new Nothing[zero + 3];
  const long sum = (raw != aligned) + (one != several) + (array + zero == array);
  ::operator delete(raw);
  ::operator delete(aligned, std::align_val_t(64));
  delete[] array;
  delete one;
  delete[] several;
  return sum;
}

[[gnu::noipa]] static long containers() {
  std::array<int, 0> none{};
  std::vector<int> vector(zero);
  vector.shrink_to_fit();
  std::vector<Nothing> nothings(zero + 5);
  std::string text(zero, 'x');
  const auto shared = std::make_shared<Nothing>();
  std::vector<Derived> derived(zero + 4);
  long sum = static_cast<long>(none.size() + text.size() + nothings.size()) + (shared != nullptr);
  for (const Derived& d : derived) sum += d.value;
  for (const int i : vector) sum += i;
  return sum;
}

int main() {
  long sum = 0;
  for (int i = 0; i < 4; i++) sum += news() + containers();
  std::printf("%d\n", sum > 0);
}
