/* profile_read.h - reads the profiles of a compile.
   SPDX-License-Identifier: GPL-3.0-or-later  */

#ifndef MEMPROF_PROFILE_READ_H
#define MEMPROF_PROFILE_READ_H

#include "plugin/use/bridge.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "feedback/model.h"

namespace memprof::plugin {

inline constexpr std::string_view k_profile_suffix = ".memprof.json";

/* Path parts that A and B have in common at their ends.  */
unsigned common_suffix (std::string_view a, std::string_view b);

/* The files that PATH names, in an order that does not depend on the file
   system.  */
std::vector<std::string> profile_files (const std::string &path);

/* Adds up the profiles that PATH names, see profile_open: the parts that a
   compile of SOURCE needs, or all of them when SOURCE is null, and when no
   module has its name, because public functions may have moved.  */
std::optional<feedback::Profile>
read_all (const std::string &path, const char *source, profile_status *status,
	  std::string *message);

} // namespace memprof::plugin

#endif
