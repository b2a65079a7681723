import { expect, it } from 'vitest';
import {
  ofHistory,
  ofQueued,
  ofRejected,
  ofWaiting,
} from '../../../../pages/serve/outcomes/outcome.js';
import { reasonOf, sentenceOf } from '../../../../pages/serve/outcomes/reason.js';
import { timestampText } from '../../../../pages/shared/text/format.js';
import type { AttemptRow } from '../../../../src/api/serve.js';
import { at, delivery, noon, outcome } from './samples.js';

const attempt = (status: number | null, error: string | null): AttemptRow => ({
  ...{ at: at(0), url: 'https://a.example/', attempt: 1, status, error },
  durationMs: 43,
});

const row = { ...delivery(), nextAt: at(1), tries: 2, status: 503, error: null };
const queued = { ...row, until: null, code: 'queued', message: 'it is next' };
const done = { at: at(0), durationMs: 3, code: null, message: null };

it.each([
  [outcome({ attempts: [attempt(200, null)] }), '200 in 43.0 ms'],
  [outcome({ tries: 3, attempts: [attempt(204, null)] }), '204 in 43.0 ms, after 3 attempts'],
  [outcome(), ''],
  [
    outcome({ state: 'retrying', nextAt: at(240_000), attempts: [attempt(503, null)] }),
    'next attempt in 4 min, last response 503',
  ],
  [
    outcome({ state: 'retrying', nextAt: at(-1), attempts: [attempt(null, 'timeout')] }),
    'next attempt due, last: timed out',
  ],
  [ofWaiting({ ...row, held: 'crm is off' }), 'crm is off, last response 503'],
  [ofQueued(queued, at(9)), 'it is next'],
  [ofHistory({ ...row, ...done, state: 'delivered', tries: 2 }), '503, after 2 attempts'],
  [ofHistory({ ...row, ...done, state: 'repeated', message: 'came before' }), 'came before'],
  [outcome({ state: 'failed', code: 'status_422', message: 'answered 422' }), 'answered 422'],
  [outcome({ state: 'failed', code: 'status_422' }), 'status_422'],
  [outcome({ state: 'skipped' }), 'its integrations turn off this destination'],
])('the reason of %j is given in a few words', (of, text) => {
  expect(reasonOf(of, noon)).toBe(text);
});

it.each([
  [outcome(), /^Delivered at .*, on the first attempt\.$/],
  [outcome({ tries: 4 }), /^Delivered at .*, after 4 attempts\.$/],
  [
    outcome({ state: 'retrying', tries: 2, nextAt: at(9000), attempts: [attempt(500, null)] }),
    /^Not delivered yet: next attempt in 9 s, last response 500 \(after 2 attempts\)\.$/,
  ],
  [outcome({ state: 'failed', message: 'answered 410' }), /^Failed at [\d:.]+: answered 410$/],
  [ofQueued(queued, at(9)), /^Not attempted yet: it is next\.$/],
  [
    ofHistory({ ...row, ...done, state: 'repeated', message: 'came before' }),
    /^Duplicate, not forwarded: came before \(received at .*\)\.$/,
  ],
  [outcome({ state: 'skipped', message: 'crm is off' }), /^Skipped: crm is off$/],
  [
    outcome({ state: 'skipped', code: 'destination_disabled', message: 'x' }),
    /^Not sent: the destination was off\.$/,
  ],
  [
    ofRejected({ id: '1', source: 'web', at: at(0), code: 'a', message: 'no user', text: '{}' }),
    /^Rejected, not forwarded: no user$/,
  ],
])('an outcome is described in a sentence', (of, text) => {
  expect(sentenceOf(of, noon)).toMatch(text);
});

it('the end of a pause is told in the zone of the reader', () => {
  const message = `the endpoint asked for a pause until ${at(60_000)}; sent after that`;
  const paused = { ...queued, code: 'endpoint_paused', message, until: at(60_000) };
  const time = timestampText(at(60_000), noon);
  expect(reasonOf(ofQueued(paused, at(9)), noon)).toBe(
    `the endpoint asked for a pause until ${time}; sent after that`,
  );
});
