# memprof.fish - completion of the command memprof for fish.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Words come from memprof's own --help, so they cannot get out of date.

function __memprof_commands
  memprof --help 2>/dev/null | string match -rg '^  ([a-z]+ {2,}.*)' | string replace -r ' {2,}' \t
end

# Options of the command that is typed, with their help.
function __memprof_options
  set -l words (commandline -opc)
  test (count $words) -ge 2; and memprof $words[2] --help 2>/dev/null \
    | string match -rg '^  (--[a-z-]+.*)' | string replace -r '=[A-Z:%]*' '=' | string replace -r ' {2,}' \t
end

complete -c memprof -n __fish_use_subcommand -f -a '(__memprof_commands)'
complete -c memprof -n 'not __fish_use_subcommand; and string match -q -- "-*" (commandline -ct)' -f -a '(__memprof_options)'
complete -c memprof -n 'not __fish_use_subcommand' -F
