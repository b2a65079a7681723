import { describe, expect, it } from 'vitest';
import type { Check, Stage } from '../../src/check/check.js';
import { selectChecks } from '../../src/check/select.js';
import { UsageError } from '../../src/errors.js';

const stages: Readonly<Record<string, Stage>> = { tls: 'connect', accept: 'accept' };

const all = [
  'tls.chain',
  'accept.track',
  'accept.page',
  'sign.missing',
  'sign.raw-bytes.space',
  'sign.raw-bytes.order',
  'load.parallel',
].map((id) => ({ id, stage: stages[id.split('.')[0]!] ?? 'parallel' }) as Check);

function ids(selection: Parameters<typeof selectChecks>[1]): string[] {
  return selectChecks(all, selection, 'track').map(({ id }) => id);
}

describe('the selection of checks', () => {
  it.each([
    [{}, all.map(({ id }) => id)],
    [{ only: ['tls.chain'] }, ['tls.chain']],
    [{ only: ['accept.page'] }, ['accept.page']],
    [{ only: ['sign.missing'] }, ['accept.track', 'sign.missing']],
    [{ only: ['accept.page', 'sign.missing'] }, ['accept.page', 'sign.missing']],
    [
      { only: ['sign.*'], skip: ['*.order'] },
      ['accept.track', 'sign.missing', 'sign.raw-bytes.space'],
    ],
    [
      { only: ['sign.raw-bytes'] },
      ['accept.track', 'sign.raw-bytes.space', 'sign.raw-bytes.order'],
    ],
    [{ only: ['load'] }, ['accept.track', 'load.parallel']],
    [
      { skip: ['accept.*', 'load.*', 'sign.raw-bytes'] },
      ['tls.chain', 'accept.track', 'sign.missing'],
    ],
  ])('%j', (selection, expected) => {
    expect(ids(selection)).toEqual(expected);
  });

  it.each([
    [{ only: ['sign.mising'] }, '--only', '"sign.missing"'],
    [{ skip: ['loda.*'] }, '--skip', '"load.*"'],
    [{ only: ['sign.*', 'x.*'] }, '--only', 'no check "x.*" (evfwd'],
    [{ only: ['sign.('] }, '--only', 'no check "sign.(" (evfwd'],
  ])('refuses what fits nothing, and names the nearest: %j', (selection, flag, hint) => {
    expect(() => ids(selection)).toThrow(UsageError);
    expect(() => ids(selection)).toThrow(flag);
    expect(() => ids(selection)).toThrow(hint);
  });
});
