// file_source.cc - the rings of a stream file.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/stream/file_source.h"

#include <algorithm>

namespace memprof::backend {

void FileSource::next_frame(FileRing& ring) {
  while (ring.unread.empty() && ring.next < ring.frames.size()) {
    const auto frame = ring.frames[ring.next++];
    ring.copy.assign(frame.begin(), frame.end());
    ring.unread = ring.copy;
  }
}

// The first call sorts the frames of the whole file by ring.
bool FileSource::poll() {
  if (read_) return false;
  read_ = true;
  std::map<std::uint32_t, FileRing*> current;  // by ring number
  while (auto frame = file_.next()) {
    if (frame->thread > k_max_thread) {
      intact_ = false;
      continue;
    }
    FileRing*& ring = current[frame->ring];
    if (!ring || ring->thread != frame->thread ||
        ring->signal_of != frame->signal_of) {
      auto fresh = std::make_unique<FileRing>();
      fresh->number = frame->ring;
      fresh->thread = frame->thread;
      fresh->signal_of = frame->signal_of;
      fresh->ended = true;
      ring = fresh.get();
      rings_.push_back(std::move(fresh));
    }
    ring->frames.push_back(frame->words);
  }
  for (const auto& ring : rings_) next_frame(static_cast<FileRing&>(*ring));
  return !rings_.empty();
}

void FileSource::advance(StreamRing& ring, std::size_t words) {
  ring.unread = ring.unread.subspan(words);
  next_frame(static_cast<FileRing&>(ring));
}

// A frame may or may not hold the unused rest of the chunk.
void FileSource::skip_chunk(StreamRing& ring) {
  while (!ring.unread.empty() && ring.unread.front() == 0)
    ring.unread = ring.unread.subspan(1);
  next_frame(static_cast<FileRing&>(ring));
}

void FileSource::release(StreamRing& ring) {
  std::erase_if(rings_, [&](const auto& r) { return r.get() == &ring; });
}

}  // namespace memprof::backend
