import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { connectionHeaders, headerValues } from '../../http/header-rules.js';
import { maxBodyBytes, type Answer } from './client.js';
import { compareJson, type ComparisonRules } from './compare-json.js';
import { isIgnored } from './ignore.js';
import { readJsonBody, type JsonValue } from './json-value.js';
import type { Difference, DifferenceKind, Shown } from './noise.js';

export interface AnswerRules extends ComparisonRules {
  readonly comparesHeaders: boolean;
}

/**
 * What differs between two responses. Where one says success and the other failure, or where the status of only one
 * excludes a body, their bodies are about different things, and only the status is compared.
 */
export function compareAnswers(
  baseline: Answer,
  candidate: Answer,
  rules: AnswerRules,
): Difference[] {
  const found: Difference[] = [];
  const add = (
    kind: DifferenceKind,
    at: readonly string[],
    one: Shown | undefined,
    other: Shown | undefined,
  ): void => {
    const difference = { kind, at, baseline: one, candidate: other };
    if (isIgnored(rules.ignored, at, at) || rules.noise.covers(difference)) return;
    found.push(difference);
  };
  if (baseline.status !== candidate.status) {
    add('status', ['status'], baseline.status, candidate.status);
    if (isAboutAnother(baseline, candidate)) return found;
  }
  const types = [contentTypeOf(baseline), contentTypeOf(candidate)] as const;
  if (normalType(types[0]) !== normalType(types[1])) {
    add('content-type', ['content-type'], shownText(types[0]), shownText(types[1]));
  }
  if (rules.comparesHeaders) {
    for (const [kind, name, one, other] of headersThatDiffer(baseline, candidate)) {
      add(kind, ['header', name], shownText(one), shownText(other));
    }
  }
  const [one, other] = [bodyOf(baseline), bodyOf(candidate)];
  if (one.equals(other) && baseline.isCut === candidate.isCut) return found;
  const values = [jsonOf(baseline, one), jsonOf(candidate, other)] as const;
  if (values[0] && values[1]) {
    return [...found, ...compareJson(values[0], values[1], ['body'], rules)];
  }
  add('body', ['body'], ...bytesAround(one, other));
  return found;
}

const withoutBody = new Set([204, 205, 304]);

function isAboutAnother({ status: one }: Answer, { status: other }: Answer): boolean {
  if (Math.floor(one / 100) !== Math.floor(other / 100)) return true;
  return withoutBody.has(one) !== withoutBody.has(other);
}

function contentTypeOf({ headers }: Answer): string | undefined {
  return headerValues(headers, 'content-type').join(', ') || undefined;
}

/** Names have no case, and the spaces around parameters say nothing. */
function normalType(type: string | undefined): string | undefined {
  return type?.toLowerCase().replace(/\s*([;=,])\s*/g, '$1');
}

/** Those of each message, and those that have a kind of difference of their own. */
const notCompared = new Set([...connectionHeaders, 'date', 'age', 'content-type']);

type DifferentHeader = readonly [
  kind: 'value' | 'missing' | 'added',
  name: string,
  baseline: string | undefined,
  candidate: string | undefined,
];

function headersThatDiffer(baseline: Answer, candidate: Answer): DifferentHeader[] {
  const [ones, others] = [headersOf(baseline), headersOf(candidate)];
  const names = [...new Set([...ones.keys(), ...others.keys()])].sort();
  return names.flatMap((name): DifferentHeader[] => {
    const [one, other] = [ones.get(name), others.get(name)];
    if (one === other) return [];
    if (one === undefined) return [['added', name, one, other]];
    return [[other === undefined ? 'missing' : 'value', name, one, other]];
  });
}

/** By their names in lower case; one that is there several times is one text. */
function headersOf({ headers }: Answer): Map<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i]!.toLowerCase();
    if (notCompared.has(name)) continue;
    const before = found.get(name);
    found.set(name, before === undefined ? headers[i + 1]! : `${before}, ${headers[i + 1]!}`);
  }
  return found;
}

const inflations: Readonly<Record<string, typeof gunzipSync>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** Some handlers compress although they are asked not to. What cannot be inflated is compared as it is. */
function bodyOf({ headers, body, isCut }: Answer): Buffer {
  const encoding = headerValues(headers, 'content-encoding').join().trim().toLowerCase();
  const inflate = inflations[encoding];
  if (!inflate || isCut) return body;
  try {
    return inflate(body, { maxOutputLength: maxBodyBytes });
  } catch {
    return body;
  }
}

/** A text that says nothing of its type is JSON if it is an object or array. */
function jsonOf(answer: Answer, body: Buffer): JsonValue | undefined {
  if (answer.isCut || body.length === 0) return undefined;
  const isJson = /[/+]json\b/i.test(contentTypeOf(answer) ?? '');
  const beginning = body.toString('latin1', 0, 32);
  return isJson || /^(?:\xef\xbb\xbf)?\s*[[{]/.test(beginning) ? readJsonBody(body) : undefined;
}

/** How many bytes are shown, and how many of them are before the first that differs. */
const shownBytes = 120;
const bytesBefore = 40;

/** Where two bodies begin to differ. */
function bytesAround(one: Buffer, other: Buffer): [Shown, Shown] {
  let first = 0;
  while (first < one.length && one[first] === other[first]) first++;
  const from = Math.max(0, first - bytesBefore);
  return [part(one, from), part(other, from)];
}

function part(body: Buffer, from: number): Shown {
  if (body.length === 0) return { text: '(empty)' };
  // Not within a character.
  while (from > 0 && (body[from]! & 0xc0) === 0x80) from--;
  const bytes = body.subarray(from, from + shownBytes);
  const isText = isUtf8(body);
  const text = isText
    ? bytes.toString('utf8').replace(/\ufffd+$/, '')
    : bytes
        .subarray(0, shownBytes / 3)
        .toString('hex')
        .replace(/..(?=.)/g, '$& ');
  const after = from + shownBytes < body.length ? '…' : '';
  return { text: `${isText ? '' : 'hex '}${from > 0 ? '…' : ''}${text}${after}` };
}

function shownText(text: string | undefined): Shown | undefined {
  return text === undefined ? undefined : { text };
}
