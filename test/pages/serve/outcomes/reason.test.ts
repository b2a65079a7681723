import { expect, it } from 'vitest';
import { reasonOf, sentenceOf } from '../../../../pages/serve/outcomes/reason.js';
import { timestampText } from '../../../../pages/shared/text/format.js';
import { at, noon, outcome } from './samples.js';

const last = (status: number | null, error: string | null = null) => ({
  ...{ status, error, durationMs: 43 },
});

const queued = { state: 'queued', code: 'queued', message: 'it is next' } as const;
const repeated = outcome({ state: 'repeated', message: 'came before' });

it.each([
  [outcome(last(200)), '200 in 43.0 ms'],
  [outcome({ attempts: 3, ...last(204) }), '204 in 43.0 ms, after 3 attempts'],
  [outcome(), ''],
  [
    outcome({ state: 'retrying', nextAt: at(240_000), ...last(503) }),
    'next attempt in 4 min, last response 503',
  ],
  [
    outcome({ state: 'retrying', nextAt: at(-1), ...last(null, 'timeout') }),
    'next attempt due, last: timed out',
  ],
  [
    outcome({ state: 'retrying', held: 'crm is off', ...last(503) }),
    'crm is off, last response 503',
  ],
  [outcome(queued), 'it is next'],
  [repeated, 'came before'],
  [outcome({ state: 'failed', code: 'status_422', message: 'answered 422' }), 'answered 422'],
  [outcome({ state: 'failed', code: 'status_422' }), 'status_422'],
  [outcome({ state: 'skipped' }), 'its integrations turn off this destination'],
])('the reason of %j is given in a few words', (of, text) => {
  expect(reasonOf(of, noon)).toBe(text);
});

it.each([
  [outcome(), /^Delivered at .*, on the first attempt\.$/],
  [outcome({ attempts: 4 }), /^Delivered at .*, after 4 attempts\.$/],
  [
    outcome({ state: 'retrying', attempts: 2, nextAt: at(9000), ...last(500) }),
    /^Not delivered yet: next attempt in 9 s, last response 500 \(after 2 attempts\)\.$/,
  ],
  [outcome({ state: 'failed', message: 'answered 410' }), /^Failed at [\d:.]+: answered 410$/],
  [outcome(queued), /^Not attempted yet: it is next\.$/],
  [repeated, /^Duplicate, not forwarded: came before \(received at .*\)\.$/],
  [outcome({ state: 'skipped', message: 'crm is off' }), /^Skipped: crm is off$/],
  [
    outcome({ state: 'skipped', code: 'destination_disabled', message: 'x' }),
    /^Not sent: the configuration disabled the destination\.$/,
  ],
  [
    outcome({ state: 'rejected', code: 'a', message: 'no user', text: '{}' }),
    /^Rejected, not forwarded: no user$/,
  ],
])('an outcome is described in a sentence', (of, text) => {
  expect(sentenceOf(of, noon)).toMatch(text);
});

it('the end of a pause is told in the zone of the reader', () => {
  const message = `the endpoint asked for a pause until ${at(60_000)}; sent after that`;
  const paused = outcome({ ...queued, code: 'endpoint_paused', message, nextAt: at(60_000) });
  const time = timestampText(at(60_000), noon);
  expect(reasonOf(paused, noon)).toBe(
    `the endpoint asked for a pause until ${time}; sent after that`,
  );
});
