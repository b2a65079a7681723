import type { Command } from 'commander';
import type { Io } from '../shared/command.js';
import { addFlags } from '../flags/flag.js';
import { outputFlags } from '../flags/output.js';
import { addExamples } from '../shared/examples.js';
import { print } from '../shared/output.js';

export function define(command: Command, io: Io): void {
  addFlags(command, [outputFlags.color]);
  addExamples(command, [['run the demo; it takes a few seconds', 'evfwd demo']]);
  command.action(async (flags: { color?: boolean }) => {
    const { runDemo } = await import('./run.js');
    const { colors } = await import('../../output/text.js');
    const paint = await colors(io.stdout, io.env, flags.color);
    const ok = await runDemo((line) => print(io, line), paint);
    io.exit(ok ? 0 : 1);
  });
}
