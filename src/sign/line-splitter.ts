import { UsageError } from '../errors.js';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A line is held in memory; no request that was recorded comes near this. */
const longestLine = 256 * 1024 * 1024;

/** Cuts chunks of bytes into lines without a promise a line. */
export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Hands over a last line that has no line end. */
  end(): void;
}

/**
 * Calls `onLine` with each line and its number, from 1. Lines end at byte 0x0A alone; a CR before
 * it and a byte order mark at the start are dropped, blank lines are counted and left out.
 *
 * @throws UsageError from `push`, when a line is longer than 256 MiB
 */
export function splitLines(onLine: (line: Buffer, number: number) => void): LineSplitter {
  let number = 0;
  let parts: Buffer[] = [];
  let held = 0;

  const emit = (last: Buffer): void => {
    const whole = parts.length === 0 ? last : Buffer.concat([...parts, last]);
    parts = [];
    held = 0;
    const line = trimmed(whole, ++number === 1);
    if (!isBlank(line)) onLine(line, number);
  };

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        emit(chunk.subarray(start, end));
        start = end + 1;
      }
      if (start === chunk.length) return;
      parts.push(chunk.subarray(start));
      held += chunk.length - start;
      if (held > longestLine) throw tooLong(number + 1);
    },
    end() {
      if (parts.length > 0) emit(Buffer.alloc(0));
    },
  };
}

function tooLong(number: number): UsageError {
  const message = `line ${number} is longer than 256 MiB; give a file with one request a line`;
  return new UsageError(message, 'line_too_long');
}

function trimmed(line: Buffer, isFirst: boolean): Buffer {
  const start = isFirst && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
  return line.subarray(start, line.at(-1) === carriageReturn ? -1 : line.length);
}

function isBlank(line: Buffer): boolean {
  for (const byte of line)
    if (byte !== 0x20 && byte !== 0x09 && byte !== carriageReturn) return false;
  return true;
}
