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
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Finds the top-level members of a JSON object in one pass over its bytes.
 *
 * `bytes` must be text that `JSON.parse` accepts as an object: this scanner looks for ends, it
 * does not judge. UTF-8 needs no care, for no byte of a longer sequence is below 0x80.
 */
export function scanMembers(bytes: Buffer): Members {
  const members: Member[] = [];
  let at = skipSpace(bytes, 0) + 1;
  let depth = 1;
  for (;;) {
    at = skipSpace(bytes, at);
    if (bytes[at] === comma) at = skipSpace(bytes, at + 1);
    if (bytes[at] !== quote) return { members, depth };
    const nameStart = at;
    const nameEnd = endOfString(bytes, at);
    const start = skipSpace(bytes, skipSpace(bytes, nameEnd) + 1);
    const value = endOfValue(bytes, start);
    if (value.depth + 1 > depth) depth = value.depth + 1;
    members.push({ name: nameOf(bytes, nameStart, nameEnd), nameStart, start, end: value.end });
    at = value.end;
  }
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

function nameOf(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString('utf8', start, end);
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

/** The end of the JSON value that begins at `at`, and how many levels it nests. */
export function endOfValue(bytes: Buffer, at: number): { end: number; depth: number } {
  const first = bytes[at];
  if (first === quote) return { end: endOfString(bytes, at), depth: 0 };
  if (first !== openBrace && first !== openBracket)
    return { end: endOfScalar(bytes, at), depth: 0 };
  let open = 0;
  let depth = 0;
  for (;;) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at);
      continue;
    }
    at++;
    if (byte === openBrace || byte === openBracket) {
      if (++open > depth) depth = open;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (--open === 0) return { end: at, depth };
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
