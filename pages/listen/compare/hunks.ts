import type { DiffLine } from './line-diff.js';

/** Lines that are shown, or the number of equal lines that are left out. */
export type Hunk = DiffLine | { readonly kind: 'skipped'; readonly count: number };

/** Equal lines around a difference. */
const context = 3;

/** The lines that differ with some around them. */
export function hunksOf(lines: readonly DiffLine[]): Hunk[] {
  const isNear = new Uint8Array(lines.length);
  for (const [i, { kind }] of lines.entries()) {
    if (kind !== 'same') isNear.fill(1, Math.max(0, i - context), i + context + 1);
  }
  const hunks: Hunk[] = [];
  let skipped = 0;
  const skip = (): void => {
    if (skipped > 0) hunks.push({ kind: 'skipped', count: skipped });
    skipped = 0;
  };
  for (const [i, line] of lines.entries()) {
    if (isNear[i] === 0) {
      skipped++;
      continue;
    }
    skip();
    hunks.push(line);
  }
  skip();
  return hunks;
}
