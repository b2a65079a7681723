import type { CommandWords, FlagWords } from './words.js';

/** fish completes files by default, unless `-f` or `-x` is set. */
export function fishScript(commands: readonly CommandWords[]): string {
  const lines = [
    '# evfwd completion for fish; load it with: evfwd completion fish | source',
    ...commands.flatMap(commandLines),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines({ names, summary, flags, values }: CommandWords): string[] {
  const within = `complete -c evfwd -n '__fish_seen_subcommand_from ${names.join(' ')}'`;
  const words = values.length === 0 ? [] : [`${within} -f -a '${values.join(' ')}'`];
  return [
    ...names.map(
      (name) => `complete -c evfwd -n __fish_use_subcommand -f -a ${name}${about(summary)}`,
    ),
    ...words,
    ...flags.map((flag) => within + flagPart(flag)),
  ];
}

function flagPart({ names, description, takesValue, values }: FlagWords): string {
  const spellings = names.map((name) =>
    name.startsWith('--') ? ` -l ${name.slice(2)}` : ` -s ${name.slice(1)}`,
  );
  const choices = values.length === 0 ? ' -r' : ` -x -a '${values.join(' ')}'`;
  return `${spellings.join('')}${takesValue ? choices : ''}${about(description)}`;
}

function about(text: string): string {
  return ` -d '${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
