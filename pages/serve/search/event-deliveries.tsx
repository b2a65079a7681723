import type { EventAtDestination } from '../../../src/api/serve.js';
import { timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { OutcomeWord } from '../list/outcome-word.js';
import { sentenceOf } from '../outcomes/reason.js';
import { useNow, useOperations } from '../view/operations.js';

/** The outcome of one event at each destination of its source. */
export function EventDeliveries({
  outcomes,
}: {
  readonly outcomes: readonly EventAtDestination[];
}) {
  const operations = useOperations();
  const now = useNow();
  const [first] = outcomes;
  if (!first) return null;
  return (
    <>
      <h2>
        <span class="type">{first.type !== null && <Received text={first.type} />}</span>{' '}
        {first.name !== null && <Received text={first.name} />}
        <span class="quiet">
          {' '}
          received at {timestampText(first.receivedAt, now)} from <Received text={first.source} />
        </span>
      </h2>
      <ul class="deliveries">
        {outcomes.map((outcome) => (
          <li key={outcome.id}>
            <button class="delivery" onClick={() => operations.open(outcome)}>
              <OutcomeWord state={outcome.state} />
              {outcome.destination !== null && (
                <b>
                  <Received text={outcome.destination} />
                </b>
              )}
              <span>
                <Received text={sentenceOf(outcome, now)} />
              </span>
            </button>
          </li>
        ))}
        <NoRecord outcomes={outcomes} />
      </ul>
    </>
  );
}

/** The destinations of the source that have no record of the event. */
function NoRecord({ outcomes }: { readonly outcomes: readonly EventAtDestination[] }) {
  const operations = useOperations();
  const { value: filter } = operations.filter;
  const { value: overview } = operations.overview;
  const from = operations.lists.found.value.result?.historyFrom ?? null;
  const now = useNow();
  const isAccepted = outcomes.every(({ state }) => state !== 'rejected');
  if (!overview || !isAccepted || filter.destination !== undefined || filter.state !== undefined) {
    return null;
  }
  const [first] = outcomes;
  const isDisabled = (name: string): boolean =>
    overview.destinations.some(
      (one) => one.name === name && !one.enabled && !one.configuredEnabled,
    );
  const recorded = new Set(outcomes.map(({ destination }) => destination));
  const source = overview.sources.find(({ name }) => name === outcomes[0]?.source);
  const unrecorded = source?.destinations.filter((name) => !recorded.has(name)) ?? [];
  return (
    <>
      {unrecorded.map((name) => {
        return (
          <li class="no-record" key={name}>
            <b>
              <Received text={name} />
            </b>{' '}
            {noRecordText(isDisabled(name), first!.receivedAt, from, (iso) =>
              timestampText(iso, now),
            )}
          </li>
        );
      })}
    </>
  );
}

/**
 * Why there is no outcome of an event at a destination of its source.
 *
 * @param isDisabled whether the configuration disables the destination now
 * @param receivedAt of the event
 * @param historyFrom from when on each outcome is in the history; null while it is empty
 */
export function noRecordText(
  isDisabled: boolean,
  receivedAt: string,
  historyFrom: string | null,
  timestamp: (iso: string) => string,
): string {
  const isCovered = historyFrom !== null && receivedAt >= historyFrom;
  if (isDisabled && isCovered) return 'Not sent: the configuration disables the destination.';
  const off = isDisabled ? 'the configuration disables the destination, ' : '';
  const before = historyFrom === null ? 'long ago' : `before ${timestamp(historyFrom)}`;
  const completed = isCovered ? '' : `, or the delivery was completed ${before}`;
  return `No record for this destination: ${off}its source did not have it yet${completed}.`;
}
