# memprof.bash - completion of the command memprof for bash.
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Words come from memprof's own --help, so they cannot get out of date.

_memprof_options ()
{
  "$@" --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*=\{0,1\}\).*/\1/p' | sort -u
}

_memprof ()
{
  local word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} commands
  COMPREPLY=()
  commands=$("$program" --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) \{2,\}.*/\1/p')
  if [ "$COMP_CWORD" = 1 ]; then
    case $word in
      -*) COMPREPLY=($(compgen -W "$(_memprof_options "$program")" -- "$word")) ;;
      *) COMPREPLY=($(compgen -W "$commands" -- "$word")) ;;
    esac
    return
  fi
  case $word in
    -*)
      COMPREPLY=($(compgen -W "$(_memprof_options "$program" "${COMP_WORDS[1]}")" -- "$word"))
      case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
      ;;
    *)
      compopt -o filenames 2>/dev/null
      if [ "${COMP_WORDS[1]}" = verify ] || [ "${COMP_WORDS[1]}" = veto ]; then
        COMPREPLY=($(compgen -f -- "$word"))
      elif [ "${COMP_WORDS[1]}" = run ] || [ "${COMP_WORDS[1]}" = help ]; then
        [ "${COMP_WORDS[1]}" = run ] && COMPREPLY=($(compgen -c -f -- "$word")) \
          || COMPREPLY=($(compgen -W "$commands" -- "$word"))
      else
        # Profiles first; any other file when there is none.
        COMPREPLY=($(compgen -f -X '!*.memprof.json' -- "$word") $(compgen -d -- "$word"))
        [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word"))
      fi
      ;;
  esac
}
complete -F _memprof memprof

_memprof_mpi_merge ()
{
  local word=${COMP_WORDS[COMP_CWORD]}
  case $word in
    -*)
      COMPREPLY=($(compgen -W "$(_memprof_options "${COMP_WORDS[0]}")" -- "$word"))
      case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
      ;;
    *) COMPREPLY=($(compgen -f -X '!*.memprof.json' -- "$word") $(compgen -d -- "$word")) ;;
  esac
}
complete -F _memprof_mpi_merge memprof-mpi-merge
