// common_folder.h - two profiles of one program that was built in two folders.
// SPDX-License-Identifier: GPL-3.0-or-later
//
// A file is named as the compiler was given it.  /build/1/src/a.c and /build/2/src/a.c are one
// file when profiles are compared, and both become a.c:
//
//     first    /build/1/src/a.c  /build/1/lib/b.c      common folder /build/1/
//     second   ../src/a.c        ../lib/b.c            common folder ../
//     both     src/a.c           lib/b.c
#pragma once

#include <string>

#include "feedback/model.h"

namespace memprof::feedback {

// The folder that all modules of PROFILE share, with the slash at its end; empty: there is none.
std::string common_folder(const Profile& profile);

// TEXT without FOLDER where a name begins with it: also in "FOLDER/a.c:3 < FOLDER/b.c:9".
void shorten(const std::string& folder, std::string& text);

// If A and B have no module of one name: takes the folder that all modules of each share off all its names.
void make_comparable(Profile& a, Profile& b);

}  // namespace memprof::feedback
