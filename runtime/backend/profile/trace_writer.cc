// trace_writer.cc - the formats of memprof trace.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/profile/trace_writer.h"

#include <cinttypes>

#include "feedback/json_text.h"

namespace memprof::backend {
namespace {

struct BinaryRecord {
  std::uint64_t paddr = 0, vaddr = 0, time = 0;
  std::uint32_t pid = 0, thread = 0, object = 0;
  std::uint8_t write = 0, walk = 0, name = 0, zero = 0;
};
static_assert(sizeof(BinaryRecord) == 40);

}  // namespace

void TraceWriter::begin() {
  if (format_ == TraceFormat::binary) std::fputs("MPTRACE1", out_);
  if (format_ == TraceFormat::text) std::fputs("# paddr rw time pid thread vaddr walk object\n", out_);
}

void TraceWriter::write_name(std::uint32_t object) {
  Name& name = names_[object];
  name.written = true;
  BinaryRecord record;
  record.paddr = name.text.size();
  record.object = object;
  record.name = 1;
  std::fwrite(&record, sizeof record, 1, out_);
  std::string text = name.text;
  text.resize((text.size() + 7) & ~std::size_t{7});
  std::fwrite(text.data(), 1, text.size(), out_);
}

void TraceWriter::write_json(const MemoryRequest& r) {
  std::string object = "null";
  if (r.object != 0) {
    object.clear();
    feedback::append_string(object, names_[r.object].text);
  }
  std::fprintf(out_,
               "{\"paddr\":%" PRIu64 ",\"write\":%s,\"time\":%" PRIu64 ",\"pid\":%u,\"thread\":%u,\"vaddr\":%" PRIu64
               ",\"walk\":%u,\"object\":%s}\n",
               r.paddr, r.write ? "true" : "false", r.time, pid_, r.thread, r.vaddr, unsigned{r.walk}, object.c_str());
}

void TraceWriter::write(const MemoryRequest& r) {
  if (format_ == TraceFormat::json) return write_json(r);
  if (format_ == TraceFormat::text) {
    std::fprintf(out_, "0x%" PRIx64 " %c %" PRIu64 " %u %u 0x%" PRIx64 " %u %s\n", r.paddr,
                 r.write ? 'w' : 'r', r.time, pid_, r.thread, r.vaddr, unsigned{r.walk},
                 names_[r.object].text.c_str());
    return;
  }
  if (!names_[r.object].written) write_name(r.object);
  BinaryRecord record;
  record.paddr = r.paddr;
  record.vaddr = r.vaddr;
  record.time = r.time;
  record.pid = pid_;
  record.thread = r.thread;
  record.object = r.object;
  record.write = r.write;
  record.walk = r.walk;
  std::fwrite(&record, sizeof record, 1, out_);
}

}  // namespace memprof::backend
