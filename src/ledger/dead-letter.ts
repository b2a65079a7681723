import { isUtf8 } from 'node:buffer';
import type { AttemptResult, Outcome } from '../delivery/outcome.js';
import type { Origin } from '../events/event.js';
import { lineTooLong } from '../events/rules.js';
import { splitEntry } from '../sources/entry-name.js';

/** What a dead letter is written from. */
export interface DeadLetter {
  readonly outcome: Outcome;
  readonly origin: Origin;
  /** The event's own text, or the line if it could not be parsed as an event. */
  readonly bytes: Buffer;
  readonly isJson: boolean;
  /** The messageId for the next delivery, if the event's text has none. */
  readonly givenId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether its line is told by `offset`, in place of `line`. Default false. */
  readonly locatesByOffset?: boolean | undefined;
  /** Whether its line is a row of a table. Default false. */
  readonly isRow?: boolean | undefined;
  /** The member that has the text. Default: `event`. */
  readonly member?: 'event' | 'request' | undefined;
}

/**
 * One line of a dead-letter file: the reason and the origin, what the last response said, then the event's own text unchanged, so
 * that the file can be imported as it is. A line that is not JSON is in `raw`, or in `rawBase64` if it is
 * not UTF-8 or would be much longer: JSON has six characters for one control character. Of a line that was too long to read, this is only the beginning,
 * and `offset` and `length` (bytes in the inflated file) locate the line.
 */
export function deadLetterLine(deadLetter: DeadLetter): Buffer {
  const { outcome, origin, at, givenId } = deadLetter;
  const last = lastFailed(outcome);
  const description = JSON.stringify({
    type: 'dead-letter',
    reason: outcome.verdict === 'rejected' ? 'rejected' : 'failed',
    code: outcome.code,
    message: outcome.message,
    ...splitEntry(origin.file),
    ...placeOf(deadLetter),
    attempts: outcome.attemptCount ?? outcome.attempts.length,
    lastStatus: last?.status ?? null,
    url: last?.url ?? null,
    response: last?.response,
    at: new Date(at).toISOString(),
    messageId: givenId,
  });
  return Buffer.concat([
    Buffer.from(description.slice(0, -1)),
    ...content(deadLetter),
    Buffer.from('}\n'),
  ]);
}

function placeOf({
  outcome,
  origin,
  locatesByOffset,
  isRow,
}: DeadLetter): Partial<Origin> & { row?: number } {
  const { line, offset, length } = origin;
  const hasOffset = !isRow && (locatesByOffset || outcome.code === lineTooLong);
  return {
    ...(isRow ? { row: line } : !locatesByOffset && { line }),
    ...(hasOffset && { offset }),
    ...(outcome.code === lineTooLong && { length }),
  };
}

/** Of several URLs, one that did not take the event. */
function lastFailed({ attempts }: Outcome): AttemptResult | undefined {
  return attempts.findLast(({ verdict }) => verdict !== 'delivered') ?? attempts.at(-1);
}

/** In pieces, which are joined only once, since the text may be large. */
function content({ outcome, bytes, isJson, member = 'event' }: DeadLetter): Buffer[] {
  if (isJson) return [Buffer.from(`,"${member}":`), onOneLine(bytes)];
  const isBeginning = outcome.code === lineTooLong;
  const isMuchLonger = !isBeginning && escapedBytes(bytes) > 1.5 * bytes.length + readableBytes;
  if (isMuchLonger || !isUtf8(bytes))
    return [Buffer.from(`,"rawBase64":"${bytes.toString('base64')}"`)];
  return [Buffer.from(`,"raw":${JSON.stringify(bytes.toString('utf8'))}`)];
}

/** Short lines stay readable, whatever they hold. */
const readableBytes = 200;

/** The length of a UTF-8 text as a JSON string, without its quotes. */
function escapedBytes(bytes: Buffer): number {
  let length = bytes.length;
  for (const byte of bytes) {
    if (byte < 0x20) length += shortEscapes.has(byte) ? 1 : 5;
    else if (byte === 0x22 || byte === 0x5c) length++;
  }
  return length;
}

/** `\b`, `\t`, `\n`, `\f`, `\r`. */
const shortEscapes: ReadonlySet<number> = new Set([8, 9, 10, 12, 13]);

/** In JSON text, a line feed can only be between tokens, where a space means the same. */
function onOneLine(bytes: Buffer): Buffer {
  if (!bytes.includes(0x0a)) return bytes;
  return Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)));
}
