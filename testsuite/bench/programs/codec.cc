// codec.cc - a frame codec: delta, whitening, substitution and a checksum, byte
// by byte through members of a class.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//   codec [FRAMES [FRAME-BYTES [SEED]]]
//
// Every store of a byte may overwrite the members (a char may alias all), so
// the compiler loads pointers, bound and key again for each byte.  -DHAND holds
// them in locals that nothing can alias.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#ifdef HAND
#define BY_HAND __attribute__((optimize("O3")))
#define RESTRICT __restrict
#else
#define BY_HAND
#define RESTRICT
#endif

typedef unsigned char byte;

class Codec {
 public:
  Codec(std::size_t frame, unsigned seed) : length_(frame), plain_(frame), work_(frame), sent_(frame) {
    unsigned x = seed * 2654435761u + 1;
    for (int i = 0; i < 256; i++) table_[i] = static_cast<byte>(i * 167 + 13);
    for (auto& k : key_) k = static_cast<byte>((x = x * 1664525 + 1013904223) >> 24);
    rotate_ = seed % 7 + 1;
    bias_ = static_cast<byte>(seed);
  }
  void fill(unsigned& x) {
    for (auto& b : plain_) b = static_cast<byte>((x = x * 1664525 + 1013904223) >> 24);
    in_ = plain_.data();
    mid_ = work_.data();
    out_ = sent_.data();
  }
  void encode() {
    delta();
    whiten();
    mix();
    check();
  }
  unsigned checksum() const { return sum_; }
  byte at(std::size_t i) const { return sent_[i % length_]; }

 private:
  __attribute__((noinline)) void delta();
  __attribute__((noinline)) void whiten();
  __attribute__((noinline)) void mix();
  __attribute__((noinline)) void check();

  const byte* in_ = nullptr;
  byte* mid_ = nullptr;
  byte* out_ = nullptr;
  std::size_t length_;
  byte key_[16];
  byte bias_;
  unsigned rotate_;
  unsigned sum_ = 0;
  byte table_[256];
  std::vector<byte> plain_, work_, sent_;
};

// Difference to the byte before, with a bias.
BY_HAND void Codec::delta() {
#ifdef HAND
  const byte* RESTRICT in = in_;
  byte* RESTRICT mid = mid_;
  const std::size_t n = length_;
  const byte bias = bias_;
  mid[0] = in[0];
  for (std::size_t i = 1; i < n; i++) mid[i] = static_cast<byte>(in[i] - in[i - 1] + bias);
#else
  mid_[0] = in_[0];
  for (std::size_t i = 1; i < length_; i++)
    mid_[i] = static_cast<byte>(in_[i] - in_[i - 1] + bias_);
#endif
}

// Exclusive or with two bytes of the key, rotated.
BY_HAND void Codec::whiten() {
#ifdef HAND
  byte* RESTRICT mid = mid_;
  const std::size_t n = length_;
  const byte even = key_[0], odd = key_[1];
  const unsigned rotate = rotate_;
  for (std::size_t i = 0; i < n; i++) {
    byte b = static_cast<byte>(mid[i] ^ even);
    mid[i] = static_cast<byte>(((b << rotate) | (b >> (8 - rotate))) + odd);
  }
#else
  for (std::size_t i = 0; i < length_; i++) {
    byte b = static_cast<byte>(mid_[i] ^ key_[0]);
    mid_[i] = static_cast<byte>(((b << rotate_) | (b >> (8 - rotate_))) + key_[1]);
  }
#endif
}

// Halves of the frame mixed into the output.
BY_HAND void Codec::mix() {
#ifdef HAND
  const byte* RESTRICT low = mid_;
  const byte* RESTRICT high = mid_ + length_ / 2;
  byte* RESTRICT out = out_;
  const std::size_t n = length_ / 2;
  const byte key = key_[2];
  for (std::size_t i = 0; i < n; i++) out[i] = static_cast<byte>(low[i] ^ (high[i] + key));
  byte* RESTRICT rest = out_ + n;
  for (std::size_t i = 0; i < n; i++) rest[i] = static_cast<byte>(high[i] - (low[i] & key));
#else
  for (std::size_t i = 0; i < length_ / 2; i++)
    out_[i] = static_cast<byte>(mid_[i] ^ (mid_[i + length_ / 2] + key_[2]));
  for (std::size_t i = 0; i < length_ / 2; i++)
    out_[i + length_ / 2] = static_cast<byte>(mid_[i + length_ / 2] - (mid_[i] & key_[2]));
#endif
}

// Substitution of a part of the frame through the table, and the sum of all.
BY_HAND void Codec::check() {
#ifdef HAND
  const byte* RESTRICT table = table_;
  byte* RESTRICT out = out_;
  const std::size_t n = length_;
  unsigned sum = sum_;
  for (std::size_t i = 0; i < n / 8; i++) out[i] = table[out[i]];
  for (std::size_t i = 0; i < n; i++) sum += out[i];
  sum_ = sum;
#else
  for (std::size_t i = 0; i < length_ / 8; i++) out_[i] = table_[out_[i]];
  for (std::size_t i = 0; i < length_; i++) sum_ += out_[i];
#endif
}

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::atoi(argv[1]) : 2500;
  const std::size_t bytes = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 65536;
  unsigned x = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
  Codec codec(bytes, x);
  unsigned tail = 0;
  codec.fill(x);
  for (int f = 0; f < frames; f++) {
    codec.encode();
    tail = tail * 31 + codec.at(static_cast<std::size_t>(f));
  }
  std::printf("%08x %08x\n", codec.checksum(), tail);
  return 0;
}
