// boost.cc - numbered events through boost's lock-free queues.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// usage: boost spsc|queue|locked
//
// Two processes and a queue in memory that they share, 2 MB as far as the queue
// allows; `locked' is a std::deque and a mutex between two threads.  Prints
// nanoseconds per event.
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <thread>

#include "events.h"

namespace {

struct Event {
  std::uint64_t tag, number;
};

class Locked {
 public:
  bool push(const Event& event) {
    std::lock_guard lock(mutex_);
    if (events_.size() == (2 << 20) / sizeof(Event)) return false;
    events_.push_back(event);
    return true;
  }
  bool pop(Event& event) {
    std::lock_guard lock(mutex_);
    if (events_.empty()) return false;
    event = events_.front();
    events_.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::deque<Event> events_;
};

template <typename Queue>
void produce(Queue& queue) {
  for (std::uint64_t i = 1; i <= k_events; i++)
    while (!queue.push(Event{64, i})) sched_yield();
}

template <typename Queue>
void consume(Queue& queue) {
  Event event{};
  for (std::uint64_t i = 1; i <= k_events; i++) {
    while (!queue.pop(event)) sched_yield();
    if (event.number != i) {
      std::puts("an event is not the next one");
      _exit(1);
    }
  }
}

template <typename Queue>
void* place() {
  void* map = mmap(nullptr, sizeof(Queue), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) _exit(2);
  return map;
}

template <typename Queue>
std::uint64_t between_processes() {
  auto* const queue = new (place<Queue>()) Queue;
  const pid_t consumer = fork();
  if (consumer == 0) {
    consume(*queue);
    _exit(0);
  }
  usleep(100000);
  const std::uint64_t start = now_ns();
  produce(*queue);
  int status = 0;
  waitpid(consumer, &status, 0);
  if (status) std::exit(1);
  return now_ns() - start;
}

std::uint64_t between_threads() {
  Locked queue;
  std::thread consumer([&queue] { consume(queue); });
  const std::uint64_t start = now_ns();
  produce(queue);
  consumer.join();
  return now_ns() - start;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace boost::lockfree;
  const char* which = argc > 1 ? argv[1] : "";
  std::uint64_t ns = 0;
  if (!std::strcmp(which, "spsc"))
    ns = between_processes<spsc_queue<Event, capacity<(2 << 20) / sizeof(Event)>>>();
  else if (!std::strcmp(which, "queue"))
    ns = between_processes<queue<Event, fixed_sized<true>, capacity<65534>>>();
  else if (!std::strcmp(which, "locked"))
    ns = between_threads();
  else
    return 2;
  std::printf("%.3f\n", static_cast<double>(ns) / k_events);
  return 0;
}
