import { isUtf8 } from 'node:buffer';
import { withoutByteOrderMark } from '../../json/byte-order-mark.js';
import { isObject } from '../../json/is-object.js';
import { ObjectText } from '../../json/object-text.js';
import { jsonProblem } from '../../json/source.js';
import { Refusal } from './refusal.js';

export type Value = Readonly<Record<string, unknown>>;

/** The body of a request: UTF-8, and a JSON object, which is checked when it is first read. */
export class Document {
  readonly bytes: Buffer;
  #value: Value | undefined;
  #object: ObjectText | undefined;

  /** @throws Refusal when the body is not UTF-8 */
  constructor(body: Buffer) {
    if (!isUtf8(body)) throw invalid('the body is not UTF-8');
    this.bytes = withoutByteOrderMark(body);
  }

  /** `JSON.parse` of the body. @throws Refusal when it is not a JSON object */
  get value(): Value {
    return (this.#value ??= objectIn(this.bytes));
  }

  /** The members of the body as text. @throws Refusal as `value` does */
  get object(): ObjectText {
    return (this.#object ??= this.#readObject());
  }

  #readObject(): ObjectText {
    const object = new ObjectText(this.bytes);
    // Refused with the reason that `JSON.parse` gives.
    if (!object.isValid) this.#value = objectIn(this.bytes);
    return object;
  }
}

function objectIn(bytes: Buffer): Value {
  const value = parse(bytes.toString('utf8'));
  if (!isObject(value)) throw invalid('the body is JSON, but not an object');
  return value;
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
