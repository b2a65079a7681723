/** How far the bytes follow the grammar of one JSON value. */
export interface ValueScan {
  /** `open`: the bytes end within the value. */
  readonly state: 'complete' | 'open' | 'invalid';
  /** Behind the value if it is complete, else where the scan stopped. */
  readonly end: number;
}

const openObject = 0x7b;
const closeObject = 0x7d;
const openArray = 0x5b;
const closeArray = 0x5d;
const quote = 0x22;
const backslash = 0x5c;

/**
 * Scans the object or array that begins at `start`, in one pass and without recursion. Escapes and the
 * encoding are not checked: this only tells the shape of a file.
 */
export function scanValue(bytes: Buffer, start: number): ValueScan {
  const scan = new Scan(bytes, start);
  for (;;) {
    const state = scan.step();
    if (state) return { state, end: scan.at };
  }
}

type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'commaOrEnd';

class Scan {
  at: number;
  readonly #bytes: Buffer;
  readonly #closers: number[] = [];
  #expected: Expected = 'value';

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.at = start;
  }

  /** Passes one token; returns a state where the scan ends. */
  step(): ValueScan['state'] | undefined {
    this.at = skipSpace(this.#bytes, this.at);
    const byte = this.#bytes[this.at];
    if (byte === undefined) return 'open';
    if (byte === this.#closers.at(-1) && this.#mayEnd()) return this.#close();
    switch (this.#expected) {
      case 'colon':
        return this.#pass(byte === 0x3a, 'value');
      case 'commaOrEnd':
        return this.#pass(byte === 0x2c, this.#closers.at(-1) === closeObject ? 'key' : 'value');
      case 'key':
      case 'keyOrEnd':
        return byte === quote ? this.#string('colon') : 'invalid';
      default:
        return this.#value(byte);
    }
  }

  #mayEnd(): boolean {
    return ['valueOrEnd', 'keyOrEnd', 'commaOrEnd'].includes(this.#expected);
  }

  #close(): 'complete' | undefined {
    this.at++;
    this.#closers.pop();
    this.#expected = 'commaOrEnd';
    return this.#closers.length === 0 ? 'complete' : undefined;
  }

  #pass(isExpected: boolean, next: Expected): 'invalid' | undefined {
    if (!isExpected) return 'invalid';
    this.at++;
    this.#expected = next;
    return undefined;
  }

  #value(byte: number): ValueScan['state'] | undefined {
    if (byte === quote) return this.#string('commaOrEnd');
    if (byte !== openObject && byte !== openArray) return this.#scalar();
    this.at++;
    this.#closers.push(byte === openObject ? closeObject : closeArray);
    this.#expected = byte === openObject ? 'keyOrEnd' : 'valueOrEnd';
    return undefined;
  }

  #string(next: Expected): 'open' | 'invalid' | undefined {
    for (let at = this.at + 1; at < this.#bytes.length; at++) {
      const byte = this.#bytes[at]!;
      if (byte === backslash) at++;
      else if (byte < 0x20) return 'invalid';
      else if (byte === quote) {
        this.at = at + 1;
        this.#expected = next;
        return undefined;
      }
    }
    return 'open';
  }

  #scalar(): 'open' | 'invalid' | undefined {
    let end = this.at;
    while (isScalarByte(this.#bytes[end])) end++;
    if (end === this.#bytes.length) return 'open';
    if (!scalarForm.test(this.#bytes.toString('latin1', this.at, end))) return 'invalid';
    this.at = end;
    this.#expected = 'commaOrEnd';
    return undefined;
  }
}

const scalarForm = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

/** Letters, digits, `+`, `-`, `.`. */
function isScalarByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const letter = byte | 0x20;
  if (letter >= 0x61 && letter <= 0x7a) return true;
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

/** The offset of the next byte that is not space, a tab or a newline. */
export function skipSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
