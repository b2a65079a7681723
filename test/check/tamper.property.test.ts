import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formType } from '../../src/check/events.js';
import { withLetterChanged, type Part } from '../../src/check/tamper.js';

const parts = fc.constantFrom<Part>('start', 'middle', 'end');
const letters = fc.stringMatching(/^[a-z]{1,20}$/);

describe('a body with a letter changed', () => {
  it('stays JSON with the same names, and has another value', () => {
    const objects = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(objects, letters, parts, (object, text, part) => {
        const given = { ...object, text };
        const body = Buffer.from(JSON.stringify(given));
        const changed = withLetterChanged(
          { body, contentType: 'application/json', messageId: '', headers: [] },
          part,
        );
        const value = JSON.parse(changed.toString()) as object;
        expect(Object.keys(value)).toEqual(Object.keys(given));
        expect(value).not.toEqual(JSON.parse(body.toString()));
        expect(changed).toHaveLength(body.length);
      }),
    );
  });

  it('stays a form with the same names, and has another value', () => {
    fc.assert(
      fc.property(fc.dictionary(letters, fc.string()), letters, parts, (fields, text, part) => {
        const body = Buffer.from(new URLSearchParams({ ...fields, text }).toString());
        const changed = withLetterChanged(
          { body, contentType: formType, messageId: '', headers: [] },
          part,
        );
        const form = new URLSearchParams(changed.toString());
        const given = new URLSearchParams(body.toString());
        expect([...form.keys()]).toEqual([...given.keys()]);
        expect([...form.values()]).not.toEqual([...given.values()]);
      }),
    );
  });
});
