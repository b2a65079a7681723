import type { ResponseExcerpt, Verdict } from '../delivery/outcome.js';

/** The parts of one line of an attempt log that a report needs. */
export interface LoggedAttempt {
  /** When the attempt began, milliseconds since 1970. */
  readonly at: number;
  /** Absent if the log does not say. */
  readonly messageId?: string;
  /** Without query, fragment and credentials. */
  readonly url: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Null if there was no response. */
  readonly status: number | null;
  /** Null if there was a response. */
  readonly error: string | null;
  readonly verdict: Verdict;
  readonly durationMs: number;
  /** What a response that is no 2xx said; absent for any other. */
  readonly response?: ResponseExcerpt;
}

/** A line that a report cannot count: of another type, or broken. */
export interface UnusableLine {
  readonly unusable: 'other' | 'broken';
  /** A few words for a person, without the location. */
  readonly message: string;
}

/** The limit of a valid id; a made-up log may have longer ones. */
const maxIdLength = 100;

const verdicts: ReadonlySet<unknown> = new Set<Verdict>(['delivered', 'retry', 'failed']);

/** Reads a line of `import --log`. Never throws. */
export function readAttemptLine(bytes: Buffer): LoggedAttempt | UnusableLine {
  const value = parse(bytes);
  if (value === undefined) return broken('not JSON');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { unusable: 'other', message: 'not an object' };
  }
  const line = value as Readonly<Record<string, unknown>>;
  return line.type === 'attempt' ? readAttempt(line) : otherType(line.type);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

function otherType(type: unknown): UnusableLine {
  const message = typeof type === 'string' ? `type ${type.slice(0, 40)}` : 'no type';
  return { unusable: 'other', message };
}

function readAttempt(line: Readonly<Record<string, unknown>>): LoggedAttempt | UnusableLine {
  const { url, attempt, status, error, verdict, durationMs } = line;
  const at = readTime(line.at);
  if (at === undefined) return broken('at is not a date and time');
  if (typeof url !== 'string') return broken('url is not text');
  if (!isWhole(attempt, 1)) return broken('attempt is not a whole number of at least 1');
  if (status !== null && !isWhole(status, 0)) return broken('status is neither a number nor null');
  if (error !== null && typeof error !== 'string') return broken('error is neither text nor null');
  if ((status === null) === (error === null)) return broken('one of status and error must be null');
  if (!verdicts.has(verdict)) return broken('verdict is not delivered, retry or failed');
  if (!isDuration(durationMs)) return broken('durationMs is not a number of at least 0');
  const { messageId } = line;
  const named = typeof messageId === 'string' && { messageId: messageId.slice(0, maxIdLength) };
  const common = {
    ...named,
    at,
    url: shown(url),
    attempt,
    verdict: verdict as Verdict,
    durationMs,
  };
  const response = readResponse(line.response);
  return { ...common, status, error, ...(response && { response }) };
}

/** Undefined for anything else: a report only shows it. */
function readResponse(value: unknown): ResponseExcerpt | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { headers, body, bodyBase64 } = value as Partial<Record<string, unknown>>;
  if (typeof headers !== 'object' || headers === null) return undefined;
  if (!Object.values(headers).every((text) => typeof text === 'string')) return undefined;
  const named = { headers: headers as Record<string, string> };
  if (typeof body === 'string') return { ...named, body };
  return typeof bodyBase64 === 'string' ? { ...named, bodyBase64 } : undefined;
}

function broken(message: string): UnusableLine {
  return { unusable: 'broken', message };
}

/** `Date.parse` alone accepts too much: "1" is a day in 2001. */
function readTime(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\dT/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
}

function isWhole(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** A log of another program may contain what must not be shown: a query, a fragment, credentials. */
function shown(url: string): string {
  const end = url.search(/[?#]/);
  const bare = end === -1 ? url : url.slice(0, end);
  return bare.includes('@') ? bare.replace(/^([a-z][\w+.-]*:\/\/)[^/]*@/i, '$1') : bare;
}
