// value_coder.cc - a coder of traces by value prediction, to compare the size of whole streams with.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// usage: memprof streams --expand PROFILE | value_coder DIR
//
// Reads accesses (thread, load or store, place, address), and writes into DIR
//
//   raw     the trace: 12 bytes an access, number of the place (32 bits) and address (64 bits)
//   codes   which predictor was right, a byte for the place and one for the address
//   missed  places and addresses that none predicted
//
// A general compressor makes codes and missed small: together they are what a value-predictor coder
// writes. For each place, predictors of addresses: the last three different values; the context of
// the last one and three values (FCM1, FCM3), of the last one and three differences (DFCM1,
// DFCM3), with two answers each. For places, the context of the last three and six. A decoder that
// has the same tables gives all back; value_coder decodes what it wrote, and fails if it is not so.
//
// Paper: Burtscher, VPC3: A Fast and Effective Trace-Compression Algorithm, SIGMETRICS 2004. What it
// has more: tables of values that are shared by all places in fixed sizes, and bzip2.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

constexpr std::uint8_t k_missed = 255;

// Two answers to a context, the last one first.
class Contexts {
 public:
  explicit Contexts(unsigned bits) : shift_(64 - bits), rows_(std::size_t{1} << bits) {}
  std::array<std::uint64_t, 2>& row(std::uint64_t context) {
    return rows_[context * 0x9e3779b97f4a7c15u >> shift_];
  }
  static void learn(std::array<std::uint64_t, 2>& row, std::uint64_t value) {
    if (row[0] != value) row = {value, row[0]};
  }

 private:
  unsigned shift_;
  std::vector<std::array<std::uint64_t, 2>> rows_;
};

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return (a ^ a >> 31) * 0xd6e8feb86659fd93u + b; }

struct History {
  std::array<std::uint64_t, 3> values{}, differences{};
};

// Predictions of the next access, the same in the coder and in the decoder.
class Predictors {
 public:
  void places(std::vector<std::uint64_t>& out) {
    rows_.clear();
    use(place3_, mix(mix(last_[0], last_[1]), last_[2]), 0, out);
    std::uint64_t context = 1;
    for (const std::uint64_t p : last_) context = mix(context, p);
    use(place6_, context, 0, out);
    bases_.clear();
  }
  void learn_place(std::uint64_t place) {
    for (auto* row : rows_) Contexts::learn(*row, place);
    for (std::size_t i = last_.size() - 1; i > 0; i--) last_[i] = last_[i - 1];
    last_[0] = place;
  }
  void addresses(std::uint64_t place, std::vector<std::uint64_t>& out) {
    if (place >= histories_.size()) histories_.resize(place + 1);
    now_ = &histories_[place];
    const auto& [v, d] = *now_;
    rows_.clear();
    bases_.clear();
    out.insert(out.end(), v.begin(), v.end());
    use(fcm1_, mix(place, v[0]), 0, out);
    use(fcm3_, mix(mix(mix(place, v[0]), v[1]), v[2]), 0, out);
    use(dfcm1_, mix(place, d[0]), v[0], out);
    use(dfcm3_, mix(mix(mix(place, d[0]), d[1]), d[2]), v[0], out);
  }
  void learn_address(std::uint64_t address) {
    for (std::size_t i = 0; i < rows_.size(); i++) Contexts::learn(*rows_[i], address - bases_[i]);
    auto& [v, d] = *now_;
    d = {address - v[0], d[0], d[1]};
    v = {address, v[0], v[1]};
  }

 private:
  void use(Contexts& table, std::uint64_t context, std::uint64_t base, std::vector<std::uint64_t>& out) {
    auto& row = table.row(context);
    rows_.push_back(&row);
    bases_.push_back(base);
    for (const std::uint64_t value : row) out.push_back(base + value);
  }
  Contexts place3_{16}, place6_{18}, fcm1_{20}, fcm3_{20}, dfcm1_{20}, dfcm3_{20};
  std::array<std::uint64_t, 6> last_{};
  std::vector<History> histories_;
  History* now_ = nullptr;
  std::vector<std::array<std::uint64_t, 2>*> rows_;
  std::vector<std::uint64_t> bases_;
};

