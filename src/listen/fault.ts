import { durationHint, durationMs } from '../duration.js';
import { UsageError } from '../errors.js';
import { eventTypes } from '../events/event.js';
import { suggestion } from '../nearest.js';
import { ruleParts, type RulePart } from '../receive/rules/rule-parts.js';

/** One fault to inject, and when. */
export interface Fault {
  /** As it was written. */
  readonly text: string;
  readonly status?: number;
  readonly delayMs?: number;
  /** Between two bytes of the response body. */
  readonly slowMs?: number;
  readonly ending?: 'truncate' | 'reset' | 'hang';
  /** Share of the requests that it matches, 0 to 1. */
  readonly rate?: number;
  /** Applies only to this many requests. */
  readonly first?: number;
  readonly type?: string;
  /** The whole path, without the query. */
  readonly path?: string;
}

/**
 * Reads a fault: parts separated by commas, like `status=503,rate=10%`. A comma inside of a
 * path is written `\,`.
 *
 * @throws UsageError that names `--fault` and the part that is wrong
 */
export function parseFault(text: string): Fault {
  const fault: Writable = { text: text.trim() };
  const given = new Set<string>();
  for (const part of ruleParts(text)) readPart(part, fault, given);
  checkWhole(fault, given);
  return fault;
}

type Writable = { -readonly [Name in keyof Fault]: Fault[Name] };

function readPart(part: RulePart, fault: Writable, given: Set<string>): void {
  const { name } = part;
  const value = part.value?.trim();
  if (given.has(name)) throw wrong(fault, `${name} is duplicated; keep one`);
  given.add(name);
  if (name === 'reset' || name === 'hang' || name === 'truncate') {
    if (value !== undefined) throw wrong(fault, `${name} does not accept a value`);
    if (fault.ending)
      throw wrong(fault, `${fault.ending} and ${name} cannot be combined; keep one`);
    fault.ending = name;
    return;
  }
  const read = readers[name];
  if (!read) throw wrong(fault, unknownPart(name));
  if (!value) throw wrong(fault, `${name} needs a value, like ${examples[name]!}`);
  read(value, fault);
}

const examples: Readonly<Record<string, string>> = {
  status: 'status=503',
  delay: 'delay=2s',
  slow: 'slow=100ms',
  rate: 'rate=10%',
  first: 'first=2',
  type: 'type=track',
  path: 'path=/hook',
};

const readers: Readonly<Record<string, (value: string, fault: Writable) => void>> = {
  status: (value, fault) => {
    if (!/^[2-5]\d\d$/.test(value)) throw wrong(fault, 'status must be a number from 200 to 599');
    fault.status = Number(value);
  },
  delay: (value, fault) => (fault.delayMs = duration('delay', value, fault)),
  slow: (value, fault) => (fault.slowMs = duration('slow', value, fault)),
  rate: (value, fault) => {
    const percent = /^(\d+(?:\.\d+)?)%$/.exec(value)?.[1];
    if (percent === undefined || Number(percent) > 100)
      throw wrong(
        fault,
        `rate must be a share of requests from 0% to 100%, like ${examples.rate!}`,
      );
    fault.rate = Number(percent) / 100;
  },
  first: (value, fault) => {
    if (!/^[1-9]\d{0,14}$/.test(value))
      throw wrong(fault, `first must be a whole number of at least 1, like ${examples.first!}`);
    fault.first = Number(value);
  },
  type: (value, fault) => {
    if (!(eventTypes as readonly string[]).includes(value))
      throw wrong(fault, `"${value}" is not an event type; ${suggestion(value, eventTypes)}`);
    fault.type = value;
  },
  path: (value, fault) => {
    if (!value.startsWith('/') || value.includes('?'))
      throw wrong(fault, 'path must begin with / and have no query, like path=/hook');
    fault.path = value;
  },
};

function duration(name: string, value: string, fault: Writable): number {
  const ms = durationMs(value);
  if (ms === undefined)
    throw wrong(fault, `${name}: "${value}" is not a duration; ${durationHint}`);
  return ms;
}

function unknownPart(name: string): string {
  const names = [...Object.keys(readers), 'reset', 'hang', 'truncate'];
  if (name === '') return `a part is empty; write it like ${examples.status!},${examples.rate!}`;
  return `"${name}" is not a part of a fault; ${suggestion(name, names)}`;
}

function checkWhole(fault: Fault, given: ReadonlySet<string>): void {
  const { ending, status, delayMs, slowMs } = fault;
  if (ending === undefined && status === undefined && delayMs === undefined && slowMs === undefined)
    throw wrong(fault, 'it does nothing; add status, delay, reset, hang, truncate or slow');
  if (given.has('rate') && given.has('first'))
    throw wrong(fault, 'rate and first cannot be combined; keep one, or write two faults');
  if (ending !== 'reset' && ending !== 'hang') return;
  const other = status === undefined ? slowMs !== undefined && 'slow' : 'status';
  if (other)
    throw wrong(fault, `${ending} sends no response, so it cannot be combined with ${other}`);
  if (ending === 'hang' && delayMs !== undefined)
    throw wrong(fault, 'hang never responds, so it cannot be combined with delay');
}

function wrong({ text }: Fault, what: string): UsageError {
  // The query of a URL may hold a secret.
  const shown = text.replace(/\?.*/s, '?…');
  return new UsageError(`--fault "${shown}": ${what}`, 'invalid_fault');
}
