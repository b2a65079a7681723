import { isUtf8 } from 'node:buffer';
import { EvfwdError, UsageError } from '../errors.js';
import { withoutByteOrderMark } from './byte-order-mark.js';
import { isObjectText } from './set-in.js';

/** Reads a whole file; `-` is standard input. */
export type ReadText = (path: string) => Promise<Buffer>;

/**
 * The JSON object of a flag: its text, `@file`, or `-` or `@-` for standard input. Nothing inside is
 * changed; space around it and a byte order mark are dropped.
 *
 * @throws UsageError that names the flag, without quoting the text.
 */
export async function readObject(flag: string, given: string, readText: ReadText): Promise<Buffer> {
  const path = given === '-' ? '-' : given.startsWith('@') ? given.slice(1) : undefined;
  if (path === undefined) return objectText(flag, Buffer.from(given));
  const place = path === '-' ? `${flag} (standard input)` : `${flag} @${path}`;
  return objectText(place, await readFrom(place, path, readText));
}

/**
 * Checks that bytes are the text of one JSON object, and drops the space around it.
 *
 * @param place Where the text is from, for the error: a flag, or a flag and its file.
 */
export function objectText(place: string, bytes: Buffer): Buffer {
  if (!isUtf8(bytes)) throw new UsageError(`${place} is not UTF-8 text; convert it first`);
  const text = withoutByteOrderMark(bytes).toString('utf8');
  const problem = jsonProblem(text);
  if (problem) throw new UsageError(`${place} ${severalLines(text, place) ?? problem}`);
  const object = Buffer.from(text.trim());
  if (isObjectText(object)) return object;
  const isArray = object.toString('utf8', 0, 1) === '[';
  throw new UsageError(
    isArray && isEvent(place)
      ? `${place} must be a JSON object, not a JSON array; pass one event, or write one per line and use evfwd import`
      : `${place} must be a JSON object: {…}`,
  );
}

/** Says that a text with one JSON value per line is not one event. */
function severalLines(text: string, place: string): string | undefined {
  if (!isEvent(place)) return undefined;
  const [first, second] = text.split('\n').filter((line) => line.trim() !== '');
  if (second === undefined || jsonProblem(first!)) return undefined;
  return 'has several lines of JSON; use evfwd import to send each line as an event';
}

function isEvent(place: string): boolean {
  return place.startsWith('--data');
}

/** What is wrong with a JSON text, as the end of a sentence; it does not quote the text. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    if (text.trim() === '') return 'is empty, not JSON';
    const position = / in JSON at position (\d+)(?: \(|$)/.exec((error as Error).message)?.[1];
    if (position === undefined) return 'is not valid JSON';
    const before = text.slice(0, Number(position)).split('\n');
    const column = before.at(-1)!.length + 1;
    return `is not valid JSON at line ${before.length}, column ${column}`;
  }
}

async function readFrom(place: string, path: string, readText: ReadText): Promise<Buffer> {
  try {
    return await readText(path);
  } catch (cause) {
    if (cause instanceof EvfwdError) throw cause;
    const { code = 'unreadable' } = cause as NodeJS.ErrnoException;
    throw new UsageError(`cannot read ${place} (${code}); check the path`, 'usage', { cause });
  }
}
