/** A top-level member of a JSON object, as spans of the object's own bytes. */
export interface Member {
  /** The name with its escapes undone: `"\u0074ype"` is `type`. */
  readonly name: string;
  /** Offset of the quote that opens the name. */
  readonly nameStart: number;
  /** Offset of the value's first byte. */
  readonly start: number;
  /** Offset behind the value's last byte. */
  readonly end: number;
}

export interface Members {
  readonly members: Member[];
  /** Levels of nesting; the object itself is the first. */
  readonly depth: number;
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const closeBracket = 0x5d;
/** The bit that makes a brace of a bracket. */
const lowerCase = 0x20;

/**
 * Finds the top-level members of a JSON object in one pass over its bytes.
 *
 * `bytes` must be text that `JSON.parse` accepts as an object: this scanner looks for ends, it
 * does not judge. UTF-8 needs no care, for no byte of a longer sequence is below 0x80.
 *
 * @param keys `Object.keys` of the parsed text, where it is at hand: it saves decoding the names.
 */
export function scanMembers(bytes: Buffer, keys: readonly string[] = []): Members {
  const { count, depth } = countMembers(bytes, 0);
  // As many keys as members, none of which is a number: then they stand in the order of the text.
  const isInOrder = count === keys.length && !startsWithDigit(keys[0]);
  const members: Member[] = [];
  for (let i = 0; i < count; i++) {
    const nameStart = spans[3 * i]!;
    const name = isInOrder ? keys[i]! : nameAt(bytes, nameStart);
    members.push({ name, nameStart, start: spans[3 * i + 1]!, end: spans[3 * i + 2]! });
  }
  if (spans.length > usualSpans) spans.length = usualSpans;
  return { members, depth };
}

/** Where the members of the object that was scanned last stand, three offsets each. */
const spans: number[] = [];

/** More than an event has ever; a hostile line can have a hundred thousand. */
const usualSpans = 3 * 256;

/** How many members the object has that begins at `at`, and how many levels. */
export function countMembers(bytes: Buffer, at: number): { count: number; depth: number } {
  const found = { count: 0, depth: 1 };
  let next = 0;
  at = skipSpace(bytes, at) + 1;
  for (;;) {
    at = skipSpace(bytes, at);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
    if (bytes[at] !== quote) break;
    spans[next] = at;
    at = skipSpace(bytes, skipSpace(bytes, endOfString(bytes, at)) + 1);
    spans[next + 1] = at;
    at = endOfValue(bytes, at, found);
    spans[next + 2] = at;
    next += 3;
  }
  found.count = next / 3;
  return found;
}

/** Keys that are whole numbers come first, whatever their place in the text. */
function startsWithDigit(key: string | undefined): boolean {
  const first = key?.charCodeAt(0) ?? 0;
  return first >= 0x30 && first <= 0x39;
}

/** The first name that stands twice, if any. */
export function repeatedName(members: readonly Member[]): string | undefined {
  for (let i = 1; i < members.length; i++) {
    const name = members[i]!.name;
    // Events have about ten members; for those a scan beats a set. A set bounds the hostile rest.
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

export function findMember(members: readonly Member[], name: string): Member | undefined {
  for (const member of members) if (member.name === name) return member;
  return undefined;
}

function nameAt(bytes: Buffer, start: number): string {
  const text = bytes.toString('utf8', start, endOfString(bytes, start));
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

function skipSpace(bytes: Buffer, at: number): number {
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++;
  return at;
}

function endOfString(bytes: Buffer, at: number): number {
  for (at++; bytes[at] !== quote; at++) if (bytes[at] === backslash) at++;
  return at + 1;
}

/**
 * The end of the JSON value that begins at `at`. Makes `found.depth` larger where the value, inside of
 * an object, nests deeper.
 */
export function endOfValue(bytes: Buffer, at: number, found: { depth: number }): number {
  const first = bytes[at]!;
  if (first === quote) return endOfString(bytes, at);
  if ((first | lowerCase) !== openBrace) return endOfScalar(bytes, at);
  // The object whose member it is.
  let open = 1;
  for (;;) {
    const byte = bytes[at]!;
    if (byte === quote) {
      at = endOfString(bytes, at);
      continue;
    }
    at++;
    if ((byte | lowerCase) === openBrace) {
      if (++open > found.depth) found.depth = open;
    } else if ((byte | lowerCase) === closeBrace) {
      if (--open === 1) return at;
    }
  }
}

/** Numbers, `true`, `false` and `null` end before a comma, a closing brace or bracket, or space. */
function endOfScalar(bytes: Buffer, at: number): number {
  for (;;) {
    const byte = bytes[at]!;
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) return at;
    at++;
  }
}
