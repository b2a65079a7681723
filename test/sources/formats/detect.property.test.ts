import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectFormat } from '../../../src/sources/formats/refuse.js';
import { scanValue } from '../../../src/sources/formats/json-value.js';
import { cutAt } from '../../helpers/chunks.js';
import { runs } from '../../helpers/property-runs.js';

const typed = fc.record({ type: fc.constant('track'), userId: fc.string(), event: fc.string() });
const event = fc
  .tuple(typed, fc.dictionary(fc.string(), fc.jsonValue()))
  .map(([known, more]) => JSON.stringify({ ...more, ...known }));
const threeEvents = Array<string>(3).fill('{"type":"track","userId":"","event":""}');
const damage = fc.constantFrom('[', '{', ']', '}', '{"a":', '[]', 'a,b', '<html>', '"', '[{', ',');

describe('an NDJSON file', () => {
  it('is never refused, wherever its first bytes end', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 1 }), fc.array(fc.nat()), (lines, places) => {
        const bytes = Buffer.from(lines.join('\n'));
        let read = 0;
        for (const chunk of cutAt(bytes, places)) {
          read += chunk.length;
          expect(['unknown', 'more']).toContain(detectFormat(bytes.subarray(0, read), false));
        }
        expect(detectFormat(bytes, true)).toBe('unknown');
      }),
      { numRuns: runs(700) },
    );
  });

  it('is not refused for damaged lines before its events', () => {
    const lines = fc.tuple(fc.array(damage, { maxLength: 4 }), fc.array(event, { minLength: 3 }));
    fc.assert(
      fc.property(lines, ([damaged, events]) => {
        const bytes = Buffer.from([...damaged, ...events].join('\n'));
        expect(detectFormat(bytes, true)).toBe('unknown');
      }),
      {
        numRuns: runs(700),
        examples: [[[['{', '}', '[', ']'], threeEvents]]],
      },
    );
  });
});

describe('the scan of a value', () => {
  const value = fc
    .tuple(
      fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
      fc.nat(4),
    )
    .map(([any, indent]) => JSON.stringify(any, null, indent));

  it('is complete at the end of any object or array', () => {
    fc.assert(
      fc.property(value, (text) => {
        const bytes = Buffer.from(`${text} x`);
        expect(scanValue(bytes, 0)).toEqual({ state: 'complete', end: bytes.length - 2 });
      }),
    );
  });

  it('is open at each place before it', () => {
    fc.assert(
      fc.property(value, fc.nat(), (text, place) => {
        const bytes = Buffer.from(text);
        expect(scanValue(bytes.subarray(0, place % bytes.length), 0).state).toBe('open');
      }),
    );
  });

  it.each([
    '{]',
    '[}',
    '{1',
    '{"a" 1}',
    '{"a":1 "b"',
    '[1 2',
    '[tru,',
    '["a\nb"',
    '[,',
    '[1,]',
    '{,',
  ])('ends at what is not JSON: %j', (text) => {
    expect(scanValue(Buffer.from(text), 0).state).toBe('invalid');
  });
});
