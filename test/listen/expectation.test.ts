import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/errors.js';
import { holds, isGoal, parseExpectation } from '../../src/listen/expectation.js';
import { Expectations } from '../../src/listen/expectations.js';
import { notesOf } from '../../src/listen/notes.js';
import { received } from './listening.js';

/** The count of the rule for a request with this body. */
function counted(rule: string, text: string, signature: 'valid' | 'invalid' = 'valid'): number {
  const notes = notesOf(Buffer.from(text), '/hook');
  return parseExpectation(rule).countIn({ signature }, notes);
}

const order = '{"type":"track","event":"Order Completed","userId":"u"}';
const batch = `{"batch":[${order},${order},{"type":"page","name":"Home","userId":"u"}]}`;

describe('what is counted', () => {
  it.each([
    ['track', order, 1],
    ['page', order, 0],
    ['track:Order Completed', order, 1],
    ['track:order completed', order, 0],
    ['track:Order *', order, 1],
    ['track:*', order, 1],
    ['identify:*', '{"type":"identify","userId":"u"}', 1],
    ['page:Home', batch, 1],
    ['track', batch, 2],
    ['*', batch, 3],
    ['track:Order *', `[${order},{"type":"page","name":"Home"},${order}]`, 2],
    ['page:Home', `[${order},{"type":"page","name":"Home"},${order}]`, 1],
    ['*', `[${order},{"type":"page","name":"Home"},${order}]`, 3],
    ['signature:valid', `[${order},${order}]`, 1],
    ['*', '[{"no":"event"}]', 1],
    ['*', 'no event at all', 1],
    ['track', 'no event at all', 0],
    ['group:7', '{"type":"group","groupId":7,"userId":"u"}', 1],
    ['signature:valid', batch, 1],
    ['signature:invalid', batch, 0],
    ['track:A > B', '{"type":"track","event":"A > B","userId":"u"}', 1],
    ['track:a=b', '{"type":"track","event":"a=b","userId":"u"}', 1],
    ['track:x:y', '{"type":"track","event":"x:y","userId":"u"}', 1],
  ])('%s in %s: %i', (rule, text, count) => {
    expect(counted(rule, text)).toBe(count);
    expect(counted(`${rule}>=1`, text)).toBe(count);
  });
});

describe('the rule', () => {
  it.each([
    ['track', '>=', 1],
    ['track>=3', '>=', 3],
    ['track <= 3 ', '<=', 3],
    ['track==0', '==', 0],
    ['track!=2', '!=', 2],
    ['track>3', '>', 3],
    ['track<3', '<', 3],
    ['track:a>=1>=2', '>=', 2],
  ])('%s', (text, operator, number) => {
    expect(parseExpectation(text)).toMatchObject({ text, operator, number });
  });

  it.each([
    ['trakc', /did you mean track\?/],
    ['order>=1', /is not an event type/],
    ['signature', /must be one of valid, invalid, missing, unchecked/],
    ['signature:wrong==0', /a signature must be one of/],
    ['track:>=1', /expected a name after the colon/],
    ['track>=x', /expected a whole number after/],
    ['track>=-1', /expected a whole number after/],
    ['track>=', /expected a whole number after/],
    ['track=3', /expected a whole number after/],
    ['track=>3', /expected a whole number after/],
    ['track>=1.5', /expected a whole number after/],
    ['>=1', /expected a whole number|not an event type/],
    ['', /not an event type/],
  ])('%j is rejected with a reason', (text, reason) => {
    expect(() => parseExpectation(text)).toThrow(UsageError);
    expect(() => parseExpectation(text)).toThrow(reason);
    expect(() => parseExpectation(text)).toThrow('--expect');
  });

  it.each([
    ['track>=2', [false, false, true, true]],
    ['track<=2', [true, true, true, false]],
    ['track==2', [false, false, true, false]],
    ['track!=2', [true, true, false, true]],
    ['track>2', [false, false, false, true]],
    ['track<2', [true, true, false, false]],
  ])('%s is met for 0, 1, 2, 3: %j', (text, expected) => {
    const rule = parseExpectation(text);
    expect([0, 1, 2, 3].map((count) => holds(rule, count))).toEqual(expected);
  });

  it.each([
    ['track>=1', true],
    ['track>0', true],
    ['track==1', true],
    ['track>=0', false],
    ['track==0', false],
    ['track<5', false],
    ['track<=5', false],
    ['track!=5', false],
  ])('%s waits for something to arrive: %s', (text, expected) => {
    expect(isGoal(parseExpectation(text))).toBe(expected);
  });
});

describe('several together', () => {
  function watched(...texts: string[]) {
    let ends = 0;
    const expectations = new Expectations(texts, () => ends++);
    const come = (text: string, signature: 'valid' | 'invalid' = 'valid') =>
      expectations.added(received({ signature }), notesOf(Buffer.from(text), '/'));
    return { expectations, come, ends: () => ends };
  }

  it('end as soon as all are met', () => {
    const { come, ends, expectations } = watched('track>=2', 'page', 'signature:invalid==0');
    come(order);
    come(order);
    expect(ends()).toBe(0);
    come(batch);
    expect(ends()).toBe(1);
    expect(expectations.results).toEqual([
      { expect: 'track>=2', count: 4, met: true },
      { expect: 'page', count: 1, met: true },
      { expect: 'signature:invalid==0', count: 0, met: true },
    ]);
  });

  it('do not end while one is not met', () => {
    const { come, ends, expectations } = watched('track', 'signature:invalid==0');
    come(order, 'invalid');
    come(order);
    expect(ends()).toBe(0);
    expect(expectations.areMet).toBe(false);
  });

  it('that only forbid are evaluated at the end', () => {
    const { come, ends, expectations } = watched('track<=2', 'signature:invalid==0');
    come(order);
    expect(ends()).toBe(0);
    expect(expectations.areMet).toBe(true);
  });

  it('count from 0 after a reset', () => {
    const { come, expectations } = watched('track>=5');
    come(order);
    expectations.reset();
    expect(expectations.results).toEqual([{ expect: 'track>=5', count: 0, met: false }]);
  });

  it('are met if there are none', () => {
    expect(watched().expectations.areMet).toBe(true);
  });
});
