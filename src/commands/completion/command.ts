import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addExamples } from '../shared/examples.js';

export function define(command: Command, io: Io): void {
  command.argument('[shell]', 'bash, zsh or fish');
  addExamples(command, [
    ['bash, in ~/.bashrc', 'source <(evfwd completion bash)'],
    ['zsh, in ~/.zshrc, after compinit', 'source <(evfwd completion zsh)'],
    ['fish', 'evfwd completion fish > ~/.config/fish/completions/evfwd.fish'],
  ]);
  command.action((shell: string | undefined) => run(shell, io));
}

async function run(name: string | undefined, io: Io): Promise<void> {
  if (name === undefined) {
    const { missingParts } = await import('../shared/missing.js');
    throw missingParts(['a shell (bash, zsh or fish)'], 'evfwd completion bash');
  }
  const { shells, stubs } = await import('./stubs.js');
  const shell = shells.find((known) => known === name);
  if (!shell) {
    const { UsageError } = await import('../../errors.js');
    const { quoted } = await import('../../quoted.js');
    throw new UsageError(
      `no completion for ${quoted(name, 'this shell')}; use one of ${shells.join(', ')}`,
    );
  }
  io.stdout.write(stubs[shell]);
  io.exit(0);
}
