import { isUtf8 } from 'node:buffer';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import {
  connectionHeaders,
  contentTypeOf,
  headerTexts,
  headerValues,
} from '../../http/header-rules.js';
import { hasByteOrderMark } from '../../json/byte-order-mark.js';
import { maxBodyBytes, type Answer } from './client.js';
import { compareJson, type ComparisonRules } from './compare-json.js';
import { readJsonBody, type JsonValue } from './json-value.js';
import type { Difference, Shown } from './noise.js';

export interface AnswerRules extends Omit<ComparisonRules, 'baselineAgain'> {
  /** The second response of the baseline to the same request, where there is one. */
  readonly baselineAgain?: Answer | undefined;
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
  const add = (difference: Difference): void => {
    const { at } = difference;
    if (rules.ignored.leavesOut(at, at) || rules.noise.covers(difference)) return;
    found.push(difference);
  };
  const [status, otherStatus] = [baseline.status, candidate.status];
  if (status !== otherStatus) {
    const seenValues = [String(status), String(otherStatus)] as const;
    add({ kind: 'status', at: ['status'], baseline: status, candidate: otherStatus, seenValues });
    if (isAboutAnother(baseline, candidate)) return found;
  }
  const [type, otherType] = [contentTypeOf(baseline.headers), contentTypeOf(candidate.headers)];
  if (normalType(type) !== normalType(otherType)) {
    add({
      ...{ kind: 'content-type', at: ['content-type'] },
      ...{ baseline: shownText(type), candidate: shownText(otherType) },
      seenValues: [withoutBoundary(type), withoutBoundary(otherType)],
    });
  }
  if (rules.comparesHeaders) {
    for (const [kind, name, one, other] of headersThatDiffer(baseline, candidate)) {
      const values = { baseline: shownText(one), candidate: shownText(other) };
      add({ kind, at: ['header', name], ...values, ...(kind !== 'value' && presence) });
    }
  }
  return [...found, ...compareBodies(baseline, candidate, rules)];
}

/** One difference of kind `body` at `body` where they are not compared as JSON, also if it is noise. */
function compareBodies(baseline: Answer, candidate: Answer, rules: AnswerRules): Difference[] {
  const { ignored, noise, learns } = rules;
  const at = ['body'];
  const [one, other] = [bodyOf(baseline), bodyOf(candidate)];
  if (one.equals(other) && baseline.isCut === candidate.isCut) return [];
  if (ignored.leavesOut(at, at)) return [];
  if (!learns && noise.hasPart(at)) {
    return [{ kind: 'body', at, baseline: undefined, candidate: undefined }];
  }
  const values = [jsonOf(baseline, one), jsonOf(candidate, other)] as const;
  // Many readers of JSON refuse the mark.
  if (values[0] && values[1] && hasByteOrderMark(one) === hasByteOrderMark(other)) {
    const { baselineAgain: again } = rules;
    const baselineAgain = again && ((): JsonValue | undefined => jsonOf(again, bodyOf(again)));
    return compareJson(values[0], values[1], at, { ignored, noise, learns, baselineAgain });
  }
  const [shown, otherShown] = bytesAround(one, other);
  const aspect = values[0] || values[1] ? 'format' : 'bytes';
  return [{ kind: 'body', at, baseline: shown, candidate: otherShown, aspect }];
}

const withoutBody = new Set([204, 205, 304]);

function isAboutAnother({ status: one }: Answer, { status: other }: Answer): boolean {
  if (Math.floor(one / 100) !== Math.floor(other / 100)) return true;
  return withoutBody.has(one) !== withoutBody.has(other);
}

/** Names have no case, and the spaces around parameters say nothing. */
function normalType(type: string | undefined): string | undefined {
  return type?.toLowerCase().replace(/\s*([;=,])\s*/g, '$1');
}

/** A type as it can be seen again: the boundary of parts is another one each time. */
function withoutBoundary(type: string | undefined): string {
  return (normalType(type) ?? '').replace(/;boundary=[^;,]*/g, '');
}

const presence = { aspect: 'presence' } as const;

/** Those of each message, and those that have a kind of difference of their own. */
const notCompared = new Set([...connectionHeaders, 'date', 'age', 'content-type']);

type DifferentHeader = readonly [
  kind: 'value' | 'missing' | 'added',
  name: string,
  baseline: string | undefined,
  candidate: string | undefined,
];

function headersThatDiffer(baseline: Answer, candidate: Answer): DifferentHeader[] {
  const [ones, others] = [headerTexts(baseline.headers), headerTexts(candidate.headers)];
  const names = [...new Set([...ones.keys(), ...others.keys()])].sort();
  return names.flatMap((name): DifferentHeader[] => {
    if (notCompared.has(name)) return [];
    const [one, other] = [ones.get(name), others.get(name)];
    if (one === other) return [];
    if (one === undefined) return [['added', name, one, other]];
    return [[other === undefined ? 'missing' : 'value', name, one, other]];
  });
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
  const isJson = /[/+]json\b/i.test(contentTypeOf(answer.headers) ?? '');
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
    ? bytes
        .toString('utf8')
        .replace(/^\ufeff/, '(byte order mark)')
        .replace(/\ufffd+$/, '')
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
