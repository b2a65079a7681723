import { open } from 'node:fs/promises';
import { shortened } from '../../delivery/response-excerpt.js';
import type { EventRecord } from '../event-record.js';

/**
 * Bytes of a response's body in a line of the log, which has some 300 bytes without it. With all headers
 * that are kept, each as long as it may be, a line has at most 8 KB of ASCII; the usual response of an error
 * adds less than 500 bytes. The files of the log are limited as a whole.
 */
const maxLoggedBody = 1_024;

/** The final result of an event as a line, without its newline: the values in the order of `names`. */
export function logLine(entry: EventRecord): string {
  return JSON.stringify([
    entry.at,
    entry.state,
    entry.source,
    entry.destination,
    entry.messageId,
    entry.type,
    entry.name,
    entry.user,
    entry.receivedAt,
    entry.attempts,
    entry.status,
    entry.error,
    Math.round(entry.durationMs * 10) / 10,
    entry.code,
    entry.message,
    ...(entry.response ? [shortened(entry.response, maxLoggedBody)] : []),
  ]);
}

/** Undefined for a line that a crash has truncated. */
export function readLogLine(line: string): EventRecord | undefined {
  try {
    const values = JSON.parse(line) as unknown[];
    if (!Array.isArray(values) || !lengths.has(values.length)) return undefined;
    const entry = Object.fromEntries(names.map((name, i) => [name, values[i] ?? null]));
    return { ...(entry as unknown as EventRecord), nextAt: null, endpoints: [] };
  } catch {
    return undefined;
  }
}

const names: readonly (keyof EventRecord)[] = [
  ...(['at', 'state', 'source', 'destination', 'messageId', 'type', 'name', 'user'] as const),
  ...(['receivedAt', 'attempts', 'status', 'error', 'durationMs', 'code', 'message'] as const),
  // Only if there was one.
  'response',
];
const lengths = new Set([names.length - 1, names.length]);

/** Read and searched at once; small, so that nothing else is blocked for long. */
const chunkBytes = 256 * 1024;

/** Chunks of whole lines in file order, the last perhaps with a partial line that a crash has left. */
export async function* chunksOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path).catch(() => undefined);
  if (!file) return;
  try {
    let rest = Buffer.alloc(0);
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes);
      if (bytesRead === 0) break;
      const read = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      const end = read.lastIndexOf(10) + 1;
      yield read.subarray(0, end);
      rest = read.subarray(end);
    }
    if (rest.length > 0) yield rest;
  } finally {
    await file.close();
  }
}
