import type { CommandWords, FlagWords } from './words.js';

/** Completes files where it has no words (`-o default`); works with bash 3.2, the version of macOS. */
export function bashScript(commands: readonly CommandWords[]): string {
  return `# evfwd completion for bash; load it with: source <(evfwd completion bash)
# Prints names of the configuration file: profiles or schemes.
_evfwd_names() {
  local i config="$EVFWD_CONFIG"
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == --config ]]; then
      config="\${COMP_WORDS[i + 1]}"
      if [[ $config == '=' ]]; then config="\${COMP_WORDS[i + 2]}"; fi
    fi
  done
  EVFWD_CONFIG="\${config/#~\\//$HOME/}" "\${COMP_WORDS[0]}" completion --"$1" 2>/dev/null </dev/null
}
_evfwd() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local words='' flags='' subcommand=''
  COMPREPLY=()
  # bash splits --flag=value at the equals sign.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  # It splits at @ as well, unless it is told not to, but replaces the word with its @. --flag=@file is split
  # into --flag, =@ and file.
  if [[ $previous == '@' || $previous == '=@' || $current == @* || $current == '=@' ]]; then
    current="\${current#=}"
    local IFS=$'\\n' i
    COMPREPLY=($(compgen -P @ -f -- "\${current#@}"))
    for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=$(printf '%q' "\${COMPREPLY[i]}"); done
    return
  elif ((COMP_CWORD > 2)); then
    subcommand="\${COMP_WORDS[2]}"
  fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${commands.flatMap(({ names }) => names).join(' ')}' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${commands.map(commandCase).join('\n')}
  esac
  if [[ $current == -* ]]; then words=$flags; fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _evfwd evfwd
`;
}

function commandCase({ subcommands, ...command }: CommandWords): string {
  const inner =
    subcommands.length === 0
      ? ''
      : `
      case "$subcommand" in
${subcommands.map(commandCase).join('\n')}
      esac`;
  return `    ${command.names.join(' | ')})
      words='${command.values.join(' ')}'
      flags='${namesOf(command.flags).join(' ')}'
      case "$previous" in
${command.flags
  .filter(({ takesValue }) => takesValue)
  .map(flagCase)
  .join('\n')}
      esac${inner}
      ;;`;
}

/** A flag with a fixed set of values, or one whose value may be a file. */
function flagCase({ names, values, dynamic }: FlagWords): string {
  return `        ${names.join(' | ')}) ${flagAction(values, dynamic)} ;;`;
}

function flagAction(values: readonly string[], dynamic: FlagWords['dynamic']): string {
  if (dynamic === 'profiles' || dynamic === 'schemes') {
    return `words="${[...values, `$(_evfwd_names ${dynamic})`].join(' ')}" flags=''`;
  }
  return values.length === 0 ? 'return' : `words='${values.join(' ')}' flags=''`;
}

function namesOf(flags: readonly FlagWords[]): string[] {
  return flags.flatMap(({ names }) => names);
}
