// inferred_dependences.h - sample mode: which stores a load may have read that a burst
// did not show.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// The problem: a burst sees a dependence only if it has both ends. A list that is built
// once and walked for the rest of the run, the array of the sweep before: their stores
// and loads are seen, but never together.
//
// The idea: memory is alike. What matters of an address is its *place*:
//
//   a field   in the first 512 bytes of an object of at most 4 KB: (group, offset / 2). Small
//             objects of one group are built and used alike.
//   an array  all else: (group, object, region, offset mod 64 / 2). The elements of a
//             region are alike; the 32 residues keep the fields of an array of records apart.
//             Between two powers of two there are four regions: one block often holds
//             several arrays.
//
// In each burst, of the words of 2 bytes (fields are often no larger):
//
//   1. The last store of the burst to a word leaves its site there, for bursts to come.
//   2. A load that no store of the burst came before reads what was left earlier. Both words of
//      4 bytes of it are alike, so the first one represents both. Of arrays whose elements are
//      alike, array_history.h knows which sites have stored there since when. If an earlier burst has
//      stored to that very word, the answer is in last_writers.h.
//
// When the burst is over it counts for each place how many words each site has left
// there; what had been left before fades to 3/5, for programs have phases, and what is
// read was rather stored of late; in the end it is forgotten. Each other load of 2 is shared
// out over the sites that have left something at its place, in proportion; what the same load
// has met elsewhere corrects that. If none has left anything, it waits until the end of the
// run, where an array without regions is good enough, too. What long ranges have left does not
// count there: had they come here, it would be known.
//
// What the language does not let a load read (site_type.h) it has not read, whatever places say:
// what was stored as a pointer it does not load as an integer, nor one field as another.
//
// A word may never have been stored to: an array has at most as many words with a writer
// as there were stores. Reads of the others are no dependences.
//
// At the end the executions of a load that no measured dependence accounts for are shared
// out as those were that bursts have seen:
//
//     struct node { long key; struct node *next; };      burst 1   site 1 stores to n->key
//                                                        of 90 nodes, site 2 to n->next,
//     while (n) sum += n->key, n = n->next;              and site 5 to n->key of 10 others
//                                                        burst 2   site 3 loads n->key
//
//     Site 3 was executed 1000 times, of which 200 met a writer in their burst: of the others
//     90 % are site 1's and 10 % site 5's: 720 and 80. None are site 2's.
//
// What is below 1 % of the load's executions is left out. These pairs were not seen to meet, so
// they are rows of their own (feedback::InferredDependence), without loop and distance.
//
// Early bursts (mprt_burst.cc) only add to what has been left, and say whose words are whose.
// A loop that one range record describes is one place for bursts, which seldom meet it. The
// program reports some between bursts (Batch::loop_samples), with the number each represents.
//
// Bounds: of a group k_max_objects arrays are told apart, all others are one, with fields
// in their first 512 bytes. A site
// leaves something at k_max_places places, and a load waits at as many; all sites
// together have k_max_all_places. What happens elsewhere is in no row. A burst with
// more than k_max_words words counts as several.
//
// What library functions write counts as stores of no site, for which there are no rows; in
// bursts it is not looked at. What other code writes that is not instrumented is attributed to
// sites that are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "feedback/flat_map.h"
#include "runtime/backend/base/per_site.h"
#include "runtime/backend/event/module.h"
#include "runtime/backend/modules/sampled/array_history.h"
#include "runtime/backend/modules/sampled/last_writers.h"
#include "runtime/backend/modules/sampled/place_tally.h"
#include "runtime/backend/modules/sampled/word_table.h"

namespace memprof::backend {

class InferredDependences {
 public:
  static constexpr std::size_t k_max_objects = 16;
  static constexpr std::size_t k_max_places = 8192;
  static constexpr std::size_t k_max_all_places = std::size_t{1} << 20;
  static constexpr std::size_t k_max_words = std::size_t{1} << 19;

  explicit InferredDependences(const ProgramInfo& program)
      : program_(program), last_(program), history_(program) {}

  void consume(const Batch& batch);
  // After the last batch.
  void settle();
  // Adds the rows; those of what was measured are there already.
  void finish(feedback::Profile& profile);

