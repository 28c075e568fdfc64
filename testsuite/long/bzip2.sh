#!/bin/sh
# bzip2.sh - bzip2 from Debian's source: profile, validate, rebuild; same output.
# SPDX-License-Identifier: GPL-3.0-or-later
. "$(dirname "$0")/real-program.inc"
codec_loop bzip2
