import type { CommandWords, FlagWords } from './words.js';

/** Completes files where it has no words (`-o default`); works with bash 3.2, the version of macOS. */
export function bashScript(commands: readonly CommandWords[]): string {
  return `# evfwd completion for bash; load it with: source <(evfwd completion bash)
_evfwd() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  local words='' flags=''
  COMPREPLY=()
  # bash splits --flag=value at the equals sign.
  if [[ $current == '=' ]]; then
    current=''
  elif [[ $previous == '=' ]]; then
    previous="\${COMP_WORDS[COMP_CWORD - 2]}"
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

function commandCase({ names, flags, values }: CommandWords): string {
  const valued = flags.filter(({ takesValue }) => takesValue);
  return `    ${names.join(' | ')})
      words='${values.join(' ')}'
      flags='${namesOf(flags).join(' ')}'
      case "$previous" in
${valued.map(flagCase).join('\n')}
      esac
      ;;`;
}

/** A flag with a fixed set of values, or one whose value may be a file. */
function flagCase({ names, values }: FlagWords): string {
  const pattern = `        ${names.join(' | ')})`;
  return values.length === 0
    ? `${pattern} return ;;`
    : `${pattern} words='${values.join(' ')}' flags='' ;;`;
}

function namesOf(flags: readonly FlagWords[]): string[] {
  return flags.flatMap(({ names }) => names);
}
