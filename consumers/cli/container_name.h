// container_name.h - containers of the C++ library by the names that people know.
// SPDX-License-Identifier: GPL-3.0-or-later
//
//     std::_Rb_tree_node<std::pair<const int, order> >               node of std::map<int, order>
//     std::__detail::_Hash_node<std::pair<const long, int>, false>   node of std::unordered_map<long, int>
//     std::__detail::_Hash_node_base*                                buckets of an unordered container
//     struct order                                                   struct order
//
// The names are those of libstdc++.  A map and a multimap have the same nodes: both are a map here.
#pragma once

#include <string>

namespace memprof::cli {

std::string container_name(const std::string& type);

}  // namespace memprof::cli
