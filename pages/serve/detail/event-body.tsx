import type { DeadLetterDetail } from '../../../src/api/serve.js';
import { Body } from '../../shared/body/body.js';
import type { Loaded } from '../../shared/detail/use-loaded.js';
import { RefusedError } from '../../shared/receive/call.js';
import type { Outcome } from '../outcomes/outcome.js';

interface EventBodyProps {
  readonly outcome: Outcome;
  readonly deadLetter: Loaded<DeadLetterDetail>;
}

/** The event as received, which is kept of dead letters and of rejected events. */
export function EventBody({ outcome, deadLetter }: EventBodyProps) {
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
