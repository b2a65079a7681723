import type { Pieces } from './hmac.js';
import type { Scheme } from './schemes/scheme.js';

/** A text with placeholders, cut once: literal text and names by turns. */
export type Template = readonly TemplatePart[];

/** Either literal text or the name of a placeholder. */
export type TemplatePart = { readonly text: string } | { readonly name: string };

/** `v0:{timestamp}` → text, placeholder. Braces around anything but letters are text. */
export function templateOf(text: string): Template {
  return text
    .split(/(\{[A-Za-z]+\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{[A-Za-z]+\}$/.test(part) ? { name: part.slice(1, -1) } : { text: part }));
}

/** The names of the placeholders, in their order. */
export function placeholders(text: string): string[] {
  return templateOf(text).flatMap((part) => ('name' in part ? [part.name] : []));
}

/** Puts values in place of the placeholders of a text, which is cut once. */
export function filler(text: string): (values: Readonly<Record<string, string>>) => string {
  const [first = '', ...rest] = text.split(/\{([A-Za-z]+)\}/);
  return (values) => {
    let filled = first;
    for (let i = 0; i < rest.length; i += 2) filled += (values[rest[i]!] ?? '') + rest[i + 1]!;
    return filled;
  };
}

/** What the placeholders of a signed text stand for. */
export interface ContentValues {
  readonly body: Uint8Array;
  readonly id: string;
  readonly timestamp: string;
  readonly url: string;
  readonly method: string;
}

/** Puts the signed text of a scheme together; its template is cut once. */
export function contentOf({ content }: Scheme): (values: ContentValues) => Pieces {
  const template = templateOf(content);
  return (values) => {
    const pieces: (string | Uint8Array)[] = [];
    for (const part of template) {
      pieces.push('text' in part ? part.text : values[part.name as keyof ContentValues]);
    }
    return pieces;
  };
}

/** Whether the signed text has this placeholder. */
export function signs({ content }: Scheme, name: keyof ContentValues): boolean {
  return content.includes(`{${name}}`);
}
