# cli/completion.sh - bash completes commands, their options and profiles; fish does, where it is installed.
# SPDX-License-Identifier: GPL-3.0-or-later
. "${MEMPROF_SRCDIR:-.}/testsuite/e2e/common.inc"

need bash
file=$MEMPROF_SRCDIR/consumers/cli/memprof.bash
: >a.memprof.json; : >b.memprof.json; : >other.txt
cat >complete.bash <<END
source "$file"
# words WORD...: what is offered for the last of them.
words ()
{
  COMP_WORDS=("\$@") COMP_CWORD=\$((\$# - 1))
  _memprof 2>/dev/null
  echo "\$*:" "\${COMPREPLY[@]}"
}
words "$memprof" ex
words "$memprof" --sp
words "$memprof" rep
words "$memprof" export --as
words "$memprof" show --dep
words "$memprof" show --to
words "$memprof" show ''
words "$memprof" help di
words "$memprof" verify ot
words "$memprof" verify --bui
END
bash complete.bash | sed "s|$memprof|memprof|" >out
expect out '^memprof ex: explain export$'
expect out '^memprof --sp: --specs$'
expect out '^memprof rep: report$'
expect out '^memprof export --as: --as=$'
expect out '^memprof show --dep: --dependences$'
expect out '^memprof show --to: --top=$'
expect out '^memprof show : a.memprof.json b.memprof.json$'
expect out '^memprof help di: diff$'
expect out '^memprof verify ot: other.txt$'
expect out '^memprof verify --bui: --build= --builds=$'

if command -v fish >/dev/null; then
  mkdir bin
  ln -s "$memprof" bin/memprof
  for words in 'memprof ex' 'memprof export --as' 'memprof show --dep'; do
    PATH=$PWD/bin:$PATH HOME=$PWD fish -c "source '$MEMPROF_SRCDIR/consumers/cli/memprof.fish'; complete -C '$words'"
  done >out
  expect out '^export	write a profile for other viewers$'
  expect out '^--as=	'
  expect out '^--dependences	'
fi
