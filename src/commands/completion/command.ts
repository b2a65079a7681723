import type { Command } from 'commander';
import { addFlags, flag } from '../flags/flag.js';
import type { Io } from '../shared/command.js';
import { addExamples } from '../shared/flags.js';

export function define(command: Command, io: Io): void {
  command.argument('[shell]', 'bash, zsh or fish');
  addFlags(command, [
    flag('--profiles', 'for the scripts', { isHidden: true }),
    flag('--schemes', 'for the scripts', { isHidden: true }),
  ]);
  addExamples(command, [
    ['bash, in ~/.bashrc', 'source <(evfwd completion bash)'],
    ['zsh, in ~/.zshrc, after compinit', 'source <(evfwd completion zsh)'],
    ['fish', 'evfwd completion fish > ~/.config/fish/completions/evfwd.fish'],
  ]);
  command.action((shell: string | undefined, flags: NameFlags) =>
    flags.profiles || flags.schemes ? printNames(flags, io) : run(shell, io),
  );
}

/** What the scripts ask for while the user is typing. */
interface NameFlags {
  readonly profiles?: boolean;
  readonly schemes?: boolean;
}

async function printNames({ profiles }: NameFlags, io: Io): Promise<void> {
  const { profileNames, schemeNames } = await import('./names.js');
  const names = await (profiles ? profileNames(io) : schemeNames(io));
  for (const name of names) io.stdout.write(`${name}\n`);
}

async function run(name: string | undefined, io: Io): Promise<void> {
  if (name === undefined) {
    const { missingParts } = await import('../shared/missing.js');
    throw missingParts(['a shell (bash, zsh or fish)'], 'evfwd completion bash');
  }
  const { shells } = await import('./words.js');
  const shell = shells.find((known) => known === name);
  if (!shell) {
    const { UsageError } = await import('../../errors.js');
    const { quoted } = await import('../../quoted.js');
    throw new UsageError(
      `no completion for ${quoted(name, 'this shell')}; use one of ${shells.join(', ')}`,
    );
  }
  const { completionScript } = await import('./script.js');
  const { commands } = await import('../index.js');
  io.stdout.write(await completionScript(shell, commands, io));
  io.exit(0);
}
