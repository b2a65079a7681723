import type { ResponseExcerpt } from '../delivery/outcome.js';
import { printable } from './printable.js';

/** Long enough for most error messages, short enough for one look. */
const maxLineLength = 160;

/**
 * The beginning of a response's body on one line, safe to print: the first line of a text, all of an
 * indented JSON document, the text of an HTML page; undefined without any.
 */
export function firstLineOf(response: ResponseExcerpt | undefined): string | undefined {
  const line = oneLine(response?.body?.trim() ?? '');
  if (line === '') return undefined;
  const text = printable(line);
  return text.length > maxLineLength ? `${text.slice(0, maxLineLength - 1)}…` : text;
}

function oneLine(body: string): string {
  if (/^[{[]\s*\n/.test(body)) return withSingleSpaces(body);
  if (!/^<[!a-z]/i.test(body)) return body.split(/\r?\n/, 1)[0]!.trim();
  const text = body
    .replace(/<(script|style)\b.*?(?:<\/\1>|$)/gis, ' ')
    .replace(/<[^>]*(?:>|$)/g, ' ');
  return withSingleSpaces(text);
}

function withSingleSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** All that is known of a response, one line per header, then the body; safe to print. */
export function responseLines({ headers, body, bodyBase64 }: ResponseExcerpt): string[] {
  const headerLines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${printable(value)}`,
  );
  const bodyLines = body === undefined ? [`base64: ${bodyBase64 ?? ''}`] : body.split(/\r?\n/);
  return [
    ...headerLines,
    ...bodyLines.map((line) => printable(line)).filter((line) => line !== ''),
  ];
}
