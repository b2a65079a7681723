import type { Check } from '../../check/check.js';
import { cutTo } from '../../output/columns.js';
import type { Io } from '../shared/command.js';
import type { CheckFlags } from './command.js';

/** One live line on a terminal; nothing elsewhere. */
export interface CheckProgress {
  /** Call at the end of each check, with the number that have ended. */
  readonly update: (check: Pick<Check, 'id'>, judged: number) => void;
  /** Removes the line. More calls do nothing. */
  readonly stop: () => void;
}

const clearLine = '\r\u001b[K';
/** A full last column would wrap on some terminals. */
const unused = 1;

/** `checking  34 of 61  sign.tampered`, where the check is the one that ended last. */
export function showCheckProgress(
  total: number,
  { json, quiet }: Pick<CheckFlags, 'json' | 'quiet'>,
  { stderr, env }: Pick<Io, 'stderr' | 'env'>,
): CheckProgress {
  const isShown = stderr.isTTY && stderr.columns && env.TERM !== 'dumb' && !json && !quiet;
  if (!isShown) return { update: () => undefined, stop: () => undefined };
  let isStopped = false;
  const show = (text: string): void => {
    const width = (stderr.columns ?? 80) - unused;
    stderr.write(clearLine + cutTo(text, width));
  };
  show(`checking  0 of ${total}`);
  return {
    update: ({ id }, judged) => {
      if (!isStopped) show(`checking  ${judged} of ${total}  ${id}`);
    },
    stop: () => {
      if (!isStopped) stderr.write(clearLine);
      isStopped = true;
    },
  };
}
