import { describe, expect, it } from 'vitest';
import { against, check, type Bug } from '../helpers/planted.js';
import type { Hook } from '../helpers/hook.js';
import { verifiers } from '../helpers/right-endpoints.js';

/** The time that a request says, in seconds since 1970. */
const timeOf = ({ header }: Hook) =>
  Number(/(?:^|,)t=(\d+)/.exec(header('stripe-signature'))?.[1] ?? header('webhook-timestamp'));

/** Judges a request as of its own time, so that the time is ignored; `isFresh` judges it instead. */
const withTime =
  (scheme: string, isFresh: (ageSeconds: number) => boolean) =>
  (hook: Hook): boolean => {
    const now = Date.now;
    const seconds = timeOf(hook);
    Date.now = () => seconds * 1000;
    try {
      if (!verifiers[scheme]!(hook)) return false;
    } finally {
      Date.now = now;
    }
    return isFresh(Date.now() / 1000 - seconds);
  };

type Row = readonly [
  what: string,
  scheme: string,
  isFresh: (ageSeconds: number) => boolean,
  against: readonly string[],
];

const rows: readonly Row[] = [
  ['ignores the time', 'standard-webhooks', () => true, ['fail time.future', 'fail time.old']],
  ['ignores the time', 'stripe', () => true, ['fail time.old']],
  ['ignores times ahead', 'standard-webhooks', (age) => age < 300, ['fail time.future']],
  ['ignores times ahead', 'stripe', (age) => age < 300, []],
  ['ignores old times', 'stripe', (age) => age > -300, ['fail time.old']],
  ['allows a minute', 'standard-webhooks', (age) => Math.abs(age) < 60, ['warn time.skew']],
  ['allows no time ahead', 'stripe', (age) => age > -5 && age < 300, ['warn time.skew']],
  ['allows a day', 'stripe', (age) => Math.abs(age) < 86_400, ['fail time.old']],
  ['allows half an hour', 'stripe', (age) => Math.abs(age) < 1_800, []],
];

describe.concurrent('a receiver with a bug of its clock', () => {
  it.each(rows)('%s (%s)', async (_, scheme, isFresh, expected) => {
    const bug: Bug = { scheme, verify: withTime(scheme, isFresh) };
    expect(against(await check(bug)).toSorted()).toEqual(expected);
  });
});
