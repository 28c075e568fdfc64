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

#include "feedback/model.h"

namespace memprof::feedback {

// If A and B have no module of one name: takes the folder that all modules of each share off all its names.
void make_comparable(Profile& a, Profile& b);

}  // namespace memprof::feedback
