import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ComposedText, memberText, objectOf, type TextPart } from '../../src/json/composed-text.js';

it('is its parts, one after the other', () => {
  fc.assert(
    fc.property(parts, (list) => {
      const text = composed(list);
      expect(text.length).toBe(Buffer.byteLength(joined(list)));
      expect(text.toBuffer().toString()).toBe(joined(list));
    }),
  );
});

it('is written at its offset, and nowhere else', () => {
  fc.assert(
    fc.property(parts, fc.nat(9), (list, at) => {
      const text = composed(list);
      const target = Buffer.alloc(at + text.length + 5, '#');
      expect(text.write(target, at)).toBe(at + text.length);
      expect(target.toString()).toBe(`${'#'.repeat(at)}${joined(list)}#####`);
    }),
  );
});

it('can be of any length', () => {
  const large = 'é'.repeat(200_000);
  const text = new ComposedText().add('[').add(large).add(Buffer.from(large)).add(']');
  expect(text.toBuffer().equals(Buffer.from(`[${large}${large}]`))).toBe(true);
});

it('is a copy once it is written', () => {
  const source = Buffer.from('source');
  const bytes = new ComposedText().add(source).toBuffer();
  source.fill('#');
  expect(bytes.toString()).toBe('source');
  expect(bytes.buffer.byteLength).toBe(bytes.length);
  expect(new ComposedText().toBuffer()).toHaveLength(0);
});

it('is an object of whole members', () => {
  expect(objectOf([]).toBuffer().toString()).toBe('{}');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.jsonValue())), (members) => {
      const texts = members.map(([name, value], i) => {
        const member = memberText(name, JSON.stringify(value));
        return i % 2 === 0 ? member : new ComposedText().add(member).toBuffer();
      });
      const expected = members.map(
        ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
      );
      expect(objectOf(texts).toBuffer().toString()).toBe(`{${expected.join(',')}}`);
    }),
  );
});

interface Part {
  readonly kind: 'string' | 'buffer' | 'span' | 'text';
  readonly text: string;
}

const parts = fc.array(
  fc.record({
    kind: fc.constantFrom<Part['kind']>('string', 'buffer', 'span', 'text'),
    text: fc.oneof(fc.constant(''), fc.string({ unit: 'binary' })),
  }),
  { maxLength: 8 },
);

function joined(list: readonly Part[]): string {
  return list.map(({ text }) => text).join('');
}

function composed(list: readonly Part[]): ComposedText {
  const text = new ComposedText();
  for (const part of list) {
    if (part.kind === 'span') {
      const source = Buffer.from(`<>${part.text}<>`);
      text.span(source, 2, source.length - 2);
    } else text.add(partOf(part));
  }
  return text;
}

function partOf({ kind, text }: Part): TextPart {
  if (kind === 'string') return text;
  return kind === 'buffer' ? Buffer.from(text) : new ComposedText().add(text);
}
