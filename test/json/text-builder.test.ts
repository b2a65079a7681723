import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TextBuilder } from '../../src/json/text-builder.js';

it('puts texts and spans together, one text after the other', () => {
  const builder = new TextBuilder();
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      for (const { kind, text } of parts) {
        const source = Buffer.from(`«${text}»`);
        if (kind === 'ascii') builder.ascii(text);
        else if (kind === 'text') builder.text(text);
        else builder.span(source, 2, source.length - 2);
      }
      expect(builder.finish().toString()).toBe(parts.map(({ text }) => text).join(''));
    }),
  );
});

it('grows for a text of any length', () => {
  const builder = new TextBuilder();
  const large = 'é'.repeat(200_000);
  const bytes = builder
    .ascii('[')
    .text(large)
    .span(Buffer.from(large), 0, 400_000)
    .ascii(']')
    .finish();
  expect(bytes.equals(Buffer.from(`[${large}${large}]`))).toBe(true);
});

it('leaves a finished text alone', () => {
  const builder = new TextBuilder();
  const first = builder.ascii('first').finish();
  const second = builder.ascii('second').finish();
  expect([first.toString(), second.toString()]).toEqual(['first', 'second']);
  expect(builder.finish()).toHaveLength(0);
});

const part = fc.oneof(
  fc.record({ kind: fc.constant('ascii'), text: fc.string({ unit: 'grapheme-ascii' }) }),
  fc.record({ kind: fc.constantFrom('text', 'span'), text: fc.string({ unit: 'binary' }) }),
);