 private:
  static constexpr std::uint64_t k_word = LastWriters::k_word;
  static constexpr std::uint64_t k_field_bytes = 512;  // a power of two
  static constexpr std::uint64_t k_record_bytes = 4096;  // larger objects have no fields
  static constexpr std::uint64_t k_fields = k_field_bytes / k_word;
  static constexpr std::uint64_t k_line_bytes = 64;
  static constexpr std::uint64_t k_residues = k_line_bytes / k_word;
  static_assert(k_residues == ArrayHistory::k_residues);
  static constexpr std::uint64_t k_regions = 4;  // between two powers of two
  static constexpr std::uint64_t k_every_region = 1 << 16;
  static constexpr std::uint32_t k_any_object = ~std::uint32_t{0};
  static constexpr double k_fade = 0.6;
  // What has faded to such a share of a place is forgotten.
  static constexpr double k_forgotten = 1e-9;
  // What a load must not read counts as this number of words without a store.
  static constexpr double k_no_writer = 0.01;
  // What places say counts as this number of words that have met something.
  static constexpr double k_places_count = 3;
  static constexpr std::uint64_t k_first_loads = 16, k_some_loads = 16;
  // Words of a load, of which one is looked at.
  static constexpr std::uint64_t k_look = LastWriters::k_field;
  // Iterations of a loop that fills an array, at least.
  static constexpr std::uint64_t k_sweep = 512;
  // Ranges of at most this number of executions go word by word.
  static constexpr std::uint64_t k_few = 64;
  static constexpr std::size_t k_max_stretches = 64;

  // A word that the burst has stored to.
  struct Word {
    std::uint64_t word;         // address / k_word
    std::uint64_t first, last;  // times of its stores
    SiteId site;                // of the last one
    std::uint32_t object;       // of that, even if its place has none
    Place place;
  };
  // What one long store, or a range of them, has covered.
  struct Stretch {
    std::uint64_t low, end, time;
  };
  using Shares = std::vector<std::pair<SiteId, double>>;  // by store, sorted: words
  // What sites have left at a place.
  struct Left {
    Shares sites;
    std::uint64_t reported = 0;  // number of the last leave() that had some

    // Where SITE is, or belongs.
    Shares::iterator at(SiteId site);
    // What SITE has left; null: nothing.
    double* find(SiteId site);
    // It has left nothing so far.
    double* insert(SiteId site);
  };
  // An array that is told apart, in words.
  struct Array {
    std::uint64_t extent = 0;               // as far as was seen
    double stores = 0;                      // to its words, of bursts
    double early = 0;                       // ... of early bursts
    std::uint32_t seen = 0, last_seen = 0;  // bursts that have seen some
    double written = 1;                     // see written(); after the last burst
  };
  // An execution.
  struct Access {
    SiteId site;
    GroupId group;
    std::uint32_t object;
    bool store;
    std::uint64_t base, address, width, time;
    std::uint32_t object_bytes;
  };

  static bool array_p(const Place& place) { return place.part >= k_fields; }
  static std::uint32_t residue(std::uint64_t word) {
    return std::uint32_t{1} << word % ArrayHistory::k_residues;
  }
  static bool distinguished_p(const Place& place) {
    return array_p(place) && place.object != k_any_object;
  }
  static LastWriters::Where where(const Place& place, std::uint32_t object) {
    return {place.group, object, array_p(place) ? LastWriters::k_array : place.part};
  }
  // Of what lies at OFFSET of an object of BYTES bytes.
  Place place_of(GroupId group, std::uint32_t object, std::uint64_t bytes, std::uint64_t offset);
  template <typename AnyAccess>
  Place place_of_word(const AnyAccess& a, std::uint64_t word);
  // Calls fn(word, place) for words FIRST to LAST of an access.
  template <typename AnyAccess, typename Fn>
  void for_places(const AnyAccess& a, std::uint64_t first, std::uint64_t last, Fn&& fn);
  static Place without_region(Place place);

