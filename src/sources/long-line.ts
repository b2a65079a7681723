import type { Problem } from '../events/event.js';
import type { Line } from './lines.js';
import { maxLineBytes } from './open-line.js';
import { lineTooLong } from '../events/rules.js';

/** The problem of a line that is too long: its text is only the beginning of the line. */
export function longLine(
  { bytes, line, offset, cutFrom = 0 }: Line,
  file: string,
  maxBytes = maxLineBytes,
): Problem {
  return {
    code: lineTooLong,
    message: `the line has ${cutFrom} bytes; the limit is ${maxBytes}. Split or shorten it`,
    origin: { file, line, offset, length: cutFrom },
    bytes: wholeCharacters(bytes),
    isJson: false,
  };
}

/** Without a character that is cut off at the end; bytes that are not UTF-8 stay as they are. */
function wholeCharacters(bytes: Buffer): Buffer {
  try {
    const text = new TextDecoder('utf-8', strict).decode(bytes, { stream: true });
    return bytes.subarray(0, Buffer.byteLength(text));
  } catch {
    return bytes;
  }
}

const strict = { fatal: true, ignoreBOM: true };
