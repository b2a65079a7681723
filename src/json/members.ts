import { knownName, knownNames } from './known-names.js';
import type { Member } from './member.js';
import { ObjectScan, spansPerMember } from './object-scan.js';
import { skipSpace } from './scan.js';

export type { Member };

export interface Members {
  readonly members: Member[];
  /** Levels of nesting; the object itself is the first. */
  readonly depth: number;
  /** Whether the text is one JSON object, perhaps with space around it. */
  readonly isValid: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const scan = new ObjectScan();

/**
 * Finds the top-level members of a JSON object in one pass over its bytes, which may have space around
 * the object. Any other text has no members.
 */
export function scanMembers(bytes: Buffer): Members {
  const isObject = scan.read(bytes);
  return {
    members: isObject ? membersAt(bytes, scan.takeSpans()) : [],
    depth: scan.depth,
    isValid: isObject && skipSpace(bytes, scan.end) === bytes.length,
  };
}

/** What is found in the text of one JSON object: the spans of its members, or those with a name that has escapes. */
export type Found =
  | { readonly spans: readonly number[]; readonly members?: undefined }
  | { readonly members: readonly Member[]; readonly spans?: undefined };

/** The same, in a form that takes little memory; undefined if the text is not one JSON object. */
export function scanText(bytes: Buffer): Found | undefined {
  if (!scan.read(bytes) || skipSpace(bytes, scan.end) !== bytes.length) return undefined;
  const spans = scan.takeSpans();
  return bytes.includes(backslash) ? { members: membersAt(bytes, spans) } : { spans };
}

/** The members whose spans a scan has found. */
export function membersAt(bytes: Buffer, spans: readonly number[]): Member[] {
  const members: Member[] = [];
  for (let i = 0; i < spans.length; i += spansPerMember) {
    const nameStart = spans[i]!;
    const start = spans[i + 1]!;
    members.push({ name: nameAt(bytes, nameStart, start), nameStart, start, end: spans[i + 2]! });
  }
  return members;
}

/** The name between its opening quote and its value, its escapes undone. */
function nameAt(bytes: Buffer, start: number, valueStart: number): string {
  const end = endOfName(bytes, valueStart);
  const known = knownNames[knownName(bytes, start + 1, end)];
  if (known !== undefined) return known;
  const text = bytes.toString('utf8', start, end + 1);
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/** Offset of the quote that closes a value's name: between them are only a colon and space. */
export function endOfName(bytes: Buffer, valueStart: number): number {
  let at = valueStart - 2;
  while (bytes[at] !== quote) at--;
  return at;
}

/** The first duplicated name, if any. */
export function repeatedName(members: readonly Member[]): string | undefined {
  for (let i = 1; i < members.length; i++) {
    const name = members[i]!.name;
    // Events have about ten members; for those a scan beats a set. A set bounds the cost of hostile ones.
    if (i === 32) return repeatedAmongMany(members);
    for (let j = 0; j < i; j++) if (members[j]!.name === name) return name;
  }
  return undefined;
}

function repeatedAmongMany(members: readonly Member[]): string | undefined {
  const seen = new Set<string>();
  for (const { name } of members) {
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Whether the name whose opening quote is at `at` equals `name`, which is ASCII; escapes never match. */
export function isNamed(bytes: Buffer, at: number, name: string): boolean {
  for (let i = 0; i < name.length; i++) if (bytes[at + 1 + i] !== name.charCodeAt(i)) return false;
  return bytes[at + 1 + name.length] === quote;
}

/** The parsed value of one member. */
export function valueAt(bytes: Buffer, { start, end }: Pick<Member, 'start' | 'end'>): unknown {
  const text = bytes.toString('utf8', start, end);
  const isPlain = bytes[start] === quote && !text.includes('\\');
  return isPlain ? text.slice(1, -1) : (JSON.parse(text) as unknown);
}

/** The text of a member's value. */
export function valueText(bytes: Buffer, { start, end }: Pick<Member, 'start' | 'end'>): Buffer {
  return bytes.subarray(start, end);
}

/** The member of this name, which is ASCII, among those of a text without escapes in their names. */
export function findNamed(
  bytes: Buffer,
  spans: readonly number[],
  name: string,
): Member | undefined {
  for (let i = 0; i < spans.length; i += spansPerMember) {
    const nameStart = spans[i]!;
    if (!isNamed(bytes, nameStart, name)) continue;
    return { name, nameStart, start: spans[i + 1]!, end: spans[i + 2]! };
  }
  return undefined;
}

export function findMember(members: readonly Member[], name: string): Member | undefined {
  for (const member of members) if (member.name === name) return member;
  return undefined;
}
