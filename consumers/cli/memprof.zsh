#compdef memprof
# memprof.zsh - completion of the command memprof for zsh.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Words come from memprof's own --help, so they cannot get out of date.

local -a words_
if (( CURRENT == 2 )); then
  words_=(${(f)"$(memprof --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) \{2,\}\(.*\)/\1:\2/p')"})
  _describe command words_
elif [[ $PREFIX == -* ]]; then
  words_=(${(f)"$(memprof $words[2] --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*=\{0,1\}\)[^ ]* *\(.*\)/\1:\2/p')"})
  _describe option words_ -S ''
else
  _files -g '*.memprof.json' || _files
fi
