// sequitur_test.cc - grammars of the papers' strings, and the two invariants on random ones.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "feedback/streams/sequitur.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "feedback/streams/uleb.h"
#include "testsuite/unit/feedback/streams/oracle.h"

namespace memprof::streams {
namespace {

Grammar grammar_of(const std::vector<std::uint64_t>& values) {
  Sequitur s;
  Alphabet alphabet;
  for (const std::uint64_t v : values) s.append(alphabet.terminal(v));
  Grammar g = s.grammar();
  g.alphabet = std::move(alphabet);
  return g;
}

std::vector<std::uint64_t> expanded(const Grammar& g) {
  std::vector<std::uint64_t> out;
  Expander e(g);
  for (Symbol s; e.next(s);) out.push_back(g.alphabet.value(s));
  return out;
}

// Of a string of the letters a to z.
std::string grammar_text(std::string_view string) {
  std::vector<std::uint64_t> values;
  for (const char c : string) values.push_back(static_cast<std::uint64_t>(c - 'a'));
  const Grammar g = grammar_of(values);
  EXPECT_EQ(expanded(g), values);
  return text(g, "abcdefghijklmnopqrstuvwxyz");
}

// W-1: the example of Wu et al., CGO 2004.
TEST(Sequitur, W1ExampleOfWhomp) {
  EXPECT_EQ(grammar_text("abcbcabcbc"), "S -> R1 R1 ; R1 -> a R2 R2 ; R2 -> b c");
}

TEST(Sequitur, W2RepeatedStringsAndRuns) {
  EXPECT_EQ(grammar_text("abcabcabc"), "S -> R1 R1 R1 ; R1 -> a b c");
  EXPECT_EQ(grammar_text("aaaa"), "S -> R1 R1 ; R1 -> a a");
  EXPECT_EQ(grammar_text("aaaaaaaa"), "S -> R1 R1 ; R1 -> R2 R2 ; R2 -> a a");
}

TEST(Sequitur, W3NestedRules) {
  EXPECT_EQ(grammar_text("abcdbcabcdbc"), "S -> R1 R1 ; R1 -> a R2 d R2 ; R2 -> b c");
  EXPECT_EQ(grammar_text("abaabcabcabcabc"),
            "S -> R1 a R2 R2 ; R1 -> a b ; R2 -> R3 R3 ; R3 -> R1 c");
}

// W-4: three traversals of a list of four nodes; instruction 1 reads offset 0, 2 offset 8.
TEST(Sequitur, W4FourGrammarsOfAList) {
  const std::uint64_t nodes[] = {0x5000, 0x1400, 0x9100, 0x2240};
  std::vector<std::uint64_t> sites, groups, objects, offsets, addresses;
  for (int walk = 0; walk < 3; walk++)
    for (std::uint64_t node = 0; node < 4; node++)
      for (const std::uint64_t field : {0, 1}) {
        sites.push_back(1 + field);
        groups.push_back(0);
        objects.push_back(node);
        offsets.push_back(8 * field);
        addresses.push_back(nodes[node] + 8 * field);
      }
  EXPECT_EQ(text(grammar_of(sites)), "S -> R1 R1 R1 ; R1 -> R2 R2 ; R2 -> R3 R3 ; R3 -> 1 2");
  EXPECT_EQ(text(grammar_of(groups)), "S -> R1 R1 R1 ; R1 -> R2 R2 ; R2 -> R3 R3 ; R3 -> 0 0");
  EXPECT_EQ(text(grammar_of(objects)), "S -> R1 R1 R1 ; R1 -> 0 0 1 1 2 2 3 3");
  EXPECT_EQ(text(grammar_of(offsets)), "S -> R1 R1 R1 ; R1 -> R2 R2 ; R2 -> R3 R3 ; R3 -> 0 8");
  EXPECT_EQ(text(grammar_of(addresses)),
            "S -> R1 R1 R1 ; R1 -> 20480 20488 5120 5128 37120 37128 8768 8776");
}

// W-5: sizes in bytes. A Tuple is an access.
struct Tuple {
  std::uint64_t site, group, object, offset;
};

struct TestSizes {
  std::uint64_t omsg = 0, delta = 0, addresses = 0;  // bytes
};

TestSizes sizes_of(const std::vector<Tuple>& tuples, const std::vector<std::uint64_t>& addresses) {
  std::vector<std::uint64_t> sites, groups, objects, offsets, differences;
  for (const Tuple& t : tuples) {
    differences.push_back(objects.empty() ? t.object
                                          : zigzag(static_cast<std::int64_t>(t.object - objects.back())));
    sites.push_back(t.site);
    groups.push_back(t.group);
    objects.push_back(t.object);
    offsets.push_back(t.offset);
  }
  const auto bytes = [](const std::vector<std::uint64_t>& values) {
    const Grammar g = grammar_of(values);
    EXPECT_EQ(expanded(g), values);
    std::string out;
    encode(g, out);
    EXPECT_EQ(sizes(g).bytes, out.size());
    return sizes(g).bytes;
  };
  TestSizes s;
  const std::uint64_t others = bytes(sites) + bytes(groups) + bytes(offsets);
  s.omsg = others + bytes(objects);
  s.delta = others + bytes(differences);
  s.addresses = bytes(addresses);
  return s;
}

TEST(Sequitur, W5RandomList) {
  const std::uint64_t nodes[] = {
      347312,  1259232, 197872,  600448,  312816,  1104528, 1661376, 1008176, 1055904, 1432016,
      861632,  505840,  262368,  1088640, 124976,  883024,  973104,  1339424, 1664144, 69952,
      1524800, 999568,  624064,  1578704, 545280,  1305264, 279920,  731232,  129680,  112336,
      118896,  1427728, 1200960, 84832,   864976,  1505184, 519776,  950768,  1587744, 126432,
      1172048, 530448,  983840,  1105328, 1224960, 554336,  790512,  549696,  1484976, 524352,
      1661344, 1029392, 673248,  110592,  938320,  1232496, 1412512, 275248,  455408,  1385376,
      1583104, 687104,  319056,  1624016};
  std::vector<Tuple> tuples;
  std::vector<std::uint64_t> addresses;
  for (int walk = 0; walk < 8; walk++)
    for (std::uint64_t k = 0; k < 64; k++)
      for (const std::uint64_t field : {0, 1}) {
        tuples.push_back({1 + field, 0, k, 8 * field});
        addresses.push_back(nodes[k] + 8 * field);
      }
  const TestSizes s = sizes_of(tuples, addresses);
  EXPECT_EQ(s.omsg, 233u);
  EXPECT_EQ(s.addresses, 446u);
}

TEST(Sequitur, W5Arrays) {
  std::vector<Tuple> one, eight;
  std::vector<std::uint64_t> one_addresses, eight_addresses;
  for (int walk = 0; walk < 4; walk++)
    for (std::uint64_t i = 0; i < 256; i++) {
      one.push_back({3, 1, 0, 8 * i});
      one_addresses.push_back(0x400000 + 8 * i);
    }
  for (std::uint64_t object = 0; object < 8; object++)
    for (std::uint64_t i = 0; i < 128; i++) {
      eight.push_back({5, 2, object, 8 * i});
      eight_addresses.push_back(0x7f3a00000000 + object * 0x13370 + 8 * i);
    }
  EXPECT_EQ(sizes_of(one, one_addresses).omsg, 606u);
  EXPECT_EQ(sizes_of(one, one_addresses).addresses, 1033u);
  EXPECT_EQ(sizes_of(eight, eight_addresses).omsg, 484u);
  EXPECT_EQ(sizes_of(eight, eight_addresses).addresses, 7171u);
}

// Serial numbers of a list that is freed and built again never come again, its addresses do.
TEST(Sequitur, W5ListThatIsRebuilt) {
  const std::uint64_t orders[8][16] = {{1, 0, 15, 5, 9, 7, 2, 4, 3, 12, 6, 8, 13, 11, 14, 10},
                                       {9, 1, 7, 10, 4, 14, 0, 8, 5, 2, 13, 6, 12, 11, 3, 15},
                                       {5, 13, 3, 10, 8, 9, 1, 2, 6, 4, 12, 14, 0, 15, 7, 11},
                                       {6, 10, 2, 1, 15, 11, 3, 0, 14, 4, 7, 13, 9, 5, 8, 12},
                                       {4, 1, 14, 12, 15, 2, 11, 6, 10, 3, 8, 9, 5, 7, 0, 13},
                                       {1, 11, 5, 7, 4, 13, 6, 15, 8, 2, 10, 3, 12, 0, 9, 14},
                                       {9, 11, 5, 15, 12, 8, 6, 1, 10, 3, 4, 14, 7, 0, 13, 2},
                                       {1, 6, 0, 12, 3, 11, 15, 7, 9, 13, 10, 14, 8, 4, 2, 5}};
  std::vector<Tuple> tuples;
  std::vector<std::uint64_t> addresses;
  std::uint64_t serial = 0;
  for (const auto& order : orders)
    for (std::uint64_t k = 0; k < 16; k++, serial++)
      for (const std::uint64_t field : {0, 1}) {
        tuples.push_back({1 + field, 0, serial, 8 * field});
        addresses.push_back(0x1000 + 32 * order[k] + 8 * field);
      }
  const TestSizes s = sizes_of(tuples, addresses);
  EXPECT_EQ(s.omsg, 462u);
  EXPECT_EQ(s.delta, 105u);
  EXPECT_EQ(s.addresses, 220u);
}

// W-6.
TEST(Sequitur, W6InvariantsHoldOnRandomStrings) {
  std::mt19937 random(7);
  for (int round = 0; round < 10000 && !::testing::Test::HasFailure(); round++) {
    const std::size_t letters = 2 + random() % 4, length = 1 + random() % 80;
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < length; i++) values.push_back(random() % letters);
    const Grammar g = grammar_of(values);
    ASSERT_EQ(expanded(g), values);
    EXPECT_EQ(g.expanded_lengths()[0], length);
    EXPECT_EQ(oracle::broken_property(g), "");
  }
}

// Long enough for the tables to grow, and with rules that come and go.
TEST(Sequitur, LongSequencesComeBack) {
  std::mt19937_64 random(11);
  std::vector<std::uint64_t> values;
  std::vector<std::vector<std::uint64_t>> words(50);
  for (auto& word : words)
    for (std::size_t i = 2 + random() % 20; i > 0; i--) word.push_back(random() >> random() % 60);
  while (values.size() < 200000) {
    const auto& word = words[random() % words.size()];
    values.insert(values.end(), word.begin(), word.begin() + 1 + static_cast<std::ptrdiff_t>(random() % word.size()));
  }
  Sequitur s;
  Alphabet alphabet;
  for (const std::uint64_t v : values) s.append(alphabet.terminal(v));
  Grammar g = s.grammar();
  g.alphabet = std::move(alphabet);
  EXPECT_EQ(expanded(g), values);
  EXPECT_EQ(g.symbols.size(), s.symbols());
  EXPECT_LE(s.bytes(), 40 * s.symbols() + 4096);
  EXPECT_EQ(oracle::broken_property(g), "");
  std::string bytes;
  encode(g, bytes);
  EXPECT_EQ(bytes.size(), sizes(g).bytes);
  auto back = decode(bytes, "test");
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(expanded(*back), values);
}

TEST(Grammar, AsciiSizeIsThatOfItsText) {
  const Grammar g = grammar_of({10, 11, 12, 10, 11, 12, 200});
  EXPECT_EQ(text(g), "S -> R1 R1 200 ; R1 -> 10 11 12");
  EXPECT_EQ(sizes(g).ascii, std::string("R1 R1 200\n10 11 12\n").size());
}

TEST(Grammar, DamagedBytesAreErrors) {
  std::vector<std::uint64_t> values;
  for (std::uint64_t i = 0; i < 300; i++) values.push_back(i % 7 * (i % 3) << i % 50);
  std::string bytes;
  encode(grammar_of(values), bytes);
  ASSERT_TRUE(decode(bytes, "test"));
  for (std::size_t length = 0; length < bytes.size(); length++)
    EXPECT_FALSE(decode(std::string_view(bytes).substr(0, length), "test")) << length;
  EXPECT_FALSE(decode(bytes + '\0', "test"));
  // Whatever a byte is, a grammar that is accepted can be expanded.
  for (std::size_t i = 0; i < bytes.size(); i++)
    for (const int bit : {1, 2, 64, 128}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ bit);
      if (auto g = decode(damaged, "test"); g && g->expanded_lengths()[0] < 1000000) {
        EXPECT_EQ(expanded(*g).size(), g->expanded_lengths()[0]);
      }
    }
  // Rule 1 -> rule 1.
  EXPECT_FALSE(decode(std::string("\2\1\3\1\3", 5), "test"));
  // 2^62 terminals, by rules of four.
  std::string deep;
  put_uleb(deep, 32);
  for (std::uint64_t rule = 0; rule < 32; rule++) {
    put_uleb(deep, 4);
    for (int i = 0; i < 4; i++) put_flagged(deep, rule == 31 ? 7 : rule + 1, rule != 31);
  }
  EXPECT_FALSE(decode(deep, "test"));
}

TEST(Uleb, NumbersOfAllSizesComeBack) {
  for (unsigned bits = 0; bits <= 64; bits++)
    for (const std::uint64_t v :
         {bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1,
          bits == 64 ? std::uint64_t{1} << 63 : std::uint64_t{1} << bits}) {
      std::string out;
      put_uleb(out, v);
      EXPECT_EQ(out.size(), uleb_bytes(v));
      put_flagged(out, v, true);
      put_flagged(out, v, false);
      EXPECT_EQ(out.size(), uleb_bytes(v) + 2 * flagged_bytes(v));
      put_uleb(out, zigzag(static_cast<std::int64_t>(v)));
      UlebReader in(out);
      bool flag = false;
      EXPECT_EQ(in.number(), v);
      EXPECT_EQ(in.flagged(flag), v);
      EXPECT_TRUE(flag);
      EXPECT_EQ(in.flagged(flag), v);
      EXPECT_FALSE(flag);
      EXPECT_EQ(unzigzag(in.number()), static_cast<std::int64_t>(v));
      EXPECT_TRUE(in.good() && in.at_end());
    }
}

}  // namespace
}  // namespace memprof::streams
