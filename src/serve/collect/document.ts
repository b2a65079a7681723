import { isUtf8 } from 'node:buffer';
import { withoutByteOrderMark } from '../../json/byte-order-mark.js';
import { isObject } from '../../json/is-object.js';
import { ObjectText } from '../../json/object-text.js';
import { jsonProblem } from '../../json/source.js';
import { Refusal } from './refusal.js';

export type Value = Readonly<Record<string, unknown>>;

/** The body of a request, as UTF-8. Whether it is a JSON object is checked when that is first needed. */
export class Document {
  readonly bytes: Buffer;
  #value: Value | undefined;
  #object: ObjectText | undefined;

  /** @throws Refusal when the body is not UTF-8 */
  constructor(body: Buffer) {
    if (!isUtf8(body)) throw invalid('the body is not UTF-8');
    this.bytes = withoutByteOrderMark(body);
  }

  /** `JSON.parse` of the body, run on first use. @throws Refusal when it is not a JSON object */
  get value(): Value {
    return (this.#value ??= objectIn(this.bytes));
  }

  /** The members of the body as text. @throws Refusal as `value` does */
  get object(): ObjectText {
    return (this.#object ??= this.#readObject());
  }

  #readObject(): ObjectText {
    const object = new ObjectText(this.bytes);
    if (!object.isValid) throw reasonOf(this.bytes);
    return object;
  }
}

function objectIn(bytes: Buffer): Value {
  const value = parsed(bytes);
  if (!isObject(value)) throw reasonOf(bytes);
  return value;
}

/** Undefined for a text that is not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** Why a text is not a JSON object. */
function reasonOf(bytes: Buffer): Refusal {
  const problem = jsonProblem(bytes.toString());
  return invalid(problem ? `the body ${problem}` : 'the body is JSON, but not an object');
}

function invalid(message: string): Refusal {
  return new Refusal(400, 'invalid_json', message);
}
