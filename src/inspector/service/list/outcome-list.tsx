import { useRef } from 'preact/hooks';
import { useRowInSight } from '../../shared/list/use-row-in-sight.js';
import { useWindow } from '../../shared/list/use-window.js';
import { countOf, countText } from '../../shared/text/format.js';
import { isNarrowed, wanted } from '../filter/filter.js';
import type { Outcome } from '../outcomes/outcome.js';
import { NothingFound } from '../search/nothing-found.js';
import { useListed, useNow, useOperations, useView } from '../view/use-view.js';
import { EmptyList } from './empty-list.js';
import { ListEnd } from './list-end.js';
import { OutcomeRow, rowId } from './outcome-row.js';
import { SelectAll } from './select-all.js';
import { useAppended } from './use-appended.js';

/** The list of the chosen tab; only the rows in sight are drawn. */
export function OutcomeList() {
  const operations = useOperations();
  const rows = useListed();
  const tab = useView((view) => view.tab);
  const filter = useView((view) => view.filter);
  const cursor = useView((view) => view.cursor);
  const moves = useView((view) => view.moves);
  const opened = useView((view) => view.opened);
  const selected = useView((view) => view.selected);
  const now = useNow();
  const box = useRef<HTMLDivElement>(null);
  const which = `${tab} ${JSON.stringify(filter)}`;
  const part = useWindow(box, {
    count: rows.length,
    appended: useAppended(rows, which),
    dropped: 0,
    isNewestFirst: true,
    which,
  });
  const place = cursor ? rows.findIndex(({ key }) => key === cursor.key) : -1;
  useRowInSight(box, place < 0 ? undefined : place, part.rowHeight, [cursor?.key, moves]);
  const isSelectable = tab === 'dead-letters';

  const toggle = (outcome: Outcome, isRange: boolean): void => {
    if (!isRange || !cursor) operations.toggleSelected(outcome);
    else operations.select([...selected.values(), ...between(rows, cursor, outcome)]);
    operations.view.set({ cursor: outcome });
  };

  return (
    <section class={`list ${tab}${isSelectable ? ' selectable' : ''}`} aria-label="Events">
      <div
        class="rows"
        id="outcomes"
        ref={box}
        role="grid"
        aria-label="Events"
        aria-rowcount={rows.length + 1}
        aria-multiselectable={isSelectable}
        aria-activedescendant={place < 0 ? undefined : rowId(rows[place]!)}
        tabIndex={0}
        onScroll={part.onScroll}
      >
        <div class="head row" role="row" aria-rowindex={1}>
          {isSelectable && <SelectAll rows={rows} />}
          {columns.map(({ name, title }) => (
            <span class={`cell ${name}`} role="columnheader" key={name}>
              {title}
            </span>
          ))}
        </div>
        <div class="space" role="rowgroup" style={{ height: `${rows.length * part.rowHeight}px` }}>
          <div
            class="shift"
            role="presentation"
            style={{ transform: `translateY(${part.first * part.rowHeight}px)` }}
          >
            {rows.slice(part.first, part.last).map((outcome, index) => (
              <OutcomeRow
                key={outcome.key}
                outcome={outcome}
                place={part.first + index}
                now={now}
                isCursor={outcome.key === cursor?.key}
                isOpen={outcome.key === opened?.key}
                isSelected={isSelectable ? selected.has(outcome.letterId ?? '') : undefined}
                onOpen={() => operations.open(outcome)}
                onToggle={(isRange) => toggle(outcome, isRange)}
              />
            ))}
          </div>
        </div>
        {rows.length > 0 && <ListEnd />}
      </div>
      {rows.length === 0 &&
        (wanted(filter) !== '' && tab === 'events' ? (
          <NothingFound />
        ) : (
          <EmptyList isNarrowed={isNarrowed(filter)} />
        ))}
      {part.unseen > 0 && (
        <button class="unseen" onClick={part.follow}>
          ↑ {countOf(part.unseen, 'new outcome')}
        </button>
      )}
      <p class="sr-only">{countText(rows.length)} are listed. Press ? for the keys.</p>
    </section>
  );
}

const columns = [
  { name: 'time', title: 'Time' },
  { name: 'type', title: 'Type' },
  { name: 'name', title: 'Event' },
  { name: 'user', title: 'User' },
  { name: 'route', title: 'Way' },
  { name: 'state', title: 'Outcome' },
  { name: 'reason', title: 'Why' },
] as const;

function between(rows: readonly Outcome[], one: Outcome, other: Outcome): readonly Outcome[] {
  const places = [one, other].map(({ key }) => rows.findIndex((row) => row.key === key));
  const [first, last] = [Math.min(...places), Math.max(...places)];
  return rows.slice(Math.max(0, first), last + 1);
}
