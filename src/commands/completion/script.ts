import type { CommandEntry, Io } from '../shared/command.js';
import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { commandWords, type CommandWords, type Shell } from './words.js';
import { zshScript } from './zsh.js';

const scripts: Readonly<Record<Shell, (commands: readonly CommandWords[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * The completion script of a shell for these commands: completes commands, flags, fixtures, shells and
 * event types; files everywhere else.
 *
 * @param io Passed to each command as it is defined; nothing is run.
 */
export async function completionScript(
  shell: Shell,
  entries: readonly CommandEntry[],
  io: Io,
): Promise<string> {
  return scripts[shell](await commandWords(entries, io));
}
