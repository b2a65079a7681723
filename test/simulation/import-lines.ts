import { existsSync, readFileSync } from 'node:fs';
import type { ImportPlan } from './import-plan.js';
import { idOf, type Shape } from './world.js';

/** One line of the files of an import. */
export interface Line {
  readonly text: string;
  /** Whether it is an event. */
  readonly isValid: boolean;
  /** Undefined: it has none. */
  readonly messageId: string | undefined;
  readonly userId: string;
}

/** Line `n` of all files together. */
export function lineOf(n: number, { users, seed }: Pick<ImportPlan, 'users' | 'seed'>): Line {
  const kind = (n * 7 + seed) % 23;
  const userId = `u${n % users}`;
  if (kind === 3)
    return { text: `{"no event": ${n}`, isValid: false, messageId: undefined, userId };
  const shape: Shape =
    kind === 5 ? 'no id' : kind === 8 ? 'odd id' : kind === 11 ? 'large' : 'plain';
  const messageId = idOf(n, shape);
  const text = JSON.stringify({
    ...{ type: 'track', userId, event: `Seen ${n}`, timestamp: '2026-11-01T00:00:00.000Z' },
    ...(messageId !== undefined && { messageId }),
    ...(shape === 'large' && { properties: { text: 'x'.repeat(20_000) } }),
  });
  return { text, isValid: true, messageId, userId };
}

export function deadLettersIn(path: string): { readonly n: number }[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const letter = JSON.parse(line) as { event?: { event: string }; raw?: string };
    const text = letter.event?.event ?? letter.raw ?? '';
    return { n: Number(/(\d+)$/.exec(text)?.[1]) };
  });
}
