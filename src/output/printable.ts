/**
 * Control characters, line separators, lone surrogates and bidirectional marks: they can move a
 * terminal's cursor, change its colors, or make a line look like another one.
 */
export const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Most texts; tested first, since the Unicode tables are slow to build. */
const plain = /^[ -~]*$/;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Makes untrusted text safe to print on one line of a terminal: ESC becomes `\u001b`. */
export function printable(text: string): string {
  return plain.test(text) ? text : text.replace(unprintable, escape);
}

function escape(character: string): string {
  return short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
