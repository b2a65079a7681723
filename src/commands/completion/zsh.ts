import type { CommandWords, FlagWords } from './words.js';

/** Works with `source <(…)` and as a file `_evfwd` in a directory of `$fpath`. */
export function zshScript(commands: readonly CommandWords[]): string {
  return `#compdef evfwd
# evfwd completion for zsh; load it with: source <(evfwd completion zsh)
# Completes names of the configuration file: profiles or schemes.
_evfwd_names() {
  local config="$EVFWD_CONFIG"
  local -i i
  for ((i = 2; i < CURRENT; i++)); do
    case "$words[i]" in
      --config) config="\${(Q)words[i+1]}" ;;
      --config=*) config="\${(Q)words[i]#--config=}" ;;
    esac
  done
  compadd -- \${(f)"$(EVFWD_CONFIG="\${config/#\\~\\//$HOME/}" "\${(Q)words[1]}" completion --"$1" 2>/dev/null </dev/null)"}
}
_evfwd_at_files() {
  if compset -P @; then _files; else _files -P @; fi
}
_evfwd() {
  local -a names flags values
  local previous="$words[CURRENT-1]"
  names=(
${commands.flatMap(({ names, summary }) => names.map((name) => described(name, summary))).join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command names
    return
  fi
  if [[ "$PREFIX" == --*=* ]]; then
    previous="\${PREFIX%%=*}"
    compset -P '*='
  fi
  case "$words[2]" in
${commands.map(commandCase).join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    _describe -o flag flags
  elif (( $#values )); then
    compadd -a values
  else
    _files
  fi
}
if [[ "$funcstack[1]" == _evfwd ]]; then
  _evfwd "$@"
else
  compdef _evfwd evfwd
fi
`;
}

function commandCase({ names, flags, values, subcommands }: CommandWords): string {
  const valued = flags.filter(({ takesValue }) => takesValue);
  return `    (${names.join('|')})
      values=(${values.join(' ')})
      flags=(
${flags.flatMap((flag) => flag.names.map((name) => described(name, flag.description))).join('\n')}
      )
      case "$previous" in
${valued.map(flagCase).join('\n')}
      esac${innerCases(subcommands)}
      ;;`;
}

function innerCases(subcommands: readonly CommandWords[]): string {
  if (subcommands.length === 0) return '';
  return `
      if (( CURRENT > 3 )); then
        case "$words[3]" in
${subcommands.map(commandCase).join('\n')}
        esac
      fi`;
}

function flagCase({ names, values, dynamic }: FlagWords): string {
  const files = values.length === 0 ? '_files' : `compadd ${values.join(' ')}`;
  const fixed = values.length === 0 ? '' : `compadd ${values.join(' ')}; `;
  const action = dynamic ? fixed + dynamicActions[dynamic] : files;
  return `        (${names.join('|')}) ${action}; return ;;`;
}

/** An item of `_describe`: a colon separates name and description; quotes are escaped. */
function described(name: string, description: string): string {
  const text = description.replaceAll('\\', '\\\\').replaceAll("'", "'\\''");
  return `    '${name}:${text}'`;
}

const dynamicActions = {
  profiles: '_evfwd_names profiles',
  schemes: '_evfwd_names schemes',
  'at-files': '_evfwd_at_files',
} as const;
