/** How a JSON writer spells strings: maps a token to another one, both with their quotes. */
export interface Spelling {
  /** Completes "JSON written again …"; empty for the given spelling. */
  readonly name: string;
  readonly spell: (token: string) => string;
}

export const kept: Spelling = { name: '', spell: (token) => token };

/** The defaults of common libraries, named after them. */
export const spellings: readonly Spelling[] = [
  { name: 'with non-ASCII unescaped (as JavaScript does)', spell: plain },
  {
    name: 'with non-ASCII as \\uXXXX (as Python does)',
    spell: (token) => escapeAll(plain(token), /[^ -~]/g),
  },
  {
    name: 'with slashes as \\/ and non-ASCII as \\uXXXX (as PHP does)',
    spell: (token) => slashes(escapeAll(plain(token), /[^\0-\x7f]/g)),
  },
  { name: 'with slashes as \\/ (as PHP does)', spell: (token) => slashes(plain(token)) },
  {
    name: 'with <, > and & escaped (as Go does)',
    spell: (token) => escapeAll(plain(token), /[<>&\u2028\u2029]/g),
  },
  { name: 'with quotes, <, >, & and non-ASCII as \\uXXXX (as .NET does)', spell: dotNet },
];

function plain(token: string): string {
  return token.includes('\\') ? JSON.stringify(JSON.parse(token)) : token;
}

function slashes(token: string): string {
  return token.replaceAll('/', '\\/');
}

function escapeAll(token: string, what: RegExp): string {
  return token.replace(what, escape);
}

function escape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function dotNet(token: string): string {
  const inner = plain(token).slice(1, -1).replaceAll('\\"', '\\u0022');
  const escaped = inner.replace(/[&'+<>`]|[^\0-\x7e]/g, (unit) =>
    escape(unit).replace(/[a-f]/g, (digit) => digit.toUpperCase()),
  );
  return `"${escaped}"`;
}
