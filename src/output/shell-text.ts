import { isUtf8 } from 'node:buffer';
import { printable } from './printable.js';
import { shellWord } from './shell.js';

/**
 * A text quoted for the shell; undefined if it contains anything but printable characters and
 * newlines. Pasted escapes would control the terminal, and could end the paste and run the rest.
 */
export function safeWord(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = bytes.toString('utf8');
  const line = text.replaceAll('\n', ' ');
  return printable(line) === line ? shellWord(text) : undefined;
}

/** A command that prints these bytes. */
export function decoded(bytes: Buffer): string {
  return `printf %s ${shellWord(bytes.toString('base64'))} | base64 -d`;
}
