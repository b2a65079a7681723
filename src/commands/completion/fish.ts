import type { CommandWords, FlagWords } from './words.js';

/** fish completes files by default, unless `-f` or `-x` is set. */
export function fishScript(commands: readonly CommandWords[]): string {
  const lines = [
    '# evfwd completion for fish; load it with: evfwd completion fish | source',
    functions,
    ...commands.flatMap(commandLines),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(command: CommandWords): string[] {
  const { names, summary, subcommands } = command;
  const start = names.map(
    (name) => `complete -c evfwd -n __fish_use_subcommand -f -a ${name}${about(summary)}`,
  );
  const seen = `__fish_seen_subcommand_from ${names.join(' ')}`;
  if (subcommands.length === 0) return [...start, ...wordLines(command, seen)];
  const others = subcommands.flatMap((each) => each.names).join(' ');
  return [
    ...start,
    ...wordLines(command, `${seen}; and not __fish_seen_subcommand_from ${others}`),
    ...subcommands.flatMap((each) =>
      wordLines(each, `${seen}; and __fish_seen_subcommand_from ${each.names.join(' ')}`),
    ),
  ];
}

/** The words of a command, where a condition is met. */
function wordLines({ flags, values }: CommandWords, condition: string): string[] {
  const within = `complete -c evfwd -n '${condition}'`;
  const words = values.length === 0 ? [] : [`${within} -f -a '${values.join(' ')}'`];
  return [...words, ...flags.map((flag) => within + flagPart(flag))];
}

function flagPart({ names, description, takesValue, values, dynamic }: FlagWords): string {
  const spellings = names.map((name) =>
    name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`,
  );
  const fixed = values.length === 0 ? ' -r' : ` -x -a '${values.join(' ')}'`;
  const all = dynamic ? [...values, dynamicValues[dynamic]].join(' ') : '';
  const choices = dynamic ? ` -x -a '${all}'` : fixed;
  return `${spellings.join('')}${takesValue ? choices : ''}${about(description)}`;
}

const dynamicValues = {
  profiles: '(__evfwd_names profiles)',
  schemes: '(__evfwd_names schemes)',
  'at-files': '(__evfwd_at_files)',
} as const;

const functions = `function __evfwd_names
    set -l words (commandline -opc)
    set -l config $EVFWD_CONFIG
    for i in (seq 2 (count $words))
        switch $words[$i]
            case '--config=*'
                set config (string replace -- --config= '' $words[$i])
            case --config
                set config $words[(math $i + 1)]
        end
    end
    set config (string replace -r '^~/' "$HOME/" -- $config)
    EVFWD_CONFIG="$config" $words[1] completion --$argv[1] 2>/dev/null </dev/null
end
function __evfwd_at_files
    set -l typed (commandline -ct | string replace -r '^--[a-z]+=' '' | string replace -r '^@' '')
    __fish_complete_path "$typed" | string replace -r '^' @
end`;

function about(text: string): string {
  return ` -d '${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