struct Coded {
  std::string codes, missed;
};

void put(std::string& out, std::uint64_t value, unsigned bytes) {
  for (; bytes > 0; bytes--, value >>= 8) out += static_cast<char>(value);
}
std::uint64_t get(const std::string& in, std::size_t& at, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++)
    value |= std::uint64_t{static_cast<unsigned char>(in[at++])} << 8 * i;
  return value;
}

void code(const std::vector<std::uint64_t>& guesses, std::uint64_t value, unsigned bytes, Coded& out) {
  std::size_t i = 0;
  while (i < guesses.size() && guesses[i] != value) i++;
  out.codes += static_cast<char>(i < guesses.size() ? i : k_missed);
  if (i == guesses.size()) put(out.missed, value, bytes);
}

Coded coded(const std::string& raw) {
  Predictors predictors;
  Coded out;
  std::vector<std::uint64_t> guesses;
  for (std::size_t at = 0; at < raw.size();) {
    const std::uint64_t place = get(raw, at, 4), address = get(raw, at, 8);
    guesses.clear();
    predictors.places(guesses);
    code(guesses, place, 4, out);
    predictors.learn_place(place);
    guesses.clear();
    predictors.addresses(place, guesses);
    code(guesses, address, 8, out);
    predictors.learn_address(address);
  }
  return out;
}

std::string decoded(const Coded& in) {
  Predictors predictors;
  std::string out;
  std::vector<std::uint64_t> guesses;
  std::size_t missed = 0;
  const auto value = [&](std::size_t code_at, unsigned bytes) {
    const auto code = static_cast<std::uint8_t>(in.codes[code_at]);
    return code == k_missed ? get(in.missed, missed, bytes) : guesses.at(code);
  };
  for (std::size_t i = 0; i < in.codes.size(); i += 2) {
    guesses.clear();
    predictors.places(guesses);
    const std::uint64_t place = value(i, 4);
    predictors.learn_place(place);
    guesses.clear();
    predictors.addresses(place, guesses);
    const std::uint64_t address = value(i + 1, 8);
    predictors.learn_address(address);
    put(out, place, 4);
    put(out, address, 8);
  }
  return out;
}

// THREAD KIND PLACE ADDRESS, where PLACE may have blanks.
std::string raw_trace(std::FILE* in) {
  std::string out;
  std::unordered_map<std::string, std::uint64_t> places;
  char line[4096];
  while (std::fgets(line, sizeof line, in) != nullptr) {
    char* const address = std::strrchr(line, ' ');
    if (address == nullptr) return {};
    const std::string place(line, address);
    put(out, places.try_emplace(place, places.size() + 1).first->second, 4);
    put(out, std::strtoull(address + 1, nullptr, 16), 8);
  }
  return out;
}

bool write(const std::string& path, std::string_view bytes) {
  std::FILE* const f = std::fopen(path.c_str(), "wb");
  if (f == nullptr) return false;
  const bool good = std::fwrite(bytes.data(), 1, bytes.size(), f) == bytes.size();
  return std::fclose(f) == 0 && good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: memprof streams --expand PROFILE | value_coder DIR\n");
    return 2;
  }
  const std::string raw = raw_trace(stdin), to = std::string(argv[1]) + "/";
  if (raw.empty()) {
    std::fprintf(stderr, "value_coder: no accesses\n");
    return 2;
  }
  const Coded all = coded(raw);
  if (decoded(all) != raw) {
    std::fprintf(stderr, "value_coder: what was coded is not given back\n");
    return 1;
  }
  return write(to + "raw", raw) && write(to + "codes", all.codes) && write(to + "missed", all.missed) ? 0 : 1;
}
