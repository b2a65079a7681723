import { useState } from 'preact/hooks';
import { countOf } from '../text/format.js';
import { Received } from '../text/received.js';

/** More than this at once makes a browser slow. */
const maxCharacters = 50_000;

interface RawTextProps {
  readonly text: string;
  /** The accessible name. */
  readonly label?: string;
}

/** Text as received; of a long one, only the beginning is shown at first. */
export function RawText({ text, label = 'Raw body' }: RawTextProps) {
  const [isWhole, setWhole] = useState(text.length <= maxCharacters);
  return (
    <>
      <pre class="raw" tabIndex={0} aria-label={label}>
        <Received text={isWhole ? text : text.slice(0, maxCharacters)} isMultiline />
      </pre>
      {!isWhole && (
        <button class="link more" onClick={() => setWhole(true)}>
          Show all {countOf(text.length, 'character')}
        </button>
      )}
    </>
  );
}
