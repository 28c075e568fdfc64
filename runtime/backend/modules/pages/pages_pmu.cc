// pages_pmu.cc - profiling module pages:pmu: what pages cost, as the processor's counters see it.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The table of the module pages, without a model: the processor picks one access in some thousands and
// tells its address, whether the TLB and the caches had it, and who made it (Intel's precise events,
// AMD's instruction-based sampling). The kernel puts that into rings (pmu_rings.h), a thread of ours
// reads these twenty times a second, and each sample counts for the object at its address.
//
//     kernel ─► rings ─► this thread ─► samples that wait ─┐
//     program ─► stream ─► batch: births, deaths ──────────┴─► sums by object and thread
//
// The program need report no accesses, only its objects, so that it runs at nearly its own speed: the
// paper's point.
//
// What waits is counted before the births and deaths of the next batch. The stream comes later
// than the samples, by as much as its rings hold, so a sample of memory that is freed and used again at
// once may count for the object before or after. Entries of page tables and write-backs are not seen.
//
// Paper: Chen, Cui, Bao, Chen, Huang, Tan, ISPASS 2012; in place of its card, counters that tell
// addresses.
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "runtime/backend/event/batch.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/pages/page_rows.h"
#include "runtime/backend/modules/pages/pmu_counts.h"
#include "runtime/backend/modules/pages/pmu_events.h"
#include "runtime/backend/modules/pages/pmu_records.h"
#include "runtime/backend/modules/pages/pmu_rings.h"

namespace memprof::backend {
namespace {

constexpr std::chrono::milliseconds k_pause{50};
constexpr char k_devices[] = "/sys/bus/event_source/devices";

class PagesPmuModule final : public Module {
 public:
  explicit PagesPmuModule(const ProgramInfo& program)
      : program_(program), pid_(pid_of(program.process())), counts_(pid_) {
    const auto events = pmu_events(k_devices);
    for (const PmuEvent& event : events) names_ += (names_.empty() ? "" : ",") + event.name;
    if (pid_ == 0)
      trouble_ = "the program does not run";
    else if (events.empty())
      trouble_ = "this machine has no counters that sample addresses";
    else
      trouble_ = rings_.open(events, static_cast<pid_t>(pid_));
    if (trouble_.empty()) reader_ = std::jthread([this](std::stop_token stop) { poll(stop); });
  }

  bool reads_columns() const override { return false; }

  void consume(const Batch& batch) override {
    if (!trouble_.empty()) return;
    counts_.add(take());
    for (const Event& e : batch.events) {
      if (e.kind == EventKind::birth || e.kind == EventKind::global_birth) {
        const Target& born = batch.targets[e.index];
        counts_.born(e.address, batch.width(e), born.group, born.object);
      } else if (e.kind == EventKind::death) {
        counts_.died(e.address);
      }
    }
  }

  void finish(feedback::Profile& profile) override {
    if (!trouble_.empty()) {
      program_.note("pages:pmu: " + trouble_ +
                    "; there are no figures about pages (the module pages has those of a model)");
      return;
    }
    reader_.request_stop();
    reader_.join();
    read_rings();
    counts_.add(take());
    profile.run.pages = "pmu=" + names_ + ",samples=" + std::to_string(counts_.samples()) +
                        ",lost=" + std::to_string(counts_.lost());
    put_rows(counts_.rows([this](GroupId group) { return program_.group_id(group); }), profile);
  }

 private:
  void poll(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any pause;
    std::unique_lock lock(mutex);
    while (!stop.stop_requested()) {
      read_rings();
      pause.wait_for(lock, stop, k_pause, [] { return false; });
    }
  }
  void read_rings() {
    const std::lock_guard lock(mutex_);
    rings_.read([this](std::span<const std::byte> records) { parse_records(records, waiting_); });
  }
  PmuRecords take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(waiting_, {});
  }

  const ProgramInfo& program_;
  const std::uint32_t pid_;
  PmuCounts counts_;
  PmuRings rings_;
  std::string names_, trouble_;
  std::mutex mutex_;
  PmuRecords waiting_;
  std::jthread reader_;  // the last member: it ends first
};

}  // namespace

std::unique_ptr<Module> make_pages_pmu(const ProgramInfo& program) {
  return std::make_unique<PagesPmuModule>(program);
}

}  // namespace memprof::backend
