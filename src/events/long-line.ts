import type { Problem } from './event.js';
import type { Line } from './lines.js';
import { maxLineBytes } from './open-line.js';
import type { Violation } from './rules.js';

/** The code of a line that is too long, and of a dead letter that holds the beginning of one. */
export const lineTooLong = 'line_too_long';

/** A line that is not read any further, as a problem: its text is the beginning of the line. */
export function longLine({ bytes, line, offset, cutFrom = 0 }: Line, file: string): Problem {
  return {
    code: lineTooLong,
    message: `the line has ${cutFrom} bytes; the limit is ${maxLineBytes}. Split or shorten it`,
    origin: { file, line, offset, length: cutFrom },
    bytes: wholeCharacters(bytes),
    isJson: false,
  };
}

/** What a dead letter is that holds such a beginning: it could look like a whole event. */
export const beginningOnly: Violation = {
  code: lineTooLong,
  message:
    'the dead letter holds only the beginning of a line that was too long; correct the line in its own file and import it from there',
};

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
