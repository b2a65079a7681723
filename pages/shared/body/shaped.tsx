import { useState } from 'preact/hooks';
import { bytesText, countOf } from '../text/format.js';
import { Received } from '../text/received.js';
import { hasBinaryControls, hexDump } from './bytes.js';
import { JsonTree } from './json-tree.js';
import type { MultipartPart } from './multipart.js';
import { RawText } from './raw-text.js';
import type { FormField, Shape } from './read-body.js';

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

const maxFields = 200;

/** The decoded fields of a form. */
function FormTable({ fields }: { readonly fields: readonly FormField[] }) {
  const [shown, setShown] = useState(maxFields);
  return (
    <>
      <dl class="headers" aria-label="Fields of the form">
        {fields.slice(0, shown).map(({ name, value }, index) => (
          <div key={index}>
            <dt>
              <Received text={name} />
            </dt>
            <dd>
              <Received text={value} isMultiline />
            </dd>
          </div>
        ))}
      </dl>
      {fields.length > shown && (
        <button class="link more" onClick={() => setShown(shown + maxFields)}>
          Show more of {countOf(fields.length, 'field')}
        </button>
      )}
    </>
  );
}

const maxParts = 100;

/** The parts of a multipart body: name, file name, type, size and content of each. */
function PartList({ parts }: { readonly parts: readonly MultipartPart[] }) {
  return (
    <>
      <ol class="parts" aria-label="Parts of the body">
        {parts.slice(0, maxParts).map((part, index) => (
          <li key={index}>
            <p>
              <b>
                <Received text={part.name ?? `part ${index + 1}`} />
              </b>{' '}
              {part.fileName !== undefined && <Received text={part.fileName} />}{' '}
              <span class="quiet">
                {part.type !== undefined && (
                  <>
                    <Received text={part.type} />,{' '}
                  </>
                )}
                {bytesText(part.bytes.length)}
              </span>
            </p>
            <Content part={part} />
          </li>
        ))}
      </ol>
      {parts.length > maxParts && (
        <p class="quiet">
          The first {countOf(maxParts, 'part')} of {countOf(parts.length, 'part')}.
        </p>
      )}
    </>
  );
}

function Content({ part: { bytes, text } }: { readonly part: MultipartPart }) {
  if (bytes.length === 0) return null;
  if (text === undefined || hasBinaryControls(text)) return <HexText bytes={bytes} />;
  return <RawText text={text} label="Content of the part" />;
}

/** Shown at first, and more each time. */
const pageBytes = 4096;
/** More than this makes a browser slow. */
const maxBytes = 65_536;

/** Bytes as a hex dump; of many, the beginning. */
function HexText({ bytes }: { readonly bytes: Uint8Array }) {
  const [shown, setShown] = useState(pageBytes);
  const end = Math.min(shown, maxBytes);
  const rest = Math.min(bytes.length, maxBytes) - end;
  const perLine = innerWidth < 560 ? 8 : 16;
  return (
    <>
      <pre class="raw hex" tabIndex={0} aria-label="Body in hexadecimal">
        {hexDump(bytes.subarray(0, end), perLine)}
      </pre>
      {rest > 0 && (
        <button class="link more" onClick={() => setShown(shown + pageBytes * 4)}>
          Show {bytesText(Math.min(pageBytes * 4, rest))} more of {bytesText(bytes.length)}
        </button>
      )}
      {rest <= 0 && bytes.length > end && (
        <p class="quiet">
          The first {bytesText(end)} of {bytesText(bytes.length)}: download the body to see all of
          it.
        </p>
      )}
    </>
  );
}
