import { bytesText, countOf } from '../text/format.js';
import { Received } from '../text/received.js';
import { hasBinaryControls } from './bytes.js';
import { HexText } from './hex-text.js';
import type { MultipartPart } from './multipart.js';
import { RawText } from './raw-text.js';

const mostParts = 100;

/** The parts of a multipart body: name, file name, type, size and content of each. */
export function PartList({ parts }: { readonly parts: readonly MultipartPart[] }) {
  return (
    <>
      <ol class="parts" aria-label="Parts of the body">
        {parts.slice(0, mostParts).map((part, index) => (
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
      {parts.length > mostParts && (
        <p class="quiet">
          The first {countOf(mostParts, 'part')} of {countOf(parts.length, 'part')}.
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
