import type { Violation } from '../../events/rules.js';

/**
 * A record that is no JSON object, for a reason that only the decoder of its format knows, travels as a line
 * of its own between the lines of the others: a zero byte, which no JSON text begins with, and then the
 * reason and the record's own bytes as JSON.
 */
export interface RejectedRecord extends Violation {
  /** The record as it is in the file, or its beginning. */
  readonly bytes: Buffer;
}

const marker = 0x00;

/** How much of a record is kept. */
export const keptBytes = 64 * 1024;

/** The line that stands for a record that is rejected, without its newline. */
export function rejectedLine({ code, message }: Violation, raw: Buffer): Buffer {
  const text = JSON.stringify({ code, message, raw: raw.toString('base64', 0, keptBytes) });
  return Buffer.concat([Buffer.from([marker]), Buffer.from(text)]);
}

/** What `rejectedLine` has written; undefined for any other line. */
export function readRejected(line: Buffer): RejectedRecord | undefined {
  if (line[0] !== marker) return undefined;
  const value = parsed(line.toString('utf8', 1));
  const { code, message, raw } = value;
  if (typeof code !== 'string' || typeof message !== 'string' || typeof raw !== 'string')
    return undefined;
  return { code, message, bytes: Buffer.from(raw, 'base64') };
}

/** A line of an NDJSON file may begin with a zero byte, too. */
function parsed(text: string): { code?: unknown; message?: unknown; raw?: unknown } {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}
