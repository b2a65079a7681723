const lineFeed = 0x0a;
/** Where the first digit of the status stands, behind `HTTP/1.1 `. */
const statusAt = 9;
const digitOne = 0x31;
/** Longer first lines, and longer interim answers, are left to undici, which refuses them. */
const maxHeldBytes = 16 * 1024;
const nothing = Buffer.alloc(0);

/**
 * The beginning of the answer to one request, looked at before undici does: it ends the connection
 * at an unasked `100 Continue`, which a server may send (RFC 9110 section 15.2), and does not tell
 * the status of an answer that it cannot read to the end.
 *
 * The first line is held back until it is whole, interim answers are dropped.
 */
export class AnswerHead {
  #bytes: Buffer = nothing;
  #isPassed = false;
  #interim: number | undefined;

  /** Takes what came next, and returns what undici is to read, if anything yet. */
  take(chunk: Buffer): Buffer | null {
    if (this.#isPassed) return chunk;
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    while (isInterim(this.#bytes)) {
      const end = endOfHead(this.#bytes);
      if (end === -1) break;
      this.#interim = statusOf(this.#bytes);
      this.#bytes = this.#bytes.subarray(end);
    }
    if (isUndecided(this.#bytes)) return null;
    this.#isPassed = true;
    return this.#bytes;
  }

  /** Whether not a byte has come. */
  get isEmpty(): boolean {
    return this.#bytes.length === 0 && this.#interim === undefined;
  }

  /** The last status that a whole first line has told, interim ones included. */
  get status(): number | undefined {
    return this.#bytes.length === 0 ? this.#interim : statusOf(this.#bytes);
  }
}

/** Whether more must come before it is clear what undici may see. */
function isUndecided(bytes: Buffer): boolean {
  if (bytes.length >= maxHeldBytes) return false;
  if (isInterim(bytes)) return true;
  return !bytes.includes(lineFeed) && 'HTTP/'.startsWith(bytes.toString('latin1', 0, 5));
}

const interimForm = /^HTTP\/1\.[01] 1(?!01)\d\d(?: [^\r\n]*)?\r?\n/;

/** 101 is none: it ends the talk in HTTP, so it is a last word. */
function isInterim(bytes: Buffer): boolean {
  return (
    bytes[statusAt] === digitOne && interimForm.test(bytes.toString('latin1', 0, maxHeldBytes))
  );
}

/** Offset behind the empty line that ends a head; -1 while it is not there. */
function endOfHead(bytes: Buffer): number {
  const end = /\n\r?\n/.exec(bytes.toString('latin1', 0, maxHeldBytes));
  return end ? end.index + end[0].length : -1;
}

const firstLine = /^HTTP\/1\.\d (\d+)(?: [^\r\n]*)?\r?\n/;

function statusOf(bytes: Buffer): number | undefined {
  const digits = firstLine.exec(bytes.toString('latin1', 0, maxHeldBytes))?.[1];
  if (digits === undefined) return undefined;
  const status = Number(digits);
  const isFinal = status >= 200 && status <= 599;
  return isFinal && digits.length !== 3 ? undefined : status;
}
