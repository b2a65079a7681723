import type { AttemptRow, DeadLetterDetail } from '../../../src/api/serve.js';
import type { ResponseExcerpt } from '../../../src/delivery/outcome.js';
import { useLoaded, type Loaded } from '../../shared/detail/use-loaded.js';
import type { Outcome } from '../outcomes/outcome.js';
import { useOperations } from '../view/operations.js';

/** What the service knows of an outcome beyond its row. */
export interface OutcomeDetail {
  /** Those of the last round, with their responses once they are loaded. */
  readonly attempts: readonly AttemptRow[];
  /** Of the last attempt, where no attempt has one. */
  readonly response: ResponseExcerpt | undefined;
  readonly deadLetter: Loaded<DeadLetterDetail>;
}

export function useOutcomeDetail({
  deliveryId,
  deadLetterId,
  attempts,
  response,
}: Outcome): OutcomeDetail {
  const { service } = useOperations();
  const delivery = useLoaded(deliveryId, (id, signal) => service.delivery(id, signal));
  const deadLetter = useLoaded(deadLetterId, (id, signal) => service.deadLetter(id, signal));
  // A row that is no longer kept is shown as it was streamed.
  const shown = delivery.state === 'loaded' ? delivery.value.attempts : attempts;
  const hasResponse = shown.some(({ response }) => response !== undefined);
  const stored = deadLetter.state === 'loaded' ? deadLetter.value.response : undefined;
  const last = hasResponse ? undefined : (stored ?? response);
  return { attempts: shown, response: last, deadLetter };
}
