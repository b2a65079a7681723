import type { ResponseExcerpt } from '../../delivery/outcome.js';

/** The final result of an event: one line of the delivery log. */
export interface LogEntry {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** `repeated`: its source had sent the messageId within a day. */
  readonly state: 'delivered' | 'failed' | 'skipped' | 'repeated';
  readonly source: string;
  /** Null when the entry is about no destination. */
  readonly destination: string | null;
  readonly messageId: string;
  readonly type: string;
  readonly name: string | null;
  readonly user: string | null;
  readonly receivedAt: number;
  /** All attempts. */
  readonly tries: number;
  /** Of the last attempt, like the next two. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  /** Unless delivered: why. */
  readonly code: string | null;
  readonly message: string | null;
  /** What the last response said, unless delivered. */
  readonly response: ResponseExcerpt | null;
}

/** One line, without its newline: the values in the order of `LogEntry`; the last one only if not null. */
export function logLine(entry: LogEntry): string {
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
    entry.tries,
    entry.status,
    entry.error,
    Math.round(entry.durationMs * 10) / 10,
    entry.code,
    entry.message,
    ...(entry.response ? [entry.response] : []),
  ]);
}

/** Undefined for a line that a crash has truncated. */
export function readLogLine(line: string): LogEntry | undefined {
  try {
    const values = JSON.parse(line) as unknown[];
    if (!Array.isArray(values) || !lengths.has(values.length)) return undefined;
    return Object.fromEntries(
      names.map((name, i) => [name, values[i] ?? null]),
    ) as unknown as LogEntry;
  } catch {
    return undefined;
  }
}

const names: readonly (keyof LogEntry)[] = [
  ...(['at', 'state', 'source', 'destination', 'messageId', 'type', 'name', 'user'] as const),
  ...(['receivedAt', 'tries', 'status', 'error', 'durationMs', 'code', 'message'] as const),
  'response',
];
const lengths = new Set([names.length - 1, names.length]);
