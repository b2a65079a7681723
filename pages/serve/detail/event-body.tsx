import { Body } from '../../shared/body/body.js';
import { useLoaded } from '../../shared/detail/use-loaded.js';
import { RefusedError } from '../../shared/receive/call.js';
import type { Outcome } from '../outcomes/outcome.js';
import { useOperations } from '../view/use-view.js';

/** The event as received, which is kept of dead letters and of rejected events. */
export function EventBody({ outcome }: { readonly outcome: Outcome }) {
  const { service } = useOperations();
  const deadLetter = useLoaded(outcome.deadLetterId, (id, signal) =>
    service.deadLetter(id, signal),
  );
  if (deadLetter.state === 'failed' && !isGone(deadLetter.error)) {
    return (
      <p class="callout bad" role="alert">
        {deadLetter.error instanceof Error ? deadLetter.error.message : String(deadLetter.error)}
      </p>
    );
  }
  const text = deadLetter.state === 'loaded' ? deadLetter.value.event : outcome.text;
  if (text === null) return null;
  return <Body key={outcome.key} content={{ body: text, bodyBase64: null }} />;
}

/** The dead letter was redelivered meanwhile; the stream brings its new outcome. */
function isGone(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 404;
}
