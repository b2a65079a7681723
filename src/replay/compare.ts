import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import type { AttemptResult, Verdict } from '../delivery/outcome.js';
import { verdictOfStatus } from '../delivery/verdict.js';
import type { ReceivedExcerpt } from '../http/body-excerpt.js';
import type { RecordedResponse } from './recorded-request.js';

/** What of a response must equal the recorded one. */
export type Compared = 'status' | 'body';

/** `listen` records this much of a body: a recorded one of this length may have been longer. */
const recordedBytes = 64 * 1024;
/** A response may be compressed where the recorded one is not, which is then shorter. */
const minKeptBytes = recordedBytes;

/** The verdict of the response to one request: whether it equals the recorded one. */
export class Comparison {
  readonly #recorded: RecordedResponse;
  readonly #body: Buffer | undefined;
  #hasOtherBody = false;

  constructor(recorded: RecordedResponse, compared: Compared) {
    this.#recorded = recorded;
    this.#body = compared === 'body' ? recorded.body : undefined;
  }

  /** How much of a response's body is needed, in bytes; undefined if its body is not compared. */
  get keptBytes(): number | undefined {
    return this.#body && Math.max(minKeptBytes, this.#body.length + 1);
  }

  verdictOf(status: number): Verdict {
    this.#hasOtherBody = false;
    if (status === this.#recorded.status) return 'delivered';
    const verdict = verdictOfStatus(status);
    return verdict === 'delivered' ? 'failed' : verdict;
  }

  verdictOfBody({ body, isWhole }: ReceivedExcerpt): Verdict {
    this.#hasOtherBody = !isSameBody(this.#body!, Buffer.from(body, 'latin1'), isWhole);
    return this.#hasOtherBody ? 'failed' : 'delivered';
  }

  /** Of a response that differs, how; undefined where there was no response. */
  difference({ status }: Pick<AttemptResult, 'status'>): string | undefined {
    if (status === null) return undefined;
    const recorded = `recorded ${this.#recorded.status}`;
    return this.#hasOtherBody ? `${recorded}, now with another body` : `${recorded}, now ${status}`;
  }
}

function isSameBody(recorded: Buffer, received: Buffer, isWhole: boolean): boolean {
  return [received, ...inflations(received)].some((body) => {
    if (isWhole && body.equals(recorded)) return true;
    return isBeginning(recorded, body);
  });
}

/** Whether `listen` would have recorded this of the body: a character cut at the limit is left out. */
function isBeginning(recorded: Buffer, body: Buffer): boolean {
  const { length } = recorded;
  if (length < recordedBytes - 3 || length > recordedBytes || body.length < recordedBytes)
    return false;
  const leftOut = body.subarray(length, recordedBytes);
  return (
    (leftOut.length === 0 || isPartOfCharacter(leftOut)) &&
    body.subarray(0, length).equals(recorded)
  );
}

function isPartOfCharacter(bytes: Buffer): boolean {
  const hasOneStart =
    bytes[0]! >= 0xc0 && bytes.subarray(1).every((byte) => (byte & 0xc0) === 0x80);
  return hasOneStart && !isUtf8(bytes);
}

/** Browsers record bodies inflated; what a response says of its encoding is not kept. */
function* inflations(body: Buffer): Generator<Buffer> {
  for (const inflate of [gunzipSync, inflateSync, brotliDecompressSync]) {
    try {
      yield inflate(body, { maxOutputLength: 64 * 1024 * 1024 });
    } catch {
      // It is not compressed in this way.
    }
  }
}
