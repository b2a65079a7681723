import { useState } from 'preact/hooks';
import { bytesText } from '../text/format.js';
import { hexDump } from './hex.js';

/** Shown at first, and more each time. */
const pageBytes = 4096;
/** More than this makes a browser slow. */
const mostBytes = 65_536;

/** Bytes as a hex dump; of many, the beginning. */
export function HexText({ bytes }: { readonly bytes: Uint8Array }) {
  const [shown, setShown] = useState(pageBytes);
  const end = Math.min(shown, mostBytes);
  const rest = Math.min(bytes.length, mostBytes) - end;
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
