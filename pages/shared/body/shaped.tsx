import { FormTable } from './form-table.js';
import { HexText } from './hex-text.js';
import { JsonTree } from './json-tree.js';
import { PartList } from './part-list.js';
import { RawText } from './raw-text.js';
import type { Shape } from './read-body.js';

/** The names of a body as what it is, and as its text; undefined where there is only the text. */
export function formsOf(shape: Shape): readonly [shaped: string, raw: string] | undefined {
  return names[shape.kind];
}

const names = {
  json: ['Tree', 'Raw'],
  form: ['Fields', 'Raw'],
  multipart: ['Parts', 'Raw'],
  binary: ['Hex', 'Base64'],
  controls: ['Hex', 'Raw'],
  text: undefined,
} as const;

/** A body as what it is. Received text becomes text nodes only. */
export function Shaped({ shape, text }: { readonly shape: Shape; readonly text: string }) {
  switch (shape.kind) {
    case 'json':
      return <JsonTree text={text} root={shape.root} />;
    case 'form':
      return <FormTable fields={shape.fields} />;
    case 'multipart':
      return <PartList parts={shape.parts} />;
    case 'binary':
    case 'controls':
      return <HexText bytes={shape.bytes} />;
    case 'text':
      return <RawText text={text} />;
  }
}
