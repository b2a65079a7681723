import { Body } from '../../shared/body/body.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { RefusedError } from '../../shared/receive/call.js';
import type { Outcome } from '../outcomes/outcome.js';
import { useOperations } from '../view/use-view.js';

/** The event as it came: kept of what was given up, and of what was rejected. */
export function EventBody({ outcome }: { readonly outcome: Outcome }) {
  const { service } = useOperations();
  const letter = useLoaded(outcome.letterId, (id, signal) => service.deadLetter(id, signal));
  if (letter.state === 'failed' && !isGone(letter.error)) {
    return (
      <p class="callout bad" role="alert">
        {letter.error instanceof Error ? letter.error.message : String(letter.error)}
      </p>
    );
  }
  const text = letter.state === 'loaded' ? letter.value.event : outcome.text;
  if (text === null) return null;
  return <Body key={outcome.key} content={{ body: text, bodyBase64: null }} />;
}

/** It was delivered again meanwhile; the stream tells what became of it. */
function isGone(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 404;
}
