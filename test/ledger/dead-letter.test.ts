import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AttemptResult, Outcome } from '../../src/delivery/outcome.js';
import { rejection } from '../../src/delivery/outcome.js';
import { isProblem } from '../../src/events/event.js';
import { parseLine } from '../../src/events/parse.js';
import { deadLetterLine } from '../../src/ledger/dead-letter.js';

const attempt = (change: Partial<AttemptResult>): AttemptResult => ({
  ...{ url: 'http://a.example/', attempt: 1, at: 0, durationMs: 1, status: 400, error: null },
  ...{ verdict: 'failed', ...change },
});

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests inspect any line
function letterOf(attempts: AttemptResult[]): any {
  const outcome: Outcome = {
    verdict: 'failed',
    messageId: 'm1',
    attempts,
    code: 'c',
    message: 'm',
  };
  const origin = { file: 'f', line: 1, offset: 0, length: 2 };
  const line = deadLetterLine({ outcome, origin, bytes: Buffer.from('{}'), isJson: true, at: 0 });
  return JSON.parse(line.toString('utf8'));
}

const response = { headers: { 'content-type': 'text/plain' }, body: 'no "plan"\n' };

it('a dead letter has what the last response said', () => {
  const early = { headers: {}, body: 'early' };
  const letter = letterOf([attempt({ response: early }), attempt({ attempt: 2, response })]);
  expect(letter).toMatchObject({ lastStatus: 400, response });
});

it('a dead letter has no response when the last attempt had none', () => {
  const letter = letterOf([attempt({ response }), attempt({ status: null, error: 'timeout' })]);
  expect(letter).not.toHaveProperty('response');
});

it('a dead letter names a URL that failed, whichever ended last', () => {
  const delivered = attempt({ url: 'http://b.example/', status: 200, verdict: 'delivered' });
  expect(letterOf([attempt({ response }), delivered])).toMatchObject({
    ...{ url: 'http://a.example/', lastStatus: 400, response },
  });
});

it('a dead letter has the offset in place of the line where lines are told by it', () => {
  const outcome: Outcome = { verdict: 'rejected', messageId: undefined, attempts: [], code: 'c' };
  const origin = { file: 'f', line: 1, offset: 70, length: 2 };
  const one = { outcome, origin, bytes: Buffer.from('{}'), isJson: true, at: 0 };
  const line = deadLetterLine({ ...one, locatesByOffset: true }).toString('utf8');
  expect(JSON.parse(line)).toMatchObject({ file: 'f', offset: 70 });
  expect(JSON.parse(line)).not.toHaveProperty('line');
});

it('a dead letter of any line needs at most twice its bytes, and is read as the same line again', () => {
  const origin = { file: 'f', line: 1, offset: 0, length: 0 };
  const letterFor = (bytes: Buffer): Buffer => {
    const item = parseLine(bytes, origin);
    if (!isProblem(item)) throw new Error('the line was accepted');
    return deadLetterLine({ ...item, outcome: rejection(item), at: 0 });
  };
  const without = letterFor(Buffer.from('x')).length - 1;
  const piece = fc.constantFrom('\x01', '\t', '"', '\\', 'a', 'ü', '\u2028', '\x7f', '\xff');
  const line = fc.tuple(fc.array(piece), fc.nat(400), fc.constantFrom('utf8', 'latin1'));
  fc.assert(
    fc.property(line, ([pieces, times, encoding]) => {
      const bytes = Buffer.from(`x${pieces.join('').repeat(times)}x`, encoding as 'utf8');
      const letter = letterFor(bytes);
      // Messages differ: that of a parser names the place.
      expect(letter.length).toBeLessThanOrEqual(2 * bytes.length + without + 200);
      const again = parseLine(letter.subarray(0, -1), origin);
      expect(isProblem(again) && again.bytes.equals(bytes)).toBe(true);
    }),
  );
});

it.each([
  ['text', 'no json', 'raw'],
  ['text with quotes and tabs', '{"a":\t"b"', 'raw'],
  ['a few control characters', '\x01'.repeat(20), 'raw'],
  ['control characters', '\x01'.repeat(1_000), 'rawBase64'],
])('a dead letter has a line of %s as text, unless that is much longer', (_what, text, member) => {
  const outcome: Outcome = { verdict: 'rejected', messageId: undefined, attempts: [], code: 'c' };
  const origin = { file: 'f', line: 1, offset: 0, length: text.length };
  const one = { outcome, origin, bytes: Buffer.from(text), isJson: false, at: 0 };
  const letter = JSON.parse(deadLetterLine(one).toString()) as Record<string, string>;
  expect(letter[member]).toBe(member === 'raw' ? text : one.bytes.toString('base64'));
});
