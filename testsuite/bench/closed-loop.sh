#!/bin/sh
# closed-loop.sh [OPTION...] [PROGRAM...] - the closed loop on whole programs: plain
# build, profile of a training input, rebuild, times with another input.
# SPDX-License-Identifier: GPL-3.0-or-later
# The options and what is printed: closed-loop.sh --help, and closed_loop.py.
exec "${MEMPROF_PYTHON:-python3}" -B "$(dirname "$0")/closed_loop.py" "$@"
