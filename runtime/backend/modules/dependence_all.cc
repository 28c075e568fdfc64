// dependence_all.cc - flow, anti and output dependences, byte by byte.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The straightforward form: each byte of memory has its last writer and the
// list of sites that have read it since, each with the time of its last read.
// A load depends on the writers of its bytes (RAW); a store depends on their
// writers (WAW) and readers (WAR), and takes their place.  Ranges are expanded.
// It takes 12 bytes and more per byte of the program's memory and is meant for
// small runs; the default module (dependence.cc) does RAW only.
#include <unordered_map>

#include "runtime/backend/fault.h"
#include "runtime/backend/modules/dependence.h"
#include "runtime/backend/modules/dependence_rows.h"
#include "runtime/backend/shadow_memory.h"

namespace memprof::backend {
namespace {

using feedback::DependenceKind;

struct Reader {
  Cell cell;           // site and time of its last read
  std::uint32_t next;  // index of the next reader of the byte; 0: none
};

struct BytePage {
  Cell writer[k_page] = {};
  std::uint32_t readers[k_page] = {};
};

class DependenceAllModule final : public Module {
 public:
  explicit DependenceAllModule(const ProgramInfo& program) : program_(program) {
    readers_.emplace_back();
  }

  void consume(const Batch& batch) override {
    for_each(batch, [this](const Event& e, std::uint64_t width) { event(e, width); });
  }

  void finish(feedback::Profile& profile) override { rows_.finish(profile, program_); }

 private:
  void event(const Event& e, std::uint64_t width);
  void load(const Event& e, std::uint64_t width);
  void store(const Event& e, SiteId site, std::uint64_t width);
  void clear(const Event& e, std::uint64_t width);
  void add(DependenceKind kind, Cell source, const Event& e);

  BytePage& page(std::uint64_t address) {
    auto& p = pages_[address / k_page];
    if (!p) p = std::make_unique<BytePage>();
    return *p;
  }
  void free_readers(std::uint32_t& list) {
    while (list != 0) {
      const std::uint32_t next = readers_[list].next;
      readers_[list].next = free_;
      free_ = list;
      list = next;
    }
  }
  std::uint32_t new_reader(Cell cell, std::uint32_t next) {
    std::uint32_t i = free_;
    if (i != 0) {
      free_ = readers_[i].next;
    } else {
      i = static_cast<std::uint32_t>(readers_.size());
      readers_.emplace_back();
    }
    readers_[i] = {cell, next};
    return i;
  }
  // Of the current thread.
  LoopContext& loops() {
    if (thread_ >= threads_.size()) threads_.resize(thread_ + 1);
    if (!threads_[thread_]) threads_[thread_] = std::make_unique<LoopContext>();
    return *threads_[thread_];
  }

  const ProgramInfo& program_;
  DependenceRows rows_;
  Stamp clock_ = 1;
  std::uint32_t thread_ = 0;
  std::uint64_t execution_ = 0;
  std::unordered_map<std::uint64_t, std::unique_ptr<BytePage>> pages_;
  std::vector<Reader> readers_;
  std::uint32_t free_ = 0;
  std::vector<std::unique_ptr<LoopContext>> threads_;
};

void DependenceAllModule::event(const Event& e, std::uint64_t width) {
  switch (e.kind) {
    case EventKind::load: load(e, width); break;
    case EventKind::store: store(e, e.site, width); break;
    case EventKind::external_store: store(e, k_external_site, width); break;
    case EventKind::loop_enter:
      loops().enter(e.index, clock_, e.address);
      break;
    case EventKind::loop_iteration:
      if (g_fault != Fault::iters) loops().iterate(e.index, ++clock_);
      break;
    case EventKind::loop_exit: loops().exit(e.index); break;
    case EventKind::loop_resume: loops().resume(e.index, e.address); break;
    case EventKind::birth:
    case EventKind::death:
    case EventKind::local_birth: clear(e, width); break;
    case EventKind::gap:
    case EventKind::thread_end: loops() = LoopContext(); break;
    case EventKind::thread: thread_ = e.index; break;
    case EventKind::range:
    case EventKind::block:
    case EventKind::value:
    case EventKind::function_enter:
    case EventKind::function_exit: break;
  }
}

void DependenceAllModule::add(DependenceKind kind, Cell source, const Event& e) {
  const LoopContext& context = loops();
  const Stamp stamp = cell_stamp(source);
  const ActiveLoop* loop = context.carrier(stamp);
  DependenceRows::add_byte(rows_.row(kind, cell_site(source), e.site, loop->id, thread_),
                           context, *loop, stamp, 1, execution_);
}

void DependenceAllModule::load(const Event& e, std::uint64_t width) {
  execution_++;
  const Cell cell = make_cell(e.site, clock_);
  for (std::uint64_t a = e.address; a != e.address + width; a++) {
    BytePage& p = page(a);
    if (const Cell writer = p.writer[a % k_page]; writer != 0)
      add(DependenceKind::raw, writer, e);
    std::uint32_t& list = p.readers[a % k_page];
    std::uint32_t i = list;
    while (i != 0 && cell_site(readers_[i].cell) != e.site) i = readers_[i].next;
    if (i != 0)
      readers_[i].cell = cell;
    else
      list = new_reader(cell, list);
  }
}

void DependenceAllModule::store(const Event& e, SiteId site, std::uint64_t width) {
  execution_++;
  const bool external = site == k_external_site;
  for (std::uint64_t a = e.address; a != e.address + width; a++) {
    BytePage& p = page(a);
    Cell& writer = p.writer[a % k_page];
    std::uint32_t& list = p.readers[a % k_page];
    if (!external) {
      if (writer != 0) add(DependenceKind::waw, writer, e);
      for (std::uint32_t i = list; i != 0; i = readers_[i].next)
        add(DependenceKind::war, readers_[i].cell, e);
    }
    free_readers(list);
    writer = make_cell(site, clock_);
  }
}

void DependenceAllModule::clear(const Event& e, std::uint64_t width) {
  if (g_fault == Fault::no_clear) return;
  for (std::uint64_t a = e.address; a < e.address + width;) {
    const auto found = pages_.find(a / k_page);
    const std::uint64_t next = (a / k_page + 1) * k_page;
    if (found == pages_.end()) {
      a = next;
      continue;
    }
    for (; a < next && a < e.address + width; a++) {
      found->second->writer[a % k_page] = 0;
      free_readers(found->second->readers[a % k_page]);
    }
  }
}

}  // namespace

std::unique_ptr<Module> make_dependence_all(const ProgramInfo& program) {
  return std::make_unique<DependenceAllModule>(program);
}

}  // namespace memprof::backend
