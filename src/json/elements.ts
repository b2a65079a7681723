import { endOfValue, skipSpace } from './scan.js';

/** A value inside a JSON array, as a span of the array's bytes. */
export interface Element {
  readonly start: number;
  /** Offset after its last byte. */
  readonly end: number;
}

const comma = 0x2c;
const closeBracket = 0x5d;

/**
 * Finds the elements of the JSON array that begins at `start`, without nested ones.
 * `bytes` must be text that `JSON.parse` accepts.
 */
export function scanElements(bytes: Buffer, start: number): Element[] {
  const elements: Element[] = [];
  let at = skipSpace(bytes, start + 1);
  while (bytes[at] !== closeBracket) {
    const end = endOfValue(bytes, at, { depth: 1 });
    elements.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
  }
  return elements;
}
