import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addFlags, flag } from '../flags/flag.js';
import { UsageError } from '../../errors.js';
import { suggestion } from '../../nearest.js';
import { quoted } from '../../quoted.js';
import { addExamples } from '../shared/examples.js';
import { relaySenders } from './relay-template.js';

/** The flags of `init`, parsed. */
export interface InitFlags {
  force?: boolean;
  relay?: string;
}

export function define(command: Command, io: Io): void {
  addFlags(command, [
    flag('--relay <sender>', `for the webhooks of one sender: ${relaySenders.join(', ')}`, {
      parse: parseSender,
      values: relaySenders,
      once: true,
    }),
    flag('--force', 'replace an existing evfwd.config.yaml'),
  ]);
  command.addHelpText('after', details);
  addExamples(command, [
    ['start a project', 'evfwd init'],
    ['take webhooks of GitHub for an app', 'evfwd init --relay github'],
    ['start over', 'evfwd init --force'],
  ]);
  command.action(async (flags: InitFlags) => {
    const { init } = await import('./run.js');
    await init(flags, io);
  });
}

const details = `
Writes evfwd.config.yaml to this directory, with a profile, a source and a
destination for this machine, and prints the commands to try them; with
--relay one that takes any sender's webhooks for an app. The file refers
to secrets by the names of environment variables.`;

/** @throws UsageError that names the nearest one */
function parseSender(text: string): string {
  if (relaySenders.includes(text)) return text;
  throw new UsageError(
    `--relay: there is no sender ${quoted(text, 'of this name')}; ${suggestion(text, relaySenders)}`,
  );
}
