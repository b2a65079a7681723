import { describe, expect, it } from 'vitest';
import { readAttemptLine } from '../../src/report/attempt-line.js';
import { attempt, lineOf } from './attempts.js';

const read = (text: string) => readAttemptLine(Buffer.from(text));

describe('a line of an attempt log', () => {
  it.each([
    attempt(),
    attempt({ status: null, error: 'timeout', verdict: 'retry', attempt: 7, durationMs: 0 }),
    attempt({ status: 404, verdict: 'failed' }),
    attempt({ status: 404, verdict: 'failed', response: { headers: { via: 'a' }, body: 'no' } }),
    attempt({ status: 404, verdict: 'failed', response: { headers: {}, bodyBase64: '/w==' } }),
  ])('is read unchanged: %o', (one) => {
    expect(read(lineOf(one))).toEqual(one);
  });

  it.each([1, null, {}, { headers: { a: 1 }, body: '' }, { headers: {}, body: 1 }])(
    'is counted without a response that cannot be read: %j',
    (response) => {
      const one = attempt({ status: 404, verdict: 'failed' });
      expect(read(lineOf({ ...one, response } as never))).toEqual(one);
    },
  );

  it.each([
    ['https://example.com/hook?token=abc', 'https://example.com/hook'],
    ['https://example.com/#abc', 'https://example.com/'],
    ['https://user:abc@example.com/a@b', 'https://example.com/a@b'],
    ['no url', 'no url'],
  ])('shows of the URL %s only %s', (url, shown) => {
    expect(read(lineOf(attempt({ url })))).toMatchObject({ url: shown });
  });

  it.each([
    ['{"type":"summary"}', 'type summary'],
    ['{"userId":"u1"}', 'no type'],
    ['{"type":1}', 'no type'],
    ['[1]', 'not an object'],
    ['null', 'not an object'],
  ])('of another kind is distinguished from a broken one: %s', (text, message) => {
    expect(read(text)).toEqual({ unusable: 'other', message });
  });

  it.each([
    ['{"type":"attempt","at":"2026-11-2', 'not JSON'],
    [changed({ at: '1' }), 'at is not a date and time'],
    [changed({ at: '2026-13-40T00:00:00Z' }), 'at is not a date and time'],
    [changed({ url: 5 }), 'url is not text'],
    [changed({ attempt: 0 }), 'attempt is not a whole number of at least 1'],
    [changed({ attempt: '1' }), 'attempt is not a whole number of at least 1'],
    [changed({ status: '200' }), 'status is neither a number nor null'],
    [changed({ error: false }), 'error is neither text nor null'],
    [changed({ error: 'reset' }), 'one of status and error must be null'],
    [changed({ status: null }), 'one of status and error must be null'],
    [changed({ verdict: 'toString' }), 'verdict is not delivered, retry or failed'],
    [changed({ durationMs: -1 }), 'durationMs is not a number of at least 0'],
    [changed({ durationMs: null }), 'durationMs is not a number of at least 0'],
  ])('is broken, with the reason: %s', (text, message) => {
    expect(read(text)).toEqual({ unusable: 'broken', message });
  });
});

function changed(members: Record<string, unknown>): string {
  return JSON.stringify({ ...(JSON.parse(lineOf(attempt())) as object), ...members });
}
