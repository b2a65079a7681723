import type { Check } from '../../check/check.js';
import { cutTo } from '../../output/columns.js';
import { colorLevel } from '../../output/text.js';
import type { Io } from '../shared/command.js';
import type { CheckFlags } from './command.js';

export interface CheckProgress {
  /** Called at the end of each check. */
  judged(check: Check, count: number): void;
  stop(): void;
}

/** One live line on a terminal; nothing elsewhere, since a run takes seconds. */
export async function showCheckProgress(
  total: number,
  { quiet, color }: CheckFlags,
  { stderr, env }: Io,
): Promise<CheckProgress> {
  const { columns } = stderr;
  if (quiet || !stderr.isTTY || !columns) return silent;
  const { default: ora } = await import('ora');
  const hasColors = colorLevel(true, env, color) > 0;
  // ora must not handle Ctrl-C, nor change the echo and cursor of the terminal.
  const spinner = ora({
    ...{ stream: stderr, text: 'connecting', color: hasColors ? 'cyan' : false },
    ...{ discardStdin: false, hideCursor: false },
  }).start();
  return {
    judged: ({ id }, count) => {
      spinner.text = cutTo(`checking  ${count} of ${total}  ${id}`, columns - usedColumns);
    },
    stop: () => spinner.stop(),
  };
}

const silent: CheckProgress = { judged: () => undefined, stop: () => undefined };

/** The spinner and a space are before the text; a full last column would wrap on some terminals. */
const usedColumns = 3;
