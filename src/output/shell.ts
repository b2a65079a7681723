/** A text as one word for any POSIX shell. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * A text that HTTP carries as Latin-1 as one word: what is beyond printable ASCII is told as a
 * byte; bash, zsh and ksh know how.
 */
export function shellBytes(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return shellWord(text);
  const escaped = text.replace(/[\\']/g, String.raw`\$&`).replace(/[^\x20-\x7e]/g, byteEscape);
  return `$'${escaped}'`;
}

/** A header as the value of curl's `-H`, quoted. */
export function curlHeader(name: string, value: string): string {
  // curl takes `Name:` for a header to leave out, and `Name;` for one without a value.
  return shellBytes(value === '' ? `${name};` : `${name}: ${value}`);
}

function byteEscape(character: string): string {
  return String.raw`\x` + character.charCodeAt(0).toString(16).padStart(2, '0');
}
