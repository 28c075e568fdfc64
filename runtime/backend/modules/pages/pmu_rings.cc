// pmu_rings.cc - the rings into which the kernel writes samples of a program's accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/modules/pages/pmu_rings.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "runtime/backend/modules/pages/pmu_records.h"

namespace memprof::backend {

namespace {

constexpr std::size_t k_page = 4096, k_data = 32 * k_page;
constexpr std::uint64_t k_samples_per_second = 4000;

perf_event_attr attributes(const PmuEvent& event) {
  perf_event_attr a{};
  a.size = sizeof a;
  a.type = event.type;
  a.config = event.config[0];
  a.config1 = event.config[1];
  a.config2 = event.config[2];
  a.sample_type = k_sample_type;
  a.freq = event.period == 0;
  a.sample_period = event.period;
  if (a.freq) a.sample_freq = k_samples_per_second;
  a.precise_ip = event.precise & 3;
  a.inherit = 1;
  a.exclude_kernel = 1;
  a.exclude_hv = 1;
  return a;
}

// As precise as possible; with the kernel's accesses, which the parser passes over, where the
// counter cannot leave them out.
int open_event(const PmuEvent& event, pid_t pid, int cpu) {
  perf_event_attr a = attributes(event);
  for (;;) {
    const long fd = syscall(SYS_perf_event_open, &a, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd >= 0) return static_cast<int>(fd);
    if (errno == EOPNOTSUPP && a.precise_ip > 1)
      a.precise_ip--;
    else if (errno == EINVAL && a.exclude_kernel)
      a.exclude_kernel = a.exclude_hv = 0;
    else
      return -1;
  }
}

}  // namespace

PmuRings::~PmuRings() {
  for (const Ring& ring : rings_) {
    munmap(ring.memory, k_page + k_data);
    close(ring.fd);
  }
}

std::string PmuRings::open(const std::vector<PmuEvent>& events, pid_t pid) {
  const long cpus = sysconf(_SC_NPROCESSORS_CONF);
  for (const PmuEvent& event : events)
    for (int cpu = 0; cpu < cpus; cpu++) {
      const int fd = open_event(event, pid, cpu);
      if (fd < 0 && errno == ENODEV && cpu > 0) continue;  // switched off
      void* const memory =
          fd < 0 ? MAP_FAILED
                 : mmap(nullptr, k_page + k_data, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
      if (memory == MAP_FAILED) {
        const std::string why = event.name + ": " + std::strerror(errno);
        if (fd >= 0) close(fd);
        return why;
      }
      rings_.push_back({fd, memory});
    }
  return {};
}

void PmuRings::read(const std::function<void(std::span<const std::byte>)>& sink) {
  for (const Ring& ring : rings_) {
    auto* const page = static_cast<perf_event_mmap_page*>(ring.memory);
    const auto* const data = static_cast<const std::byte*>(ring.memory) + k_page;
    const std::uint64_t head = std::atomic_ref(page->data_head).load(std::memory_order_acquire);
    std::uint64_t tail = page->data_tail;
    records_.clear();
    while (tail < head) {
      const std::size_t at = tail % k_data, n = std::min<std::uint64_t>(head - tail, k_data - at);
      records_.insert(records_.end(), data + at, data + at + n);
      tail += n;
    }
    std::atomic_ref(page->data_tail).store(tail, std::memory_order_release);
    if (!records_.empty()) sink(records_);
  }
}

}  // namespace memprof::backend
