import { useRef } from 'preact/hooks';
import type { RequestRow as Row } from '../api.js';
import { useRowInSight } from '../shared/list/use-row-in-sight.js';
import { useWindow } from '../shared/list/use-window.js';
import { countOf, countText } from '../shared/text/format.js';
import { useInspector, useView } from '../view/use-view.js';
import { NoMatch } from './no-match.js';
import { placeOf, rowAt, rowsBetween } from './place.js';
import { RequestRow, rowId } from './request-row.js';

/** The live list; only the rows in sight are drawn. */
export function RequestList() {
  const inspector = useInspector();
  const { log } = inspector;
  const order = useView((view) => view.order);
  const cursor = useView((view) => view.cursor);
  const opened = useView((view) => view.opened);
  const moves = useView((view) => view.moves);
  const selected = useView((view) => view.selected);
  const box = useRef<HTMLDivElement>(null);
  const filter = useView((view) => view.filter);
  useView((view) => view.version);
  const count = log.matching.length;
  const part = useWindow(box, {
    count,
    appended: log.appended,
    dropped: log.dropped,
    isNewestFirst: order === 'newest-first',
    which: filter,
  });
  const place = cursor && placeOf(log, order, cursor);
  useRowInSight(box, place, part.rowHeight, [cursor, moves]);

  const toggle = (row: Row, isRange: boolean): void => {
    if (!isRange || !cursor) inspector.toggleSelected(row);
    else inspector.select([...selected.values(), ...rowsBetween(log, cursor, row)]);
    inspector.view.set({ cursor: row });
  };

  return (
    <section class="list" aria-label="Requests">
      <div
        class="rows"
        id="requests"
        ref={box}
        role="grid"
        aria-label="Requests"
        aria-rowcount={count + 1}
        aria-multiselectable={true}
        aria-activedescendant={cursor && rowId(cursor)}
        tabIndex={0}
        onScroll={part.onScroll}
      >
        <div class="head row" role="row" aria-rowindex={1}>
          <SelectAll />
          {columns.map(({ name, title }) => (
            <span class={`cell ${name}`} role="columnheader" key={name}>
              {title}
            </span>
          ))}
        </div>
        <div class="space" role="rowgroup" style={{ height: `${count * part.rowHeight}px` }}>
          <div
            class="shift"
            role="presentation"
            style={{ transform: `translateY(${part.first * part.rowHeight}px)` }}
          >
            {drawn(part.first, part.last, (place) => {
              const row = rowAt(log, order, place);
              return (
                row && (
                  <RequestRow
                    key={row.sequence}
                    row={row}
                    place={place}
                    isCursor={row.sequence === cursor?.sequence}
                    isOpen={row.sequence === opened?.sequence}
                    isSelected={selected.has(row.sequence)}
                    onOpen={() => inspector.open(row)}
                    onToggle={(isRange) => toggle(row, isRange)}
                  />
                )
              );
            })}
          </div>
        </div>
      </div>
      {count === 0 && log.kept.length > 0 && <NoMatch />}
      {part.unseen > 0 && (
        <button class="unseen" onClick={part.follow}>
          {order === 'newest-first' ? '↑' : '↓'} {countOf(part.unseen, 'new request')}
        </button>
      )}
      <p class="sr-only">{countText(count)} requests are listed. Press ? for the keys.</p>
    </section>
  );
}

const columns = [
  { name: 'time', title: 'Time' },
  { name: 'type', title: 'Type' },
  { name: 'name', title: 'Event' },
  { name: 'user', title: 'User' },
  { name: 'signature', title: 'Signature' },
  { name: 'bytes', title: 'Size' },
  { name: 'answer', title: 'Answer' },
  { name: 'fault', title: 'Fault' },
  { name: 'duration', title: 'Took' },
] as const;

function SelectAll() {
  const inspector = useInspector();
  const selected = useView((view) => view.selected);
  const count = inspector.log.matching.length;
  const isAll = count > 0 && selected.size >= count;
  return (
    <span class="cell select" role="columnheader">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label="Select all requests in the list"
        checked={isAll}
        indeterminate={selected.size > 0 && !isAll}
        onChange={() => inspector.select(isAll ? [] : inspector.log.matching.toArray())}
      />
    </span>
  );
}

function drawn<T>(first: number, last: number, draw: (place: number) => T): T[] {
  return Array.from({ length: Math.max(0, last - first) }, (_, i) => draw(first + i));
}
