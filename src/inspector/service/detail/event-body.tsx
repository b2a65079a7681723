import { Body } from '../../shared/body/body.js';
import type { Outcome } from '../outcomes/outcome.js';
import { useLetter } from './use-letter.js';

/** The event as it came: kept of what was given up, and of what was rejected. */
export function EventBody({ outcome }: { readonly outcome: Outcome }) {
  const letter = useLetter(outcome.letterId);
  if (letter.state === 'failed') {
    return (
      <p class="callout bad" role="alert">
        {letter.message}
      </p>
    );
  }
  const text = letter.state === 'loaded' ? letter.detail.event : outcome.text;
  if (text === null) return null;
  return <Body key={outcome.key} content={{ body: text, bodyBase64: null }} />;
}
