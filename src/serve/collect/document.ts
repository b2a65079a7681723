import { isUtf8 } from 'node:buffer';
import { jsonProblem } from '../../json/source.js';
import { withoutByteOrderMark } from '../../json/byte-order-mark.js';
import { isObject } from '../../json/is-object.js';
import { Refusal } from './refusal.js';

export type Value = Readonly<Record<string, unknown>>;

/** The JSON object of a body: its text and its value. */
export interface Document {
  /** One object, perhaps with whitespace around it. */
  readonly bytes: Buffer;
  /** `JSON.parse` of `bytes`. */
  readonly value: Value;
}

/** Parses a body. @throws Refusal when it is not a JSON object */
export function readDocument(body: Buffer): Document {
  if (!isUtf8(body)) throw invalid('the body is not UTF-8');
  const bytes = withoutByteOrderMark(body);
  const value = parse(bytes.toString('utf8'));
  if (!isObject(value)) throw invalid('the body is JSON, but not an object');
  return { bytes, value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`the body ${jsonProblem(text) ?? 'is not valid JSON'}`, cause);
  }
}

function invalid(message: string, cause?: unknown): Refusal {
  return new Refusal(400, 'invalid_json', message, { cause });
}