  void columns(const Batch& batch, bool stores);
  void access(const Access& a);
  void store(const Access& a);
  std::uint64_t weight_of(SiteId load);
  void load(const Access& a);
  void look(const Access& a, std::uint64_t weight);
  bool near(const Access& a, std::uint64_t weight);
  bool ask_history(const Access& a, std::uint64_t word, const Place& place,
                   std::uint64_t words);
  // One in this number of such stores is reported, in bursts or not.
  void range(const RangeAccess& a, std::uint64_t time, std::uint64_t one_in = 1);
  // Calls fn(offset, executions) for alike parts of a range.
  template <typename Fn>
  static void for_parts(const RangeAccess& a, Fn&& fn);
  void count(const RangeAccess& a, PlaceTally& tally, std::uint64_t times = 1);
  bool covered(std::uint64_t low, std::uint64_t end, std::uint64_t time, bool whole) const;
  void note_stretch(const Stretch& s);
  void sweep(const RangeAccess& a, std::uint64_t clock, std::uint64_t one_in);
  void early(const Batch::Early& e);
  void note_store(const LastWriters::Piece& piece, SiteId site, const Place& place,
                  std::uint32_t object, std::uint64_t clock, double one_in);
  void loop_sample(const Batch::LoopSample& w);
  unsigned words_alike(const Word& first);
  void end_burst(std::uint64_t times);
  void leave(PlaceTally& stored, double weight, bool anywhere);
  void fade(Left& left);
  const Left* left_for(SiteId load, const Place& place, double words);
  void read(PlaceTally& loaded, double weight);
  void read_unmet();
  void share(SiteId store, double words);
  void add_sources(SiteId load, Shares& sources);
  bool room_for(SiteId site);
  // Calls fn(array, words) for what TALLY has of arrays that are told apart.
  template <typename Fn>
  void for_arrays(const PlaceTally& tally, Fn&& fn);
  void count_stores(const PlaceTally& stored, double times);
  double written(GroupId group, std::uint32_t object) const;
  void share_out(SiteId load, const Place& place, const Left& left, double words);
  void end_shares(Shares& shared);

  const ProgramInfo& program_;
  std::map<std::pair<GroupId, std::uint32_t>, Array> arrays_;  // by group and object
  std::unordered_map<GroupId, std::size_t> distinguished_;        // how many there are
  GroupId last_group_ = 0;  // that was looked for there, and the answer or null
  std::uint32_t last_object_ = k_any_object;
  Array* last_array_ = nullptr;
  // Of the burst.
  WordTable<Word> words_;
  std::uint64_t clock_ = 0;  // when it began
  std::uint32_t burst_ = 1;  // its number
  struct Loads {
    std::uint32_t burst = 0, executions = 0;
  };
  PerSite<Loads> loads_;
  std::vector<std::pair<Access, std::uint64_t>> looks_;  // of a column, with their weights
  std::uint64_t times_ = 1;  // see Batch
  std::uint64_t seen_one_in_ = 1;
  std::vector<Stretch> stretches_;
  std::size_t next_stretch_ = 0;
  PlaceTally stored_;
  PlaceTally ranges_;  // of many words
  PlaceTally loaded_;
  PlaceTally unmet_;  // loads of words that no burst has stored to
  PlaceTally early_;  // stores of early bursts, before it
  // Of loops before it that were reported.
  PlaceTally sampled_stores_, sampled_loads_;
  // Of all of them.
  feedback::FlatMap<Place, Left, HashOfPlace> left_;
  std::uint64_t reports_ = 0;           // of leave()
  std::vector<PlaceTally::Row> fresh_;   // rows of sites that have left nothing there so far
  PerSite<std::uint32_t> places_;        // where it has left something, or waits
  std::size_t all_places_ = 0;
  std::map<std::pair<SiteId, Place>, double> waiting_;
  PerSite<double> seen_;    // words that a load has read
  PerSite<Shares> shared_;  // by load
  LastWriters last_;
  ArrayHistory history_;
  std::map<std::pair<LastWriters::Loads, std::uint32_t>, Shares> unmet_shares_;  // and object
  std::map<SiteId, Shares> sources_;                      // by load, at the end
  PerSite<double> shares_;                                // of one load, by store
  std::vector<SiteId> sharers_;                           // sites that have one
  Shares possible_;                                       // of a place, those that it may read
};

}  // namespace memprof::backend
