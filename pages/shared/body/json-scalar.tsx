import { useState } from 'preact/hooks';
import { countOf } from '../text/format.js';
import { Received } from '../text/received.js';

interface JsonScalarProps {
  readonly kind: 'string' | 'number' | 'literal';
  /** As in the body. */
  readonly text: string;
}

/** A longer one begins with its beginning. */
const mostCharacters = 2000;

/** A string, number, true, false or null. */
export function JsonScalar({ kind, text }: JsonScalarProps) {
  const [isWhole, setWhole] = useState(text.length <= mostCharacters);
  return (
    <span class={`json-${kind}`}>
      <Received text={isWhole ? text : text.slice(0, mostCharacters)} />
      {!isWhole && (
        <button class="link" onClick={() => setWhole(true)}>
          … show all {countOf(text.length, 'character')}
        </button>
      )}
    </span>
  );
}
