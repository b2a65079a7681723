import { describe, expect, it } from 'vitest';
import { checkEvent } from '../../../src/check/events.js';
import { batched } from '../../../src/check/senders/batched.js';
import { sampleSender } from '../../../src/check/senders/sample.js';

function batchOf(text: string, ...others: string[]) {
  const sampleOf = (each: string) => ({ name: 'order', text: each, where: '--body order.json' });
  const options = { scheme: undefined, id: undefined, keepsPath: false };
  return batched(sampleSender([sampleOf(text), ...others.map(sampleOf)], options));
}

describe('a sample in a batch', () => {
  it.each([
    ['an object is put into an array', '{"a":1}', '[{"a":1}]'],
    ['an array of objects stays as it is', '[{"a":1},{"a":2}]', '[{"a":1},{"a":2}]'],
    ['so does one of texts', '["a"]', '["a"]'],
    ['so does one of arrays', '[[1]]', '[[1]]'],
  ])('%s', (_, text, body) => {
    expect(checkEvent(batchOf(text), 'evfwd-check-1').body.toString()).toBe(body);
  });

  it('is put into an array each for itself', () => {
    const bodies = batchOf('[{"a":1}]', '{"a":2}').kinds.map(
      ({ make }) => make({ id: 'x', nowMs: 0 }).json,
    );
    expect(bodies).toEqual([[{ a: 1 }], [{ a: 2 }]]);
  });

  it.each([
    [
      'an empty array',
      '[]',
      'the sample order.json is an empty array; use an event or an array of events',
    ],
    ['a number', '1', 'a form cannot be in an array'],
    ['a text', '"a"', 'a form cannot be in an array'],
    ['null', 'null', 'a form cannot be in an array'],
  ])('is refused if it is %s', (_, text, message) => {
    expect(() => batchOf(text)).toThrow(`--batch: ${message}`);
  });
});
