import { formType, type CheckEvent } from './events.js';
import type { SignatureEncoding } from '../sign/schemes/scheme.js';

/** Where in a body. */
export type Part = 'start' | 'middle' | 'end';

/** The body with one letter of a value changed: it stays JSON, or a form. */
export function withLetterChanged({ body, contentType }: CheckEvent, part: Part): Buffer {
  // One character for each byte.
  const text = body.toString('latin1');
  const found = contentType === formType ? lettersOfForm(text) : lettersOfJson(text);
  // Of a body without letters, its last digit.
  const letters = found.length > 0 ? found : [text.search(/\d(?!.*\d)/s)];
  const goal = { start: 0, middle: text.length >> 1, end: text.length }[part];
  const distance = (at: number): number => Math.abs(at - goal);
  const at = letters.reduce(
    (best, one) => (distance(one) < distance(best) ? one : best),
    letters[0] ?? 0,
  );
  const changed = Buffer.from(body);
  changed[at]! ^= 1;
  return changed;
}

/** Positions of letters in texts that are values and have no escapes. */
function lettersOfJson(text: string): number[] {
  const letters: number[] = [];
  for (const { 1: value = '', 2: colon, index } of text.matchAll(/"((?:[^"\\]|\\.)*)"(\s*:)?/gs)) {
    if (colon === undefined && !value.includes('\\')) letters.push(...lettersIn(value, index + 1));
  }
  return letters;
}

function lettersOfForm(text: string): number[] {
  const letters: number[] = [];
  for (const { 1: value = '', index } of text.matchAll(/=([^&]*)/g)) {
    // A digit of an escape is no letter.
    letters.push(...lettersIn(value.replaceAll(/%../g, '%__'), index + 1));
  }
  return letters;
}

function lettersIn(text: string, offset: number): number[] {
  return [...text.matchAll(/[a-z]/gi)].map(({ index }) => offset + index);
}

/** The signature with one character changed: of the first, the middle and the last byte. */
export function flips(encoding: SignatureEncoding): readonly ((signature: string) => string)[] {
  const inMiddle = (signature: string): string =>
    withBit(signature, encoding, (length) => length >> 1, 0x01);
  return [
    (signature) => withBit(signature, encoding, () => 0, 0x80),
    // Uppercase hex is the same signature, and the other case of Base64 is another one.
    encoding === 'base64' ? (text) => withOtherCase(text) ?? inMiddle(text) : inMiddle,
    // Some bits of the last character of Base64 carry no data: a bit of the last byte does.
    (signature) => withBit(signature, encoding, (length) => length - 1, 0x01),
  ];
}

function withBit(
  signature: string,
  encoding: SignatureEncoding,
  indexOf: (length: number) => number,
  mask: number,
): string {
  const bytes = Buffer.from(signature, encoding);
  bytes[indexOf(bytes.length)]! ^= mask;
  return bytes.toString(encoding);
}

/** Undefined if there is no letter between the middle and the last characters. */
function withOtherCase(text: string): string | undefined {
  const middle = text.length >> 1;
  const offset = text.slice(middle, -4).search(/[a-z]/i);
  if (offset === -1) return undefined;
  const at = middle + offset;
  const letter = text[at]!;
  const upper = letter.toUpperCase();
  return text.slice(0, at) + (letter === upper ? letter.toLowerCase() : upper) + text.slice(at + 1);
}
