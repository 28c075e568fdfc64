/* place_index.cc - finds the row of an access by its place in the source.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#include "plugin/use/match/place_index.h"

#include <string_view>

namespace memprof::plugin {

namespace {

/* A site as one word; empty when its place is not known.  */
std::string
place_of (std::string_view file, unsigned line, unsigned column, bool store,
	  unsigned width, std::string_view type, std::string_view field)
{
  if (!line || !column)
    return {};
  std::string place (file);
  for (unsigned number : { line, column, unsigned (store), width })
    place += ':' + std::to_string (number);
  return (((place += ':') += type) += ':') += field;
}

} // anonymous namespace

void
place_index::add (const feedback::Function &function)
{
  for (const feedback::Site &site : function.sites)
    {
      std::string place
	= place_of (site.file, site.line, site.column,
		    site.kind == feedback::Access::store, site.width, site.type, site.field);
      if (place.empty ())
	continue;
      auto [at, fresh] = rows_.try_emplace (std::move (place), site_row{ &function, &site });
      if (!fresh && site.executions > at->second.site->executions)
	at->second = { &function, &site };
    }
}

std::optional<site_row>
place_index::find (const site_shape &shape) const
{
  if (!shape.file)
    return {};
  const auto at = rows_.find (place_of (shape.file, shape.source_line, shape.column,
					shape.store, shape.width, shape.type,
					shape.field));
  if (at == rows_.end ())
    return {};
  return at->second;
}

} // namespace memprof::plugin
