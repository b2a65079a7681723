/**
 * Control characters, line separators, lone surrogates, and the marks that turn the direction of
 * writing: what can move a terminal's cursor, colour it, or make a line read as another one.
 */
export const unprintable =
  /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text of unknown origin, safe to print on one line of a terminal: `\u001b` stands for ESC. */
export function printable(text: string): string {
  return text.replace(unprintable, escape);
}

function escape(character: string): string {
  return short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
