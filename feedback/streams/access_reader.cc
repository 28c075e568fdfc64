// access_reader.cc - a file of streams back to accesses.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/access_reader.h"

#include <algorithm>

#include "feedback/streams/uleb.h"

namespace memprof::streams {

feedback::Result<StreamFile> open_streams(const feedback::Profile& profile,
                                          const std::string& profile_path) {
  using feedback::Error;
  const auto error = [&profile_path](std::string what) {
    return Error{Error::Kind::usage, profile_path, "", std::move(what)};
  };
  if (profile.whole_stream.empty())
    return error("it has no streams; profile with -fprofile-mem-modules=whole_stream, and do not "
                 "merge: streams are of one run");
  const feedback::WholeStream& row = profile.whole_stream.front();
  if (!row.error.empty()) return error("its streams could not be written: " + row.error);
  const std::string name = profile_path.substr(0, profile_path.rfind('/') + 1) + row.file;
  auto file = StreamFile::open(name);
  if (file && file->hash() != row.hash)
    return Error{Error::Kind::corrupt, name, "", "it belongs to another run than " + profile_path};
  return file;
}
namespace {

feedback::Error corrupt(const std::string& file, const char* what) {
  return {feedback::Error::Kind::corrupt, file, "", what};
}

// Whether the names in GRAMMAR, of sites or groups, are below MOST.
bool names_below(const Grammar& grammar, std::uint64_t most) {
  return std::all_of(grammar.symbols.begin(), grammar.symbols.end(), [&](Symbol s) {
    return rule_p(s) || grammar.alphabet.value(s) < most;
  });
}

}  // namespace

feedback::Result<ObjectTable> ObjectTable::read(const StreamFile& file) {
  ObjectTable table;
  std::vector<std::uint32_t> expected;
  // Serial numbers count from 0 in each group, and each object takes a byte: so all tables by
  // serial have no more entries than the file has bytes. A hostile file may claim others.
  std::uint64_t time = 0, base = 0, entries = 0;
  for (const Block& block : file.blocks()) {
    if (block.kind != BlockKind::objects) continue;
    UlebReader in(block.payload);
    for (std::uint64_t i = 0; i < block.count && in.good(); i++) {
      bool death;
      time += in.flagged(death);
      if (death) {
        const std::uint64_t back = in.number();
        if (back == 0 || back > table.rows_.size())
          return corrupt(file.path(), "an object dies that was not born");
        table.rows_[table.rows_.size() - back].death = time;
        continue;
      }
      ObjectRow row{};
      const std::uint64_t group = in.number();
      if (group >= file.most_names()) return corrupt(file.path(), "an object of no group");
      row.group = static_cast<std::uint32_t>(group);
      if (group >= expected.size()) {
        expected.resize(group + 1);
        table.by_group_.resize(group + 1);
      }
      const std::uint64_t serial =
          expected[group] + static_cast<std::uint64_t>(unzigzag(in.number()));
      std::vector<std::uint32_t>& rows = table.by_group_[group];
      const std::uint64_t more = serial < rows.size() ? 0 : serial - rows.size() + 1;
      if (serial > ~std::uint32_t{0} || more > file.most_names() - entries)
        return corrupt(file.path(), "an object has an impossible number");
      entries += more;
      row.serial = static_cast<std::uint32_t>(serial);
      expected[group] = row.serial + 1;
      row.bytes = in.number();
      base += static_cast<std::uint64_t>(unzigzag(in.number()));
      row.base = base;
      row.thread = static_cast<std::uint32_t>(in.number());
      row.birth = time;
      row.death = k_alive;
      table.rows_.push_back(row);
      if (serial >= rows.size()) rows.resize(serial + 1);
      rows[serial] = static_cast<std::uint32_t>(table.rows_.size());
    }
    if (!in.good() || !in.at_end()) return corrupt(file.path(), "the objects are cut off");
  }
  return table;
}

feedback::Status SegmentReader::add(const Block& block, const StreamFile& from) {
  const std::string& file = from.path();
  if (block.kind == BlockKind::turns) {
    UlebReader in(block.payload);
    std::uint64_t sum = 0;
    while (in.good() && !in.at_end()) {
      const std::uint64_t thread = in.number(), count = in.number();
      turns_.push_back({static_cast<std::uint32_t>(thread), count});
      if (count > block.count - sum) return corrupt(file, "the turns are wrong");
      sum += count;
    }
    if (!in.good() || sum != block.count) return corrupt(file, "the turns are cut off");
  }
  if (block.kind != BlockKind::grammar || block.dimension == Dimension::address)
    return feedback::Nothing{};
  auto& thread = threads_[block.thread];
  if (thread == nullptr) thread = std::make_unique<Thread>();
  auto grammar = decode(block.payload, file);
  if (!grammar) return grammar.error();
  if (static_cast<unsigned>(block.dimension) != thread->grammars.size() ||
      (thread->accesses != 0 && thread->accesses != block.count) ||
      grammar->expanded_lengths()[0] != block.count)
    return corrupt(file, "grammars do not fit together");
  if (block.dimension <= Dimension::group && !names_below(*grammar, from.most_names()))
    return corrupt(file, "a site or group has an impossible number");
  thread->accesses = block.count;
  thread->differences = thread->differences || (block.flags & k_object_differences) != 0;
  thread->grammars.push_back(std::move(*grammar));
  return feedback::Nothing{};
}

// In steps, so that what lies anywhere in a large table is on its way before it is looked at.
void SegmentReader::take(std::uint32_t number, Access* to, std::size_t count) {
  Thread& t = *threads_[number];
  for (unsigned d = 0; d < k_omsg_dimensions; d++) t.sequences[d].take(t.symbols[d].data(), count);
  const auto value = [&t](unsigned d, std::size_t i) { return t.grammars[d].alphabet.value(t.symbols[d][i]); };
  for (std::size_t i = 0; i < count; i++) {
    Access& a = to[i];
    std::uint64_t object = value(2, i);
    if (t.differences) object = t.object + static_cast<std::uint64_t>(unzigzag(object));
    t.object = object;
    a.thread = number;
    a.site = static_cast<std::uint32_t>(value(0, i));
    a.group = static_cast<std::uint32_t>(value(1, i));
    a.object = static_cast<std::uint32_t>(object);
    a.offset = value(3, i);
    objects_->prefetch(a.group, a.object);
  }
  const ObjectRow* const rows = objects_->rows().data();
  for (std::size_t i = 0; i < count; i++) {
    to[i].row = objects_->find(to[i].group, to[i].object);
    if (to[i].row != 0) __builtin_prefetch(&rows[to[i].row - 1].base);
  }
  for (std::size_t i = 0; i < count; i++)
    to[i].address = (to[i].row == 0 ? 0 : rows[to[i].row - 1].base) + to[i].offset;
}

bool SegmentReader::complete() const {
  std::map<std::uint32_t, std::uint64_t> turns;
  for (const Turn& turn : turns_) turns[turn.thread] += turn.count;
  if (turns.size() != threads_.size()) return false;
  for (const auto& [number, thread] : threads_)
    if (thread->grammars.size() != k_omsg_dimensions || turns[number] != thread->accesses)
      return false;
  return true;
}

feedback::Result<SegmentReader> SegmentReader::read(const StreamFile& file,
                                                    std::uint64_t segment,
                                                    const ObjectTable& objects) {
  SegmentReader reader;
  reader.objects_ = &objects;
  for (const Block& block : file.blocks())
    if (block.segment == segment)
      if (feedback::Status status = reader.add(block, file); !status)
        return status.error();
  if (!reader.complete()) return corrupt(file.path(), "grammars or turns are missing");
  for (auto& [number, thread] : reader.threads_)
    for (const Grammar& grammar : thread->grammars) thread->sequences.emplace_back(grammar);
  return reader;
}

}  // namespace memprof::streams
