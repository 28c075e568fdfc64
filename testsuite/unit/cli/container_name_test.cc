// container_name_test.cc - nodes of containers get the names of their containers.
// SPDX-License-Identifier: GPL-3.0-or-later
#include "consumers/cli/container_name.h"

#include <gtest/gtest.h>

namespace memprof::cli {
namespace {

TEST(ContainerName, NodesOfMapsAndSets) {
  EXPECT_EQ(container_name("std::_Rb_tree_node<std::pair<const int, order> >"), "node of std::map<int, order>");
  EXPECT_EQ(container_name("std::_Rb_tree_node<std::pair<const std::pair<int, long>, std::vector<int> > >"),
            "node of std::map<std::pair<int, long>, std::vector<int>>");
  EXPECT_EQ(container_name("std::_Rb_tree_node<double>"), "node of std::set<double>");
  EXPECT_EQ(container_name("std::__detail::_Hash_node<std::pair<const long int, long int>, false>"),
            "node of std::unordered_map<long int, long int>");
  EXPECT_EQ(container_name("std::_List_node<item>"), "node of std::list<item>");
}

TEST(ContainerName, OtherTypesKeepTheirNames) {
  EXPECT_EQ(container_name("struct order"), "struct order");
  EXPECT_EQ(container_name(""), "");
  EXPECT_EQ(container_name("std::__detail::_Hash_node_base*"), "buckets of an unordered container");
}

TEST(ContainerName, ANameThatWasCutIsReadAsFarAsItGoes) {
  EXPECT_EQ(container_name("std::_Rb_tree_node<std::pair<const int"), "node of std::map<int, >");
  EXPECT_EQ(container_name("std::_Rb_tree_node<"), "node of std::set<>");
}

}  // namespace
}  // namespace memprof::cli
