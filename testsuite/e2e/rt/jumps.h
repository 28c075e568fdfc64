// jumps.h - a program whose handler stores and jumps out of whatever it interrupts.
// SPDX-License-Identifier: GPL-3.0-or-later
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include "testsuite/e2e/rt/hand.h"

static long x;
static volatile long done, jumps;  // loads that were finished, stores
static sigjmp_buf env;

static void on_jump (int s) { (void) s; STORE (&x); jumps++; siglongjmp (env, 1); }
