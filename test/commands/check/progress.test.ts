import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { showCheckProgress } from '../../../src/commands/check/progress.js';
import type { Io } from '../../../src/commands/shared/command.js';

/** A stream that is a terminal of so many columns, or none. */
function terminal(columns?: number) {
  const facts = columns === undefined ? {} : { isTTY: true, columns };
  const stderr: Io['stderr'] & PassThrough = Object.assign(new PassThrough(), facts);
  return { stderr, written: (): string => String(stderr.read() ?? '') };
}

describe('the progress of check', () => {
  it('is one line that is written again, and removed at the end', () => {
    const { stderr, written } = terminal(40);
    const progress = showCheckProgress(61, {}, { stderr, env: {} });
    progress.update({ id: 'sign.tampered' }, 34);
    progress.stop();
    progress.update({ id: 'sign.late' }, 35);
    progress.stop();
    expect(written()).toBe(
      '\r\u001b[Kchecking  0 of 61\r\u001b[Kchecking  34 of 61  sign.tampered\r\u001b[K',
    );
  });

  it('is cut to the width of the terminal', () => {
    const { stderr, written } = terminal(26);
    showCheckProgress(61, {}, { stderr, env: {} }).update({ id: 'sign.raw-bytes.space' }, 34);
    expect(written()).toContain('\u001b[Kchecking  34 of 61  sign…');
  });

  it.each([
    ['elsewhere', undefined, {}, {}],
    ['with --json', 80, { json: true }, {}],
    ['with --quiet', 80, { quiet: true }, {}],
    ['on a dumb terminal', 80, {}, { TERM: 'dumb' }],
    ['on a terminal without columns', 0, {}, {}],
  ])('is not shown %s', (_, columns, flags, env) => {
    const { stderr, written } = terminal(columns);
    const progress = showCheckProgress(61, flags, { stderr, env });
    progress.update({ id: 'sign.tampered' }, 34);
    progress.stop();
    expect(written()).toBe('');
  });
});
