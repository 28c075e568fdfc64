/* profile_read.cc - reads the profiles of a compile.
   SPDX-License-Identifier: GPL-3.0-or-later

   A folder can hold profiles of several programs that share modules: they are
   merged first, so that equal functions are one.  */

#include "plugin/use/match/profile_read.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "feedback/merge.h"
#include "feedback/reader.h"

namespace memprof::plugin {

unsigned
common_suffix (std::string_view a, std::string_view b)
{
  unsigned parts = 0;
  for (;;)
    {
      size_t i = a.rfind ('/'), j = b.rfind ('/');
      std::string_view x = a.substr (i == a.npos ? 0 : i + 1);
      std::string_view y = b.substr (j == b.npos ? 0 : j + 1);
      if (x != y || x.empty ())
	return parts;
      parts++;
      if (i == a.npos || j == b.npos)
	return parts;
      a = a.substr (0, i);
      b = b.substr (0, j);
    }
}

std::vector<std::string>
profile_files (const std::string &path)
{
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory (path, error))
    return { path };
  std::vector<std::string> files;
  for (fs::directory_iterator at (path, error), end; !error && at != end;
       at.increment (error))
    {
      std::string name = at->path ().filename ().string ();
      if (name.size () > k_profile_suffix.size ()
	  && name.ends_with (k_profile_suffix))
	files.push_back (at->path ().string ());
    }
  std::sort (files.begin (), files.end ());
  return files;
}

namespace {

using ReadProfile = std::function<feedback::Result<feedback::Profile> (
  const std::string &file)>;

/* What READ reads of FILES, counts added.  */
std::optional<feedback::Profile>
add_up (const std::vector<std::string> &files, const ReadProfile &read,
	profile_status *status, std::string *message)
{
  feedback::Merger sum;
  *status = PROFILE_OK;
  for (const std::string &file : files)
    {
      feedback::Result<feedback::Profile> next = read (file);
      if (next)
	sum.add (std::move (*next));
      else
	{
	  using Kind = feedback::Error::Kind;
	  Kind kind = next.error ().kind;
	  *message = next.error ().text ();
	  *status = kind == Kind::missing   ? PROFILE_MISSING
		    : kind == Kind::version ? PROFILE_VERSION
					    : PROFILE_CORRUPT;
	  if (*status == PROFILE_CORRUPT)
	    return std::nullopt;
	}
    }
  if (sum.empty ())
    return std::nullopt;
  return sum.result ();
}

/* Whether some module of PROFILE has SOURCE's name.  */
bool
names_p (const feedback::Profile &profile, const char *source)
{
  return std::any_of (profile.modules.begin (), profile.modules.end (),
		      [source] (const feedback::Module &module) {
			return common_suffix (module.file, source) > 0;
		      });
}

} // anonymous namespace

std::optional<feedback::Profile>
read_all (const std::string &path, const char *source, profile_status *status,
	  std::string *message)
{
  const std::vector<std::string> files = profile_files (path);
  if (source)
    {
      bool named = false;
      auto part = [&] (const std::string &file) {
	feedback::Result<feedback::Profile> read
	  = feedback::read_module (file, source);
	named |= read && names_p (*read, source);
	return read;
      };
      std::optional<feedback::Profile> parts
	= add_up (files, part, status, message);
      if (named || !parts)
	return parts;
    }
  auto whole
    = [] (const std::string &file) { return feedback::read_profile (file); };
  return add_up (files, whole, status, message);
}

} // namespace memprof::plugin
