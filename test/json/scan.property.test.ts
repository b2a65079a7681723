import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { notJson } from '../../src/json/scalars.js';
import { endOfValue } from '../../src/json/scan.js';
import { allowedJson, forbiddenJson } from '../helpers/json-cases.js';
import { valueText } from '../helpers/json-text.js';
import { runs } from '../helpers/property-runs.js';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether the scan accepts a whole text, which has no space at either end. */
function isTaken(text: string): boolean {
  const bytes = Buffer.from(text);
  return endOfValue(bytes, 0, { depth: 1 }) === bytes.length;
}

describe('a scan', () => {
  it.each(allowedJson)('accepts %s', (_, json) => {
    expect(isTaken(json)).toBe(true);
  });

  it.each(forbiddenJson)('does not accept %s', (_, json) => {
    expect(isTaken(json)).toBe(false);
    expect(isTaken(`{"v":${json}}`)).toBe(false);
  });

  it('accepts what JSON.parse accepts, and finds its end', () => {
    fc.assert(
      fc.property(valueText, fc.constantFrom('', ' ', ',', '}', ']', 'x"'), (text, rest) => {
        const end = Buffer.byteLength(text);
        // Only a digit continues a number, and none of these is one.
        expect(endOfValue(Buffer.from(text + rest), 0, { depth: 1 })).toBe(end);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('rejects what JSON.parse rejects, wherever the text is broken', () => {
    fc.assert(
      fc.property(brokenText, (text) => {
        expect(isTaken(text)).toBe(isJson(text));
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('accepts texts of the characters of JSON exactly if JSON.parse does', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (deadLetters) => {
        const text = deadLetters.join('').trim();
        expect(isTaken(text)).toBe(isJson(text));
      }),
      { numRuns: runs(20_000) },
    );
  });

  it.each([...Array(0x80).keys()])(
    'accepts byte %i in a text exactly if JSON.parse does',
    (byte) => {
      const character = String.fromCharCode(byte);
      for (const text of [
        `"${character}"`,
        `"\\${character}"`,
        `"\\u00${character}0"`,
        character,
      ]) {
        if (text.trim() === text) expect([text, isTaken(text)]).toEqual([text, isJson(text)]);
      }
    },
  );

  it('counts the levels of what it scans', () => {
    const levels = { depth: 1 };
    endOfValue(Buffer.from('[[],{"a":{"b":[1]}},[]]'), 0, levels);
    expect(levels.depth).toBe(5);
  });

  it('accepts any number of levels', () => {
    const text = `${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`;
    expect(isTaken(text)).toBe(true);
    expect(isTaken(text.slice(0, -1))).toBe(false);
    expect(isTaken('['.repeat(100_000))).toBe(false);
  });

  it('stops at the end of the bytes', () => {
    for (const text of [
      '',
      '"',
      '"\\',
      '"\\u00',
      '[',
      '[1',
      '[1,',
      '{',
      '{"a',
      '{"a"',
      '{"a":',
      '-',
      '1.',
      '1e',
      't',
    ]) {
      expect([text, endOfValue(Buffer.from(text), 0, { depth: 1 })]).toEqual([text, notJson]);
    }
  });
});

const pieces = fc.constantFrom(
  ...['{', '}', '[', ']', ',', ':', '"', '\\', '\\u', '"a"', '"a":', ' ', '\n', 'é', '\0'],
  ...['0', '1', '-', '+', '.', 'e', 'E', 'true', 'false', 'null', 'a', '[]', '{}'],
);

/** A JSON text with something removed, inserted or replaced. */
const brokenText = fc
  .tuple(valueText, fc.nat(), fc.nat(3), fc.oneof(fc.constant(''), pieces))
  .map(([text, place, length, piece]) => {
    const at = text.length === 0 ? 0 : place % text.length;
    return (text.slice(0, at) + piece + text.slice(at + length)).trim();
  })
  // Half a surrogate pair is not UTF-8, but JSON.parse gets a string.
  .filter((text) => Buffer.from(text).toString() === text);
