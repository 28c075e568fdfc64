// name_family_test.cc - which numbers in names of functions remain, and what clones share.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "plugin/sites/name_family.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

using namespace memprof::plugin;

std::string owned(char* text) {
  std::string result = text;
  std::free(text);
  return result;
}

std::string named(const char* assembler_name, const char* around = "", bool keep = false) {
  return owned(name_without_numbers(assembler_name, around, keep));
}

std::string family(const char* name) { return owned(name_family(name)); }

TEST(Name, KeepsWhatIsCountedForEachFunction) {
  for (const char* name : {"f", "f.constprop.0", "f.part.1.constprop.2", "main._omp_fn.11",
                           "main._omp_cpyfn.0", "_Z1fv.actor", "f.avx2", "f.cold", ".hidden"})
    EXPECT_EQ(named(name, "outer."), name);
}

TEST(Name, LosesWhatIsCountedForTheFile) {
  EXPECT_EQ(named("visit.7", "sort."), "sort.visit");
  EXPECT_EQ(named("visit.7.constprop.0", "sort."), "sort.visit.constprop.0");
  EXPECT_EQ(named("inner.2._omp_fn.1", "MAIN__."), "MAIN__.inner._omp_fn.1");
  EXPECT_EQ(named("f.1.2"), "f");
  EXPECT_EQ(named("f."), "f.");
}

TEST(Name, LosesWhatIsCountedForSeveralFiles) {
  EXPECT_EQ(named("copy.lto_priv.3"), "copy");
  EXPECT_EQ(named("copy.constprop.1.lto_priv.0"), "copy.constprop.1");
}

TEST(Name, KeepsTheFilesNumbersIfAsked) {
  EXPECT_EQ(named("visit.7.lto_priv.1", "sort.", true), "sort.visit.7");
  EXPECT_EQ(named("_ZN9._anon_711fEv", "", true), "_ZN9._anon_711fEv");
}

TEST(Name, LosesTheNumbersOfClassesWithoutAName) {
  EXPECT_EQ(named("_ZN9._anon_711fEv"), "_ZN9._anon_1fEv");
  EXPECT_EQ(named("_ZN10._anon_1238functionEv.constprop.0"),
            "_ZN10._anon_8functionEv.constprop.0");
  EXPECT_EQ(named("_Z1fI8._anon_0EvT_"), "_Z1fI8._anon_EvT_");
  // No class: the length does not fit.
  EXPECT_EQ(named("a._anon_12"), "a._anon_12");
}

TEST(Family, HasNeitherNumbersNorWordsForClones) {
  EXPECT_EQ(family("f"), "f");
  EXPECT_EQ(family("f.isra.0.constprop.3"), "f");
  EXPECT_EQ(family("sort.visit.7#12"), "sort.visit");
  EXPECT_EQ(family("main._omp_fn.4"), "main._omp_fn");
  EXPECT_EQ(family("operator#"), "operator#");
}

}  // namespace
