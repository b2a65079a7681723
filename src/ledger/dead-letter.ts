import { isUtf8 } from 'node:buffer';
import type { AttemptResult, Outcome } from '../delivery/outcome.js';
import type { Origin } from '../events/event.js';
import { lineTooLong } from '../events/rules.js';

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
  /** The member that has the text. Default: `event`. */
  readonly member?: 'event' | 'request' | undefined;
}

/**
 * One line of a dead-letter file: the reason and the origin, what the last response said, then the event's own text unchanged, so
 * that the file can be imported as it is. A line that is not JSON is in `raw`, or in `rawBase64` if it is
 * not UTF-8 or too long for a string. Of a line that was too long to read, this is only the beginning,
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
    file: origin.file,
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
    content(deadLetter),
    Buffer.from('}\n'),
  ]);
}

function placeOf({ outcome, origin, locatesByOffset }: DeadLetter): Partial<Origin> {
  const { line, offset, length } = origin;
  return {
    ...(!locatesByOffset && { line }),
    ...((locatesByOffset || outcome.code === lineTooLong) && { offset }),
    ...(outcome.code === lineTooLong && { length }),
  };
}

/** Of several URLs, one that did not take the event. */
function lastFailed({ attempts }: Outcome): AttemptResult | undefined {
  return attempts.findLast(({ verdict }) => verdict !== 'delivered') ?? attempts.at(-1);
}

/** JSON may need six characters for one, and a string of V8 has at most 2^29. */
const maxRawBytes = 16 * 1024 * 1024;

function content({ bytes, isJson, member = 'event' }: DeadLetter): Buffer {
  if (isJson) return Buffer.concat([Buffer.from(`,"${member}":`), onOneLine(bytes)]);
  if (bytes.length > maxRawBytes || !isUtf8(bytes))
    return Buffer.from(`,"rawBase64":"${bytes.toString('base64')}"`);
  return Buffer.from(`,"raw":${JSON.stringify(bytes.toString('utf8'))}`);
}

/** In JSON text, a line feed can only be between tokens, where a space means the same. */
function onOneLine(bytes: Buffer): Buffer {
  if (!bytes.includes(0x0a)) return bytes;
  return Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)));
}
