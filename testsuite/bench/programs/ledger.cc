/* ledger.cc - a list of records of 192 bytes, walked in the order of their dates.
   SPDX-License-Identifier: GPL-3.0-or-later

   usage: ledger [RECORDS [SEED [ROUNDS]]]

   Records come in any order and each has a note of some length, so that the walk
   jumps about.  A walk reads a few of the fields of each record and posts
   the amount to its account.

   With -DHAND: records by themselves on huge pages, as a yardstick.  */

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>
#include "hand_arena.h"

namespace {

struct Record {
  Record* next = nullptr;
  std::uint64_t date = 0;
  std::int64_t amount = 0;
  std::uint32_t account = 0, kind = 0;
  std::int64_t balance_before = 0, balance_after = 0;
  char reference[64] = {};
  std::uint64_t audit[6] = {};
  std::string note;
};
static_assert(sizeof(Record) == 192);

std::uint64_t state;

std::uint64_t next_random() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

Record* make_record(std::uint64_t number) {
#ifdef HAND
  static hand_pool pool;
  Record* r = new (hand_node(&pool, sizeof(Record))) Record;
#else
  Record* r = new Record;
#endif
  r->amount = static_cast<std::int64_t>(next_random() % 2000) - 1000;
  r->account = next_random() % 1024;
  r->kind = number % 7;
  r->note.assign(16 + number % 48, static_cast<char>('a' + number % 26));
  return r;
}

std::int64_t walk(Record* first, std::vector<std::int64_t>& accounts) {
  std::int64_t total = 0;
  for (Record* r = first; r; r = r->next) {
    std::int64_t& balance = accounts[r->account];
    r->balance_before = balance;
    balance += r->kind == 3 ? -r->amount : r->amount;
    r->balance_after = balance;
    total += r->audit[5] + balance;
  }
  return total;
}

}  // namespace

int main(int argc, char** argv) {
  const long records = argc > 1 ? std::atol(argv[1]) : 1500000;
  state = (argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1) * 2654435761u + 1;
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 12;
  if (records < 1 || rounds < 1) {
    std::fprintf(stderr, "usage: ledger [RECORDS [SEED [ROUNDS]]]\n");
    return 2;
  }
  std::vector<Record*> all;
  for (long i = 0; i < records; i++) all.push_back(make_record(i));
  for (long i = records - 1; i > 0; i--)
    std::swap(all[i], all[next_random() % (i + 1)]);
  for (long i = 0; i < records; i++) {
    all[i]->date = i;
    all[i]->next = i + 1 < records ? all[i + 1] : nullptr;
  }
  std::vector<std::int64_t> accounts(1024);
  std::int64_t total = 0;
  for (int r = 0; r < rounds; r++) total += walk(all[0], accounts);
  std::printf("ledger: %ld records, total %lld\n", records,
              static_cast<long long>(total));
  for (Record* r : all) {
#ifdef HAND
    r->~Record();
#else
    delete r;
#endif
  }
  return 0;
}
