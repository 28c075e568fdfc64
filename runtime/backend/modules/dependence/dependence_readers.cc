// dependence_readers.cc - dependences of all kinds, on all readers, byte by byte.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The straightforward form: each byte of memory has its last writer and the
// list of sites that have read it since, each with the time of its last read.
// A load depends on the writers of its bytes (RAW); a store depends on their
// writers (WAW) and readers (WAR), and takes their place.  Ranges are expanded.
// It takes 12 bytes and more per byte of the program's memory and is meant for
// small runs; the default module (dependence.cc) does RAW only.
#include "runtime/backend/base/byte_shadow.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/dependence/dependence_rows.h"
#include "runtime/backend/program/thread_contexts.h"
#include "runtime/backend/shadow/shadow_memory.h"

namespace memprof::backend {
namespace {

using feedback::DependenceKind;

struct Reader {
  Cell cell;           // site and time of its last read
  std::uint32_t next;  // index of the next reader of the byte; 0: none
};

struct Byte {
  Cell writer = 0;
  std::uint32_t readers = 0;  // index of the first
};

class DependenceReadersModule final : public Module {
 public:
  explicit DependenceReadersModule(const ProgramInfo& program) : program_(program) {
    readers_.emplace_back();
  }

  void consume(const Batch& batch) override {
    for_each(batch, [this](const Event& e, std::uint64_t width) { event(e, width); });
  }

  bool reads_columns() const override { return false; }
  void finish(feedback::Profile& profile) override { rows_.finish(profile, program_); }

 private:
  void event(const Event& e, std::uint64_t width);
  void load(const Event& e, std::uint64_t width);
  void store(const Event& e, SiteId site, std::uint64_t width);
  void add(DependenceKind kind, Cell source, const Event& e);

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

  const ProgramInfo& program_;
  DependenceRows rows_;
  ThreadContexts at_;
  std::uint64_t execution_ = 0;
  ByteShadow<Byte> shadow_;
  std::vector<Reader> readers_;
  std::uint32_t free_ = 0;
};

void DependenceReadersModule::event(const Event& e, std::uint64_t width) {
  switch (e.kind) {
    case EventKind::load: load(e, width); break;
    case EventKind::store: store(e, e.site, width); break;
    case EventKind::external_store: store(e, k_external_site, width); break;
    case EventKind::maybe_written:
      shadow_.for_touched(e.address, width, [](Byte& byte) {
        if (byte.writer != 0) byte.writer |= k_uncertain;
      });
      break;
    case EventKind::birth:
    case EventKind::death:
    case EventKind::local_birth:
      if (g_fault == Fault::no_clear) break;
      shadow_.for_touched(e.address, width, [this](Byte& byte) {
        byte.writer = 0;
        free_readers(byte.readers);
      });
      break;
    default: at_.follow(e);
  }
}

void DependenceReadersModule::add(DependenceKind kind, Cell source, const Event& e) {
  const LoopContext& context = at_.loops();
  const Stamp stamp = cell_stamp(source);
  const ActiveLoop* loop = context.carrier(stamp);
  DependenceRows::add_byte(
      rows_.row({kind, cell_site(source), e.site, loop->id, at_.thread()}), context, *loop,
      stamp, 1, execution_);
}

void DependenceReadersModule::load(const Event& e, std::uint64_t width) {
  execution_++;
  const Cell cell = make_cell(e.site, at_.now());
  for (std::uint64_t a = e.address; a != e.address + width; a++) {
    Byte& byte = shadow_.at(a);
    if (byte.writer != 0) add(DependenceKind::raw, byte.writer, e);
    std::uint32_t i = byte.readers;
    while (i != 0 && cell_site(readers_[i].cell) != e.site) i = readers_[i].next;
    if (i != 0)
      readers_[i].cell = cell;
    else
      byte.readers = new_reader(cell, byte.readers);
  }
}

void DependenceReadersModule::store(const Event& e, SiteId site, std::uint64_t width) {
  execution_++;
  const bool external = site == k_external_site;
  for (std::uint64_t a = e.address; a != e.address + width; a++) {
    Byte& byte = shadow_.at(a);
    if (!external) {
      if (byte.writer != 0) add(DependenceKind::waw, byte.writer, e);
      for (std::uint32_t i = byte.readers; i != 0; i = readers_[i].next)
        add(DependenceKind::war, readers_[i].cell, e);
    }
    free_readers(byte.readers);
    byte.writer = make_cell(site, at_.now());
  }
}

}  // namespace

std::unique_ptr<Module> make_dependence_readers(const ProgramInfo& program) {
  return std::make_unique<DependenceReadersModule>(program);
}

}  // namespace memprof::backend
