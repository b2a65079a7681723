import { createHash } from 'node:crypto';
import { isUtf8 } from 'node:buffer';
import { withoutByteOrderMark } from '../../json/byte-order-mark.js';
import {
  JsonTextError,
  readJsonSpans,
  type ArraySpan,
  type JsonSpan,
  type ObjectSpan,
  type Span,
} from '../../json/spans.js';

/** A value within a JSON text. */
export interface JsonValue<T extends JsonSpan = JsonSpan> {
  /** The whole text. */
  readonly text: string;
  readonly span: T;
}

/** Deeper texts are compared as bytes. */
const maxDepth = 200;

/** The value of a body; undefined if it is no JSON. */
export function readJsonBody(bytes: Buffer): JsonValue | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = withoutByteOrderMark(bytes).toString('utf8');
  try {
    return { text, span: readJsonSpans(text, maxDepth) };
  } catch (error) {
    if (error instanceof JsonTextError) return undefined;
    throw error;
  }
}

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

export function typeOf({ text, span }: JsonValue): JsonType {
  if (span.kind !== 'literal') return span.kind;
  return text[span.start] === 'n' ? 'null' : 'boolean';
}

export function isArray(value: JsonValue): value is JsonValue<ArraySpan> {
  return value.span.kind === 'array';
}

export function isObject(value: JsonValue): value is JsonValue<ObjectSpan> {
  return value.span.kind === 'object';
}

/** The text of a value as it was received. */
export function textOf({ text, span }: JsonValue): string {
  return text.slice(span.start, span.end);
}

/** What decides whether two scalars are equal: numbers by their digits, strings without their escapes. */
export function scalarText({ text, span }: JsonValue): string {
  return span.kind === 'string' ? `"${decoded(text, span)}` : text.slice(span.start, span.end);
}

/** A string or name between its quotes, its escapes undone. */
export function decoded(text: string, { start, end }: Span): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : inner;
}

/** Longer texts are told apart by their hash. */
const maxKeyLength = 64;

/** A text that equals another one only if the long texts that they stand for do. */
export function keyOf(text: string): string {
  if (text.length <= maxKeyLength) return text;
  return `#${createHash('sha256').update(text).digest('base64')}`;
}
