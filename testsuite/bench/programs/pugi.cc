// pugi.cc - reads an XML document 20 times; of Debian's pugixml.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <pugixml.hpp>
int main (int, char **v)
{
  pugi::xml_document d;
  if (!d.load_file (v[1])) return 1;
  int sum = 0;
  for (int r = 0; r < 20; r++)
    for (auto n : d.first_child ().children ("i")) sum += n.attribute ("s").as_int ();
  return sum == 7;
}
