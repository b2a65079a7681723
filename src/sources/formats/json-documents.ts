import { isObject } from '../../json/is-object.js';

import { scanValue, skipSpace } from './json-value.js';
import type { Detection, Format, Sample } from './kinds.js';

const lineFeed = 0x0a;

/** So many lines within one value are no accident: two could be damaged lines of an NDJSON file. */
const certainLines = 3;
const certainBytes = 64 * 1024;

/** The line of the bracket and that of one member: `{` and `}` alone are two damaged lines. */
const documentLines = 2;

/**
 * Tells an array of events, an object with such an array, HAR, and pretty-printed objects from NDJSON.
 *
 * @param at the offset of the first `{` or `[`
 */
export function jsonFormat(sample: Sample, at: number): Detection {
  const { start, isAll, isEnough } = sample;
  const { state, end } = scanValue(start, at);
  if (state === 'invalid') return 'unknown';
  if (state === 'open') return formatOfOpen(sample, at);
  const next = skipSpace(start, end);
  const isAlone = next === start.length;
  if (!isAlone && !areDocuments(start, [at, end], next)) return 'unknown';
  const format = formatOfWhole(start, at, end);
  return isAlone && !isAll && !isEnough && format !== 'unknown' ? 'more' : format;
}

/** Of a value that is longer than the sample, which is certain only if it stays one for a while. */
function formatOfOpen({ start, isAll, isEnough }: Sample, at: number): Detection {
  if (!isAll && start.length < certainBytes) return 'more';
  if (hasLines(start, at, start.length, certainLines)) return formatOfStart(start, at);
  if (isAll) return 'unknown';
  if (!isEnough) return 'more';
  // A line beyond the limit is not an event, but it may be the whole file.
  if (harBeginning.test(textAt(start, at))) return 'har';
  if (arrayOfObjects.test(textAt(start, at))) return 'json-array';
  return listAt(start, at) ?? 'unknown';
}

/** Whether a second value follows that has lines of its own as well, as `jq .` prints them. */
function areDocuments(start: Buffer, [at, end]: readonly [number, number], next: number): boolean {
  if (!hasLines(start, at, end, documentLines)) return false;
  const second = scanValue(start, next);
  return second.state !== 'invalid' && hasLines(start, next, second.end, documentLines);
}

function formatOfWhole(start: Buffer, at: number, end: number): Format | 'unknown' {
  const value = parse(start.toString('utf8', at, end));
  if (Array.isArray(value)) return 'json-array';
  if (isObject(value) && !isOneEvent(value)) {
    if (isHar(value)) return 'har';
    const list = listIn(value);
    if (list) return list;
  }
  return hasLines(start, at, end, 1) && isObject(value) ? 'json-object' : 'unknown';
}

/** Members whose array is the events of a file. */
const lists = { batch: 'json-batch', events: 'json-events', data: 'json-data' } as const;

function listIn(value: Readonly<Record<string, unknown>>): Format | undefined {
  const names = Object.keys(lists) as (keyof typeof lists)[];
  const name = names.find((each) => Array.isArray(value[each]) && value[each].some(isObject));
  return name && lists[name];
}

function isHar({ log }: Readonly<Record<string, unknown>>): boolean {
  return isObject(log) && Array.isArray(log.entries);
}

/** An event, or a row of a list of users, may have a member called `events` as well. */
function isOneEvent(value: Readonly<Record<string, unknown>>): boolean {
  return ['type', 'userId', 'anonymousId'].some((name) => typeof value[name] === 'string');
}

const arrayOfObjects = /^\[\s*\{/;
const harBeginning = /^\{\s*"log"\s*:\s*\{/;

function formatOfStart(start: Buffer, at: number): Format {
  if (start[at] === openArray) return 'json-array';
  if (harBeginning.test(textAt(start, at))) return 'har';
  return listAt(start, at) ?? 'json-object';
}

const openArray = 0x5b;
const quote = 0x22;
const memberName = /^"((?:[^"\\]|\\.)*)"\s*:\s*/;
const scalar = /^(?:"(?:[^"\\]|\\.)*"|[\w.+-]+)/;

/**
 * The first of the known lists among the members of the object at `at`, as far as there are bytes.
 */
export function listAt(start: Buffer, at: number): Format | undefined {
  for (let next = skipSpace(start, at + 1); start[next] === quote;) {
    const [beginning, name = ''] = memberName.exec(textAt(start, next)) ?? [];
    if (beginning === undefined) return undefined;
    const value = next + Buffer.byteLength(beginning, 'latin1');
    if (start[value] === openArray && name in lists) return lists[name as keyof typeof lists];
    const end = endOf(start, value);
    if (end === undefined) return undefined;
    next = skipSpace(start, skipSpace(start, end) + 1);
  }
  return undefined;
}

function endOf(start: Buffer, at: number): number | undefined {
  if (start[at] !== openArray && start[at] !== 0x7b) {
    const text = scalar.exec(start.toString('latin1', at))?.[0];
    return text === undefined ? undefined : at + text.length;
  }
  const { state, end } = scanValue(start, at);
  return state === 'complete' ? end : undefined;
}

/** Enough for white space and a name. */
function textAt(start: Buffer, at: number): string {
  return start.toString('latin1', at, at + 4096);
}

/** Whether at least `count` lines that are not blank end between `from` and `to`. */
function hasLines(start: Buffer, from: number, to: number, count: number): boolean {
  let found = 0;
  let at = skipSpace(start, from);
  while (at < to && found < count) {
    const end = start.indexOf(lineFeed, at);
    if (end === -1 || end >= to) return false;
    found++;
    at = skipSpace(start, end);
  }
  return found >= count;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
