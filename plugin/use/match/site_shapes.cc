/* site_shapes.cc - sites of this compile in the words of a profile.
   SPDX-License-Identifier: GPL-3.0-or-later

   A function that has changed is compared with its rows as a reader would: by what its
   sites are called there (tables/source_text.h).  So the texts must be made as
   unit_tables.cc makes them.  */

#include "plugin/gcc-common.h"
#include "plugin/sites/source_place.h"
#include "plugin/tables/source_text.h"
#include "plugin/use/match/site_shapes.h"

namespace memprof::plugin {

namespace {

struct shape_texts
{
  text expression, record, field;
};

site_shape
shape_of (const access_site &site, const char *file, int64_t first_line,
	  shape_texts *texts)
{
  expression_text (site, &texts->expression);
  if (site.ref)
    field_text (site.ref, &texts->record, &texts->field);
  expanded_location at = expand_location (source_place (site.stmt));
  bool own_file = at.file && strcmp (at.file, file) == 0;
  return { site.kind == MPRT_OP_STORE,
	   unsigned (site.width),
	   texts->expression.c_str (),
	   texts->record.c_str (),
	   texts->field.c_str (),
	   int64_t (at.line) - (own_file ? first_line : 0),
	   own_file ? "" : at.file,
	   unsigned (at.line),
	   unsigned (at.column) };
}

} // anonymous namespace

function_match
salvage_sites (profile *from, function_match was, const function_key &key,
	       const auto_vec<access_site> &sites)
{
  shape_texts *texts = new shape_texts[sites.length ()];
  auto_vec<site_shape> shapes (sites.length ());
  int64_t first_line = LOCATION_LINE (function_place (cfun));
  for (const access_site &site : sites)
    shapes.quick_push (shape_of (site, key.file, first_line, &texts[shapes.length ()]));
  function_match found
    = profile_salvage (from, was, key.file, key.linkage_name,
		       shapes.address (), shapes.length ());
  delete[] texts;
  return found;
}

} // namespace memprof::plugin
