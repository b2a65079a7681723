import type { EventAtDestination, EventState } from '../../../src/api/serve.js';
import type { IconName } from '../../shared/controls/icon.js';
import { StateWord } from '../../shared/controls/status.js';
import { Received } from '../../shared/text/received.js';

const shown: Readonly<Record<EventState, { readonly icon: IconName; readonly word: string }>> = {
  queued: { icon: 'circle', word: 'queued' },
  delivered: { icon: 'check', word: 'delivered' },
  retrying: { icon: 'clock', word: 'waiting' },
  failed: { icon: 'cross', word: 'dead letter' },
  skipped: { icon: 'dash', word: 'skipped' },
  repeated: { icon: 'copy', word: 'duplicate' },
  rejected: { icon: 'stop', word: 'rejected' },
};

/** The states in the order of the filter, with their words. */
export const stateWords = (Object.keys(shown) as EventState[]).map(
  (state) => [state, shown[state].word] as const,
);

/** The outcome of an event. */
export function OutcomeWord({ state }: Pick<EventAtDestination, 'state'>) {
  const { icon, word } = shown[state];
  return <StateWord state={state} icon={icon} word={word} />;
}

/** `web → crm`; the source alone for an event that was not forwarded. */
export function Route({
  outcome: { source, destination },
}: {
  readonly outcome: EventAtDestination;
}) {
  return (
    <>
      <Received text={source} />
      {destination !== null && (
        <>
          {' → '}
          <Received text={destination} />
        </>
      )}
    </>
  );
}
