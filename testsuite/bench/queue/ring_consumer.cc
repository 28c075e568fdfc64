// ring_consumer.cc - reads what ring_producer.cc sends, with several threads.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// Started by the runtime as its backend; writes nanoseconds per event to output=
// of MPRT_OPTIONS, or what was wrong.  workers=W consumers read every event each, in place.  The last one that leaves a chunk
// zeroes it and gives it back, in the order of the chunks.
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "events.h"
#include "runtime/wire/record.h"
#include "runtime/wire/ring.h"

namespace {

char* base;
mprt_shared* shared;
mprt_ring* ring;  // of the main thread
unsigned workers = 1;
std::atomic<unsigned> left_by[MPRT_QUEUE];  // of each chunk in the queue
std::atomic<const char*> fault;

std::string option(const char* key) {
  const std::string text = std::string(":") + shared->options + ":";
  const std::string start = std::string(":") + key + "=";
  const std::size_t at = text.find(start);
  if (at == std::string::npos) return "";
  const std::size_t from = at + start.size();
  return text.substr(from, text.find(':', from) - from);
}

template <typename T>
T load(const T* p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}

// This consumer has read chunk SEQUENCE to its end.
void leave(std::uint64_t sequence, char* chunk) {
  std::atomic<unsigned>& left = left_by[sequence % MPRT_QUEUE];
  if (++left != workers) return;
  std::memset(chunk, 0, MPRT_CHUNK_BYTES);
  left = 0;
  // The thread that gives back the chunk before may not be ready.
  while (load(&ring->consumed) != sequence * MPRT_CHUNK_BYTES) sched_yield();
  __atomic_store_n(&ring->consumed, (sequence + 1) * MPRT_CHUNK_BYTES, __ATOMIC_SEQ_CST);
  __atomic_add_fetch(&ring->consumed_futex, 1, __ATOMIC_SEQ_CST);
  if (__atomic_exchange_n(&ring->producer_waiting, 0, __ATOMIC_SEQ_CST))
    syscall(SYS_futex, &ring->consumed_futex, FUTEX_WAKE, 1, 0, 0, 0);
}

// Reads numbers up to the last; gives the word after them, the time of start.
std::uint64_t consume() {
  std::uint64_t position = 0, expected = 1;
  for (;;) {
    const std::uint64_t published = load(&ring->published);
    if (position >= published) {
      sched_yield();
      continue;
    }
    const std::uint64_t sequence = position / MPRT_CHUNK_BYTES;
    char* const chunk = base + MPRT_CHUNKS_OFFSET +
                        std::uint64_t{load(&ring->queue[sequence % MPRT_QUEUE])} * MPRT_CHUNK_BYTES;
    auto* p = reinterpret_cast<const std::uint64_t*>(chunk + position % MPRT_CHUNK_BYTES);
    const auto* const end = reinterpret_cast<const std::uint64_t*>(
        chunk + (published - sequence * MPRT_CHUNK_BYTES < MPRT_CHUNK_BYTES
                     ? published - sequence * MPRT_CHUNK_BYTES
                     : MPRT_CHUNK_BYTES));
    bool left = false;
    while (p < end && !left) {
      const std::uint64_t header = *p;
      if (header >= MPRT_CONTROL_LIMIT) {
        if (p[1] != expected) {
          if (expected == k_events + 1) return p[1];
          fault = "an event is not the next one";
          return 0;
        }
        expected++;
        p += 2;
      } else if (header == MPRT_CONTROL_HEADER(MPRT_CHUNK_END, 1)) {
        left = true;
      } else {
        const unsigned words = header & MPRT_LENGTH_MASK;
        p += words + (MPRT_CONTROL_KIND(header) == MPRT_DATA ? (p[2] + 7) / 8 : 0);
      }
    }
    if (left) {
      position = (sequence + 1) * MPRT_CHUNK_BYTES;
      leave(sequence, chunk);
    } else {
      position = sequence * MPRT_CHUNK_BYTES +
                 static_cast<std::uint64_t>(reinterpret_cast<const char*>(p) - chunk);
    }
  }
}

int consumers(int fd) {
  void* map = mmap(nullptr, MPRT_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (map == MAP_FAILED) return 2;
  base = static_cast<char*>(map);
  shared = static_cast<mprt_shared*>(map);
  ring = reinterpret_cast<mprt_ring*>(base + MPRT_RINGS_OFFSET);
  workers = static_cast<unsigned>(std::atoi(option("workers").c_str()));
  if (!workers) workers = 1;
  __atomic_store_n(&shared->phase, std::uint32_t{MPRT_RUNNING}, __ATOMIC_RELEASE);
  syscall(SYS_futex, &shared->phase, FUTEX_WAKE, 1, 0, 0, 0);
  std::uint64_t start = 0;
  std::vector<std::thread> others;
  for (unsigned i = 1; i < workers; i++) others.emplace_back(consume);
  start = consume();
  for (std::thread& t : others) t.join();
  const std::uint64_t end = now_ns();
  if (std::FILE* out = std::fopen(option("output").c_str(), "w")) {
    if (fault)
      std::fprintf(out, "%s\n", fault.load());
    else
      std::fprintf(out, "%.3f\n", static_cast<double>(end - start) / k_events);
    std::fclose(out);
  }
  __atomic_store_n(&shared->phase, std::uint32_t{MPRT_FINISHED}, __ATOMIC_RELEASE);
  syscall(SYS_futex, &shared->phase, FUTEX_WAKE, 1000, 0, 0, 0);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || std::strcmp(argv[1], "--attach")) return 2;
  return consumers(std::atoi(argv[2]));
}
