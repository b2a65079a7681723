/**
 * What a shell evaluates: it passes the words of the line to `evfwd __complete`, and offers the candidates that
 * this prints below `words`, or files below `files` and, after an @, `at-files`.
 */
export const stubs = {
  /** Completes files where it has no words (`-o default`); works with bash 3.2, the version of macOS. */
  bash: `# evfwd completion for bash; load it with: source <(evfwd completion bash)
_evfwd() {
  local IFS=$'\\n' i lines current="\${COMP_WORDS[COMP_CWORD]}"
  lines=($("\${COMP_WORDS[0]}" __complete bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null))
  COMPREPLY=()
  # bash splits --flag=value at the equals sign.
  current="\${current#=}"
  if [[ \${lines[0]} == words ]]; then
    COMPREPLY=($(compgen -W "\${lines[*]:1}" -- "$current"))
  elif [[ \${lines[0]} == at-files ]]; then
    # It splits at @ as well, unless it is told not to, but replaces the word with its @.
    COMPREPLY=($(compgen -P @ -f -- "\${current#@}"))
    for i in "\${!COMPREPLY[@]}"; do COMPREPLY[i]=$(printf '%q' "\${COMPREPLY[i]}"); done
  fi
}
complete -o default -F _evfwd evfwd
`,
  /** Works with `source <(…)` and as a file `_evfwd` in a directory of `$fpath`. */
  zsh: `#compdef evfwd
# evfwd completion for zsh; load it with: source <(evfwd completion zsh)
_evfwd() {
  local -a lines option
  lines=("\${(@f)$("\${(Q)words[1]}" __complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null </dev/null)}")
  local kind="$lines[1]"
  shift lines
  if [[ "$PREFIX" == --*=* ]]; then compset -P '*='; elif [[ "$PREFIX" == -* ]]; then option=(-o); fi
  case "$kind" in
    (words) _describe $option evfwd lines ;;
    (at-files) if compset -P @; then _files; else _files -P @; fi ;;
    (*) _files ;;
  esac
}
if [[ "$funcstack[1]" == _evfwd ]]; then
  _evfwd "$@"
else
  compdef _evfwd evfwd
fi
`,
  fish: `# evfwd completion for fish; load it with: evfwd completion fish | source
function __evfwd_complete
    set -l words (commandline -opc)
    set -l program $words[1]
    set -e words[1]
    set -l token (commandline -ct)
    set -l lines ($program __complete fish -- $words "$token" 2>/dev/null </dev/null)
    set -l kind $lines[1]
    set -e lines[1]
    # fish replaces the whole of --flag=value.
    set -l prefix (string match -r '^--[a-z-]+=' -- "$token")
    set -l value (string replace -- "$prefix" '' "$token")
    switch "$kind"
        case words
            for line in $lines
                echo "$prefix$line"
            end
        case at-files
            __fish_complete_path (string replace -r '^@' '' -- "$value") | string replace -r -- '^' "$prefix@"
        case '*'
            __fish_complete_path "$value" | string replace -r -- '^' "$prefix"
    end
end
complete -c evfwd -f -a '(__evfwd_complete)'
`,
} as const;

export type Shell = keyof typeof stubs;

export const shells = Object.keys(stubs) as Shell[];
