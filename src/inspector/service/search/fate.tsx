import { momentText } from '../../shared/text/moment.js';
import { Received } from '../../shared/text/received.js';
import { OutcomeWord } from '../list/outcome-word.js';
import type { Outcome } from '../outcomes/outcome.js';
import { sentenceOf } from '../outcomes/reason.js';
import { useNow, useOperations, useView } from '../view/use-view.js';

/** What became of one event at each destination of its source. */
export function Fate({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
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
          came at {momentText(first.receivedAt, now)} from <Received text={first.source} />
        </span>
      </h2>
      <ul class="fates">
        {outcomes.map((outcome) => (
          <li key={outcome.key}>
            <button class="fate" onClick={() => operations.open(outcome)}>
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
        <Untold outcomes={outcomes} />
      </ul>
    </>
  );
}

/** The destinations of the source of which nothing is known. */
function Untold({ outcomes }: { readonly outcomes: readonly Outcome[] }) {
  const filter = useView((view) => view.filter);
  const overview = useView((view) => view.overview);
  const from = useView((view) => view.found.result?.historyFrom ?? null);
  const now = useNow();
  const isTaken = outcomes.every(({ state }) => state !== 'rejected');
  if (!overview || !isTaken || filter.destination !== undefined || filter.state !== undefined) {
    return null;
  }
  const told = new Set(outcomes.map(({ destination }) => destination));
  const source = overview.sources.find(({ name }) => name === outcomes[0]?.source);
  const untold = source?.destinations.filter((name) => !told.has(name)) ?? [];
  return (
    <>
      {untold.map((name) => {
        return (
          <li class="untold" key={name}>
            <b>
              <Received text={name} />
            </b>{' '}
            Nothing is known of it there:{' '}
            {from === null
              ? 'its source did not have this destination yet, or it was done with long ago.'
              : `its source did not have this destination yet, or it was done with before ${momentText(from, now)}.`}
          </li>
        );
      })}
    </>
  );
}
