import { printable } from './printable.js';

/** Quotes a text as one word for any POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Quotes a text that HTTP sends as Latin-1 as one word: other than printable ASCII is escaped as a byte,
 * which bash, zsh and ksh support.
 */
export function shellBytes(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return shellWord(text);
  const escaped = text.replace(/[\\']/g, String.raw`\$&`).replace(/[^\x20-\x7e]/g, byteEscape);
  return `$'${escaped}'`;
}

/** A header as the quoted value of curl's `-H`. */
export function curlHeader(name: string, value: string): string {
  // For curl, `Name:` removes a header, and `Name;` is one without a value.
  return shellBytes(value === '' ? `${name};` : `${name}: ${value}`);
}

function byteEscape(character: string): string {
  return String.raw`\x` + character.charCodeAt(0).toString(16).padStart(2, '0');
}

/**
 * A text as one word, quoted only if it has to be. Control characters, which must not reach a terminal,
 * are escaped in a form that bash, zsh and ksh support.
 */
export function shellArgument(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (printable(text) === text) return shellWord(text);
  const bytes = Buffer.from(text, 'utf8').toString('latin1');
  return shellBytes(bytes);
}
