import type { Pieces } from './scheme-key.js';
import type { Scheme } from './schemes/scheme.js';
import { templateOf } from './template.js';

/** What the placeholders of a signed text stand for. */
export interface ContentValues {
  readonly body: Uint8Array;
  readonly id: string;
  readonly timestamp: string;
  readonly url: string;
  readonly method: string;
}

/** Puts the signed text of a scheme together; the template is read once. */
export function contentOf({ content }: Scheme): (values: ContentValues) => Pieces {
  const template = templateOf(content);
  return (values) =>
    template.map((part) => ('text' in part ? part.text : values[part.name as keyof ContentValues]));
}

/** Whether the signed text has this placeholder. */
export function signs({ content }: Scheme, name: keyof ContentValues): boolean {
  return content.includes(`{${name}}`);
}
