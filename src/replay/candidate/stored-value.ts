import type { Shown } from './noise.js';

/** A value as it is shown: JSON text that can be parsed, or a text. Bounded, and without secrets. */
export type StoredValue = { readonly json: string } | { readonly text: string };

/** Longer values are shown as the beginning of their text. */
const maxLength = 300;

/** @param redact hides what must not be shown */
export function storedValue(
  value: Shown | undefined,
  redact: (text: string) => string,
): StoredValue | null {
  if (value === undefined) return null;
  if (typeof value === 'number') return { json: String(value) };
  if ('text' in value) return { text: bounded(redact(value.text)) };
  const json = compact(value.json);
  const text = redact(json);
  if (text.length > maxLength || (text !== json && !isJson(text))) {
    return { text: bounded(text) };
  }
  return { json: copied(text) };
}

/** Without the space between its parts, so that it has one line. */
function compact(json: string): string {
  return (json.match(/"(?:[^"\\]+|\\.)*"|[^\s"]+/g) ?? []).join('');
}

function bounded(text: string): string {
  if (text.length <= maxLength) return copied(text);
  // Not within a pair of surrogates.
  return `${copied(text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, ''))}…`;
}

/** A part of a text would keep all of it in memory. */
function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
