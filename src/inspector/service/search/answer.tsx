import { wanted } from '../filter/filter.js';
import { stateWords } from '../list/outcome-word.js';
import { countOf, countText } from '../../shared/text/format.js';
import type { Outcome } from '../outcomes/outcome.js';
import { useListed, useOperations, useView } from '../view/use-view.js';
import { Fate } from './fate.js';

/** Answers a search in a few words: the fate of one event, or the sum of several. */
export function Answer() {
  const tab = useView((view) => view.tab);
  const filter = useView((view) => view.filter);
  const isOpen = useView((view) => view.opened !== undefined);
  const isPartial = useView(({ found }) => found.isCurrent && found.result?.isComplete === false);
  const rows = useListed();
  const [first] = rows;
  if (!first || tab !== 'events' || wanted(filter) === '') return null;
  const isOne = rows.every((row) => row.messageId === first.messageId) && first.messageId !== null;
  // The detail says it all again.
  if (isOne && isOpen) return null;
  return (
    <div class="answer" role="status">
      {isOne ? <Fate outcomes={rows} /> : <Sum rows={rows} />}
      {isPartial && (
        <p class="quiet">There is more; a whole messageId, or a filter, finds the rest.</p>
      )}
    </div>
  );
}

function Sum({ rows }: { readonly rows: readonly Outcome[] }) {
  const operations = useOperations();
  const events = new Set(rows.map(({ messageId, key }) => messageId ?? key)).size;
  const counts = stateWords
    .map(([state, word]) => ({
      state,
      word,
      count: rows.filter((row) => row.state === state).length,
    }))
    .filter(({ count }) => count > 0);
  return (
    <p class="sum">
      <b>{countOf(events, 'event')}</b>:{' '}
      {counts.map(({ state, word, count }) => (
        <button class="link" key={state} onClick={() => operations.setFilter({ state })}>
          {countText(count)} {word}
        </button>
      ))}
    </p>
  );
}
