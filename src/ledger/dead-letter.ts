import { isUtf8 } from 'node:buffer';
import type { Outcome } from '../delivery/outcome.js';
import type { Origin } from '../events/event.js';
import { lineTooLong } from '../events/rules.js';

/** What a dead letter is written from. */
export interface DeadLetter {
  readonly outcome: Outcome;
  readonly origin: Origin;
  /** The event's own text, or the line where no event could be made out. */
  readonly bytes: Buffer;
  readonly isJson: boolean;
  /** The id to send it under again, where its own text does not carry that. */
  readonly givenId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * One line of a dead-letter file: why and where, then the event's own text unchanged, so that the
 * file can be imported as it is. A line that is not JSON stands in `raw`, or `rawBase64` when it is
 * not even UTF-8, or too long for a string. Of a line that was too long to be read, the beginning
 * stands there, and `offset` and `length` (bytes, in the inflated file) say where the line is.
 */
export function deadLetterLine(letter: DeadLetter): Buffer {
  const { outcome, origin } = letter;
  const last = outcome.attempts.at(-1);
  const head = JSON.stringify({
    type: 'dead-letter',
    reason: outcome.verdict === 'rejected' ? 'rejected' : 'failed',
    code: outcome.code,
    message: outcome.message,
    file: origin.file,
    line: origin.line,
    ...(outcome.code === lineTooLong && { offset: origin.offset, length: origin.length }),
    attempts: outcome.attemptCount ?? outcome.attempts.length,
    lastStatus: last?.status ?? null,
    url: last?.url ?? null,
    at: new Date(letter.at).toISOString(),
    messageId: letter.givenId,
  });
  return Buffer.concat([Buffer.from(head.slice(0, -1)), content(letter), Buffer.from('}\n')]);
}

/** JSON may take six characters for one, and no string of V8 holds more than 2^29 of them. */
const maxRawBytes = 16 * 1024 * 1024;

function content({ bytes, isJson }: DeadLetter): Buffer {
  if (isJson) return Buffer.concat([Buffer.from(',"event":'), onOneLine(bytes)]);
  if (bytes.length > maxRawBytes || !isUtf8(bytes))
    return Buffer.from(`,"rawBase64":"${bytes.toString('base64')}"`);
  return Buffer.from(`,"raw":${JSON.stringify(bytes.toString('utf8'))}`);
}

/** A line feed in JSON text can only stand between tokens, where a space means the same. */
function onOneLine(bytes: Buffer): Buffer {
  if (!bytes.includes(0x0a)) return bytes;
  return Buffer.from(bytes.map((byte) => (byte === 0x0a ? 0x20 : byte)));
}
