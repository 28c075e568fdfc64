// shm_source.cc - the rings of a running program, in memory shared with it.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/backend/stream/shm_source.h"

#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "runtime/backend/machine/machine.h"
#include "runtime/backend/stream/records.h"

namespace memprof::backend {

namespace {

// How long we sleep before we look whether the program lives.
constexpr long k_sleep_ns = 200'000'000;
// After this many sleeps in which nothing came we look whether the program still has our memory.
constexpr unsigned k_look_after = 15;
// How long we look for work before we sleep. A program that records densely
// fills a chunk in 10 to 20 us; to wake us after each would cost it more than
// all else at the end of a chunk.
constexpr std::chrono::microseconds k_awake{60};
// A producer that waits for room is woken when this number of bytes is left to read: to change
// between it and us for each chunk would cost more than the few chunks do.
constexpr std::uint64_t k_wake_below = MPRT_RING_CHUNKS / 4 * std::uint64_t{MPRT_CHUNK_BYTES};
// Every k_full_scan polls, slots that were never used are looked at too.
constexpr unsigned k_full_scan = 64;

template <typename T>
T load(const T* p) {
  return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
template <typename T>
void store(T* p, T value) {
  __atomic_store_n(p, value, __ATOMIC_RELEASE);
}

void futex_wake(std::uint32_t* word, int how_many = 0x7fffffff) {
  syscall(SYS_futex, word, FUTEX_WAKE, how_many, nullptr, nullptr, 0);
}

// True if woken, or the word had changed; false after the time, also where the call is forbidden.
bool futex_wait(std::uint32_t* word, std::uint32_t seen) {
  timespec timeout{0, k_sleep_ns};
  if (syscall(SYS_futex, word, FUTEX_WAIT, seen, &timeout, nullptr, 0) == 0) return true;
  if (errno == EAGAIN || errno == EINTR) return true;
  if (errno != ETIMEDOUT) nanosleep(&timeout, nullptr);
  return false;
}

// Whether process PID has ended, as far as one may know without a pidfd: a process that has not been
// waited for still has its number.
bool ended(std::uint32_t pid) {
  if (kill(static_cast<pid_t>(pid), 0) != 0) return errno == ESRCH;
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  std::getline(stat, text);
  const std::size_t state = text.rfind(") ");
  return state != text.npos && (text[state + 2] == 'Z' || text[state + 2] == 'X');
}

// Whether /proc is of our processes, not of those of another container.
bool proc_is_ours() {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self", ignored) == std::to_string(getpid());
}

// Whether process PID has the file INODE, which has no name elsewhere, in its memory. After execve it has not,
// perhaps before we have attached. True where /proc does not say.
bool has_mapped(std::uint32_t pid, std::uint64_t inode) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  bool any = false;
  for (std::string line; std::getline(maps, line); any = true) {
    unsigned long long number = 0;
    if (std::sscanf(line.c_str(), "%*x-%*x %*s %*x %*x:%*x %llu", &number) == 1 &&
        number == inode && line.find("/memfd:") != line.npos)
      return true;
  }
  return !any;
}

}  // namespace

feedback::Result<std::unique_ptr<ShmSource>> ShmSource::attach(int fd) {
  const auto fail = [fd](feedback::Error::Kind kind, const char* what) {
    feedback::Error error;
    error.kind = kind;
    error.file = "descriptor " + std::to_string(fd);
    error.what = what;
    return error;
  };
  using Kind = feedback::Error::Kind;
  struct stat st;
  if (fstat(fd, &st) != 0 ||
      static_cast<std::uint64_t>(st.st_size) < MPRT_SHARED_BYTES)
    return fail(Kind::corrupt, "not the shared memory of the memprof runtime");
  void* map = mmap(nullptr, MPRT_SHARED_BYTES, PROT_READ | PROT_WRITE,
                   MAP_SHARED, fd, 0);
  if (map == MAP_FAILED)
    return fail(Kind::unreadable, std::strerror(errno));
  std::unique_ptr<ShmSource> source(new ShmSource);
  source->base_ = static_cast<char*>(map);
  source->shared_ = static_cast<mprt_shared*>(map);
  source->known_.resize(MPRT_RINGS);
  std::memcpy(&source->about_, map, sizeof(mprt_shared));
  const mprt_shared& about = source->about_;
  if (about.magic != MPRT_SHARED_MAGIC)
    return fail(Kind::corrupt, "not the shared memory of the memprof runtime");
  if (about.abi != MPRT_ABI || about.bytes != sizeof(mprt_shared))
    return fail(Kind::version, "the program has another version of the runtime");
  source->pidfd_ = static_cast<int>(
      syscall(SYS_pidfd_open, static_cast<pid_t>(about.program_pid), 0));
  source->inode_ = st.st_ino;
  source->maps_tell_ = proc_is_ours();
  store(&source->shared_->backend_pid, static_cast<std::uint32_t>(getpid()));
  store(&source->shared_->phase, std::uint32_t{MPRT_RUNNING});
  futex_wake(&source->shared_->phase);
  return source;
}

ShmSource::~ShmSource() {
  if (base_) munmap(base_, MPRT_SHARED_BYTES);
  if (pidfd_ >= 0) ::close(pidfd_);
  if (snapshot_ >= 0) ::close(snapshot_);
}

// The program waits; if the objects cannot be passed, it gets none.
void ShmSource::give_snapshot(std::uint32_t token,
                              std::span<const mprt_live_object> live) {
  if (snapshot_ >= 0) ::close(snapshot_);
  snapshot_ = memfd_create("memprof-snapshot", MFD_CLOEXEC);
  const auto* bytes = reinterpret_cast<const char*>(live.data());
  std::size_t left = live.size_bytes();
  while (snapshot_ >= 0 && left) {
    const ssize_t n = write(snapshot_, bytes, left);
    if (n <= 0) break;
    bytes += n;
    left -= static_cast<std::size_t>(n);
  }
  struct stat file{};
  if (snapshot_ < 0 || fstat(snapshot_, &file) != 0) left = 1;
  store(&shared_->snapshot_inode, static_cast<std::uint64_t>(file.st_ino));
  store(&shared_->snapshot_fd, static_cast<std::uint32_t>(snapshot_));
  store(&shared_->snapshot_objects,
        static_cast<std::uint64_t>(left ? 0 : live.size()));
  store(&shared_->snapshot_token, token);
  futex_wake(&shared_->snapshot_token);
}

void ShmSource::enough() { store(&shared_->enough, 1u); }

void ShmSource::writing() { store(&shared_->phase, std::uint32_t{MPRT_WRITING}); }

void ShmSource::finish(mprt_phase phase, const std::string& message) {
  const std::size_t n = std::min(message.size(), sizeof shared_->message - 1);
  std::memcpy(shared_->message, message.data(), n);
  shared_->message[n] = 0;
  store(&shared_->phase, static_cast<std::uint32_t>(phase));
  futex_wake(&shared_->phase);
}

mprt_ring& ShmSource::slot(std::uint32_t number) const {
  return reinterpret_cast<mprt_ring*>(base_ + MPRT_RINGS_OFFSET)[number];
}

char* ShmSource::chunk(std::uint64_t index) const {
  return base_ + MPRT_CHUNKS_OFFSET + index * MPRT_CHUNK_BYTES;
}

std::uint64_t ShmSource::events_lost() const {
  return load(&shared_->events_lost);
}

// The ring makes no sense: what was read of it stays, the rest is not read.
void ShmSource::give_up(ShmRing& ring) {
  intact_ = false;
  ring.unread = {};
  ring.published = ring.read;
  ring.ended = true;
}

// `unread' becomes what is published at `read', up to the end of its chunk: a copy, because
// a check of a word and its use must see the same one. The program could write there.
void ShmSource::show_unread(ShmRing& ring) {
  ring.unread = {};
  if (ring.read >= ring.published) return;
  const std::uint64_t sequence = ring.read / MPRT_CHUNK_BYTES;
  const std::uint32_t index = load(&ring.shared->queue[sequence % MPRT_QUEUE]);
  if (index >= MPRT_CHUNKS) {
    give_up(ring);
    return;
  }
  const std::uint64_t start = sequence * MPRT_CHUNK_BYTES;
  const std::uint64_t end = std::min<std::uint64_t>(ring.published - start, MPRT_CHUNK_BYTES);
  const std::uint64_t offset = ring.read - start;
  const std::uint64_t fresh = std::max(ring.copied, ring.read) - start;
  ring.copy.resize(MPRT_CHUNK_BYTES / 8);
  if (fresh < end) {
    std::memcpy(ring.copy.data() + fresh / 8, chunk(index) + fresh, end - fresh);
    ring.copied = start + end;
  }
  ring.unread = {ring.copy.data() + offset / 8, (end - offset) / 8};
}

// Looks at what the producer has published since. True if there is more.
bool ShmSource::refresh(ShmRing& ring) {
  if (ring.ended) return false;
  const std::uint32_t state = load(&ring.shared->state);
  const std::uint64_t published = load(&ring.shared->published);
  if (published == ring.published) {
    // The state was read first: nothing is published after ENDED.
    if (state != MPRT_RING_LIVE) ring.ended = true;
    return ring.ended;
  }
  if (published < ring.published || published % 8 != 0 ||
      published - ring.released >
          std::uint64_t{MPRT_SAMPLE_CHUNKS} * MPRT_CHUNK_BYTES) {
    give_up(ring);
    return true;
  }
  ring.published = published;
  if (ring.unread.empty() || ring.read / MPRT_CHUNK_BYTES ==
                                 (published - 1) / MPRT_CHUNK_BYTES)
    show_unread(ring);
  return true;
}

// Slots below LIMIT that have come to life.
bool ShmSource::find_rings(std::uint32_t limit) {
  bool found = false;
  for (std::uint32_t i = 0; i < limit; i++) {
    if (known_[i] || load(&slot(i).state) == MPRT_RING_FREE) continue;
    auto ring = std::make_unique<ShmRing>();
    ring->shared = &slot(i);
    ring->number = i;
    // A producer fills in the rest before it publishes.
    if (load(&slot(i).published) == 0 && load(&slot(i).state) == MPRT_RING_LIVE)
      continue;
    ring->thread = load(&slot(i).thread);
    ring->signal_of = load(&slot(i).signal_of);
    if (ring->thread > k_max_thread) {
      ring->thread = k_max_thread;
      intact_ = false;
    }
    known_[i] = true;
    highest_ = std::max(highest_, i + 1);
    rings_.push_back(std::move(ring));
    found = true;
  }
  return found;
}

bool ShmSource::poll() {
  constexpr std::uint32_t k_margin = 8;
  const bool all = ++polls_ % k_full_scan == 0;
  const std::uint32_t likely = highest_ + k_margin;
  bool more = find_rings(std::min<std::uint32_t>(
      all ? ~std::uint32_t{0} : likely, MPRT_RINGS));
  // Ordinary rings before signal rings: stream.h says why.
  for (const bool signal : {false, true})
    for (const auto& ring : rings_)
      if ((ring->signal_of != 0) == signal &&
          refresh(static_cast<ShmRing&>(*ring)))
        more = true;
  return more;
}

bool ShmSource::program_dead() {
  if (pidfd_ < 0) return ended(about_.program_pid);
  pollfd fd{pidfd_, POLLIN, 0};
  return ::poll(&fd, 1, 0) > 0;
}

// Called when nothing came for a while: whether nothing ever will.
bool ShmSource::program_gone() {
  if (program_dead()) return true;
  return maps_tell_ && ++idle_ % k_look_after == 0 && !has_mapped(about_.program_pid, inode_);
}

// Whether something is published soon after SEEN was the state of `work'. Other
// threads that want the processor, such as the program's, may have it meanwhile.
bool ShmSource::work_comes(std::uint32_t seen) {
  const auto until = std::chrono::steady_clock::now() + k_awake;
  do {
    if (load(&shared_->work) != seen) return true;
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

bool ShmSource::wait() {
  const std::uint32_t seen = load(&shared_->work);
  if (poll() || (!load(&shared_->ending) && work_comes(seen))) return true;
  __atomic_store_n(&shared_->backend_waiting, 1, __ATOMIC_SEQ_CST);
  polls_ = k_full_scan - 1;
  bool more = poll();
  const bool ending = load(&shared_->ending) != 0;
  if (!more && !ending && futex_wait(&shared_->work, seen)) more = true;
  store(&shared_->backend_waiting, 0u);
  if (more) idle_ = 0;
  if (more || (!ending && !program_gone())) return true;
  // What the program published last, and what it had no time to publish.
  polls_ = k_full_scan - 1;
  poll();
  for (const auto& ring : rings_) extend_tail(static_cast<ShmRing&>(*ring));
  return false;
}

// Adds whole records after `published' up to the first zero header word. They
// are there because chunks are zeroed before they are used again.
bool ShmSource::extend_tail(ShmRing& ring) {
  if (ring.ended) return false;
  const std::uint64_t before = ring.published;
  for (;;) {
    const std::uint64_t sequence = ring.published / MPRT_CHUNK_BYTES;
    if (sequence - ring.read / MPRT_CHUNK_BYTES >= MPRT_QUEUE) break;
    const std::uint32_t index =
        load(&ring.shared->queue[sequence % MPRT_QUEUE]);
    if (index >= MPRT_CHUNKS) break;
    const auto* begin = reinterpret_cast<const std::uint64_t*>(chunk(index));
    const std::uint64_t* const end = begin + MPRT_CHUNK_BYTES / 8;
    const std::uint64_t* p = begin + ring.published % MPRT_CHUNK_BYTES / 8;
    const std::uint64_t* last = nullptr;
    bool chunk_end = false;
    while (const std::size_t words = whole_record(p, end)) {
      last = p;
      p += words;
      chunk_end = *last == MPRT_CONTROL_HEADER(MPRT_CHUNK_END, 1);
      if (chunk_end) break;
    }
    // A thread that still runs has made the stores of these records, if perhaps not in this order for us.
    // The last record may have been cut short: its header stands, but not all
    // of its words.
    if (last && !chunk_end) {
      see_stores_of_others();
      if (std::find(last + 1, p, 0u) != p) p = last;
    }
    ring.published = sequence * MPRT_CHUNK_BYTES +
                     static_cast<std::uint64_t>(p - begin) * 8;
    if (!chunk_end) break;
    ring.published = (sequence + 1) * MPRT_CHUNK_BYTES;
  }
  ring.ended = true;
  show_unread(ring);
  return ring.published != before;
}

// Gives back the chunks that `read' has left.
void ShmSource::release_chunks(ShmRing& ring) {
  const std::uint64_t target =
      ring.read / MPRT_CHUNK_BYTES * MPRT_CHUNK_BYTES;
  if (target <= ring.released) return;
  for (std::uint64_t s = ring.released / MPRT_CHUNK_BYTES;
       s < target / MPRT_CHUNK_BYTES; s++) {
    const std::uint32_t index = load(&ring.shared->queue[s % MPRT_QUEUE]);
    if (index < MPRT_CHUNKS) std::memset(chunk(index), 0, MPRT_CHUNK_BYTES);
  }
  ring.released = target;
  store(&ring.shared->consumed, target);
  __atomic_add_fetch(&ring.shared->consumed_futex, 1, __ATOMIC_SEQ_CST);
  if (load(&ring.shared->published) - target <= k_wake_below &&
      __atomic_exchange_n(&ring.shared->producer_waiting, 0, __ATOMIC_SEQ_CST))
    futex_wake(&ring.shared->consumed_futex);
}

void ShmSource::advance(StreamRing& base, std::size_t words) {
  auto& ring = static_cast<ShmRing&>(base);
  ring.read += words * 8;
  ring.unread = ring.unread.subspan(words);
  if (!ring.unread.empty()) return;
  release_chunks(ring);
  show_unread(ring);
}

void ShmSource::skip_chunk(StreamRing& base) {
  auto& ring = static_cast<ShmRing&>(base);
  if (ring.read % MPRT_CHUNK_BYTES == 0) return;  // advance() has done it
  ring.read = (ring.read / MPRT_CHUNK_BYTES + 1) * MPRT_CHUNK_BYTES;
  if (ring.read > ring.published) {
    ring.read = ring.published;
    give_up(ring);
    return;
  }
  release_chunks(ring);
  show_unread(ring);
}

// False if the holder never releases it.
bool ShmSource::lock_pool() {
  std::uint32_t* const word = &shared_->pool_lock;
  std::uint32_t seen = 0;
  if (__atomic_compare_exchange_n(word, &seen, 1, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_RELAXED))
    return true;
  // Taken as 2 after a sleep: others may still sleep.
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0)
    if (!futex_wait(word, 2) && program_dead()) return false;
  return true;
}

void ShmSource::unlock_pool() {
  if (__atomic_exchange_n(&shared_->pool_lock, 0, __ATOMIC_RELEASE) == 2)
    futex_wake(&shared_->pool_lock, 1);
}

void ShmSource::release(StreamRing& base) {
  auto& ring = static_cast<ShmRing&>(base);
  const bool usable =
      ring.published == load(&ring.shared->published) &&
      load(&ring.shared->state) == MPRT_RING_ENDED;
  if (usable) {
    // The producer uses its chunks in turn, so all that it owns are among the
    // last MPRT_SAMPLE_CHUNKS entries.
    std::vector<std::uint32_t> owned;
    const std::uint64_t last = ring.published / MPRT_CHUNK_BYTES;
    for (std::uint64_t i = 0; i <= last && i < MPRT_SAMPLE_CHUNKS; i++) {
      const std::uint32_t index = load(&ring.shared->queue[(last - i) % MPRT_QUEUE]);
      if (index < MPRT_CHUNKS &&
          std::find(owned.begin(), owned.end(), index) == owned.end())
        owned.push_back(index);
    }
    for (const std::uint32_t index : owned)
      std::memset(chunk(index), 0, MPRT_CHUNK_BYTES);
    if (!lock_pool()) owned.clear();
    for (const std::uint32_t index : owned) {
      const std::uint32_t count = load(&shared_->pool_free_count);
      if (count >= MPRT_CHUNKS) break;
      shared_->pool_free[count] = index;
      store(&shared_->pool_free_count, count + 1);
    }
    unlock_pool();
    store(&ring.shared->published, std::uint64_t{0});
    store(&ring.shared->consumed, std::uint64_t{0});
    store(&ring.shared->signal_of, 0u);
    known_[ring.number] = false;
    store(&ring.shared->state, std::uint32_t{MPRT_RING_FREE});
    __atomic_add_fetch(&shared_->freed, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&shared_->freed_waiting, __ATOMIC_SEQ_CST))
      futex_wake(&shared_->freed, 1);
  }
  std::erase_if(rings_, [&](const auto& r) { return r.get() == &base; });
}

}  // namespace memprof::backend
