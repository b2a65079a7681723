import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseContentRange } from '../../../src/sources/remote/content-range.js';
import { parseXml, textOf } from '../../../src/sources/remote/xml.js';
import { runs } from '../../helpers/property-runs.js';

const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);

it('XML gives back each text that was written, and does not take one that is cut off', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.nat(), (texts, cut) => {
      const items = texts.map((text) => `<Item a="1"><Key>${escaped(text)}</Key></Item>`);
      const source = `<?xml version="1.0"?>\n<List>${items.join('')}<Empty/></List>`;
      expect(
        parseXml(source)
          .children.filter(({ name }) => name === 'Item')
          .map((item) => textOf(item, 'Key')),
      ).toEqual(texts);
      expect(() => parseXml(source.slice(0, cut % source.length))).toThrow(SyntaxError);
    }),
    { numRuns: runs(2_000) },
  );
});

it.each([
  '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
  '<a>&unknown;</a>',
  '<a>&#x110000;</a>',
  '<a></b>',
  '<a/><b/>',
  'text',
  '<a/>text',
  '',
  '<a>'.repeat(50),
  '<a b=c/>',
])('XML is not %s', (source) => {
  expect(() => parseXml(source)).toThrow(SyntaxError);
});

it('any text as XML ends as a tree or a SyntaxError', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[<>\/a&;#x1"'= ?]{0,60}$/), (source) => {
      try {
        expect(parseXml(source).name).not.toBe('');
      } catch (error) {
        expect(error).toBeInstanceOf(SyntaxError);
      }
    }),
    { numRuns: runs(10_000, 500) },
  );
});

it.each([
  ['bytes 0-9/10', { bytes: { first: 0, last: 9 }, total: 10 }],
  ['bytes 5-5/*', { bytes: { first: 5, last: 5 }, total: undefined }],
  ['bytes */0', { bytes: undefined, total: 0 }],
  ['bytes 5-4/10', undefined],
  ['bytes 0-10/10', undefined],
  ['bytes 0-9', undefined],
  ['lines 0-9/10', undefined],
  ['bytes 0-99999999999999999/100000000000000000', undefined],
  [undefined, undefined],
])('the range of %s', (header, expected) => {
  expect(parseContentRange(header)).toEqual(expected);
});
