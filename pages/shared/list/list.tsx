import { Component, type ComponentChild, type ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { countOf } from '../text/format.js';
import type { ListPage } from '../view/list-page.js';
import { rowsIn } from './rows.js';
import { type Listed, useRowInSight, useWindow } from './use-window.js';

interface ListProps<Row> {
  readonly page: ListPage<Row>;
  readonly label: string;
  /** What a row is, in the singular; the id of the list is its plural. */
  readonly noun: string;
  readonly columns: readonly Column<Row>[];
  /** A row in a few words, for the label of its checkbox. */
  readonly nameOf: (row: Row) => string;
  /** A row is rendered again when this changes. */
  readonly stateOf?: (row: Row) => unknown;
  readonly growth: Omit<Listed, 'count'>;
  readonly isSelectable?: boolean;
  /** More classes. */
  readonly class?: string;
  /** Shown below the last row. */
  readonly end?: ComponentChild;
  /** Shown when there is no row. */
  readonly empty: ComponentChild;
}

/** The list of a page; only the rows in sight are rendered. */
export function List<Row>(props: ListProps<Row>) {
  const { page, label, noun, columns, isSelectable = true } = props;
  const { rows } = page;
  const cursor = page.cursor.value;
  const opened = page.opened.value;
  const moves = page.moves.value;
  const selected = page.selected.value;
  const box = useRef<HTMLDivElement>(null);
  const count = rows.length;
  const part = useWindow(box, { count, ...props.growth });
  const index = cursor && rows.indexOf(cursor);
  useRowInSight(box, index, part.rowHeight, [keyOf(cursor), moves]);

  const toggle = (row: Row, isRange: boolean): void => {
    if (isRange) page.selectTo(row);
    else page.toggleSelected(row);
    page.cursor.value = row;
  };
  function keyOf(row: Row | undefined): string | undefined {
    return row && page.keyOf(row);
  }
  const idOf = (row: Row): string => `${noun}-${encodeURIComponent(page.keyOf(row))}`;

  return (
    <section class={props.class === undefined ? 'list' : `list ${props.class}`} aria-label={label}>
      <div
        class="rows"
        id={`${noun}s`}
        ref={box}
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-multiselectable={isSelectable}
        aria-activedescendant={index === undefined ? undefined : idOf(cursor!)}
        tabIndex={0}
        onScroll={part.onScroll}
      >
        <div class="head row" role="row" aria-rowindex={1}>
          {isSelectable && <SelectAll page={page} noun={noun} />}
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
            {rowsIn(rows, part.first, part.last).map((row, index) => (
              <ListRow
                key={page.keyOf(row)}
                id={idOf(row)}
                name={props.nameOf(row)}
                row={row}
                columns={columns}
                index={part.first + index}
                state={props.stateOf?.(row)}
                isCursor={page.keyOf(row) === keyOf(cursor)}
                isOpen={page.keyOf(row) === keyOf(opened)}
                isSelected={isSelectable ? selected.has(page.selectionKeyOf(row) ?? '') : undefined}
                onOpen={() => page.open(row)}
                onToggle={(isRange) => toggle(row, isRange)}
              />
            ))}
          </div>
        </div>
        {props.end}
      </div>
      {count === 0 && props.empty}
      {part.unseen > 0 && (
        <button class="unseen" onClick={part.follow}>
          {props.growth.isNewestFirst ? '↑' : '↓'} {countOf(part.unseen, `new ${noun}`)}
        </button>
      )}
      <p class="sr-only">{countOf(count, noun)} in the list. Press ? for the keys.</p>
    </section>
  );
}

interface SelectAllProps<Row> {
  readonly page: ListPage<Row>;
  readonly noun: string;
}

function SelectAll<Row>({ page, noun }: SelectAllProps<Row>) {
  const selected = page.selected.value;
  const { rows } = page;
  const isAll = rows.length > 0 && selected.size >= rows.length;
  return (
    <span class="cell select" role="columnheader">
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={`Select all ${noun}s in the list`}
        checked={isAll}
        indeterminate={selected.size > 0 && !isAll}
        onChange={() => page.select(isAll ? [] : rowsIn(rows, 0, rows.length))}
      />
    </span>
  );
}

/** A column of a list. */
export interface Column<Row> {
  /** The class of its cells. */
  readonly name: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChild;
}

interface ListRowProps<Row> {
  /** Of the element, for the list to point to. */
  readonly id: string;
  /** In a few words, for the label of the checkbox. */
  readonly name: string;
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  /** From the top of the list, which is 0. */
  readonly index: number;
  /** The row is rendered again when this changes. */
  readonly state: unknown;
  readonly isCursor: boolean;
  readonly isOpen: boolean;
  /** Undefined where rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  readonly onOpen: () => void;
  readonly onToggle: (isRange: boolean) => void;
}

/** A row of a list; rendered again only when something in it has changed. */
class ListRow<T> extends Component<ListRowProps<T>> {
  /** The handlers are new with each rendering of the list, and always do the same. */
  override shouldComponentUpdate(next: ListRowProps<T>): boolean {
    const shown = ['row', 'columns', 'index', 'state', 'isCursor', 'isOpen', 'isSelected'] as const;
    return shown.some((name) => next[name] !== this.props[name]);
  }

  override render() {
    const { id, name, row, columns, index, isCursor, isOpen, isSelected, onOpen, onToggle } =
      this.props;
    return (
      <div
        class={`row${isCursor ? ' cursor' : ''}${isOpen ? ' open' : ''}`}
        id={id}
        role="row"
        // The head is the first row.
        aria-rowindex={index + 2}
        aria-selected={isSelected}
        aria-current={isOpen}
        onClick={onOpen}
      >
        {isSelected !== undefined && (
          <span class="cell select" role="gridcell" onClick={(event) => event.stopPropagation()}>
            <label>
              <input
                type="checkbox"
                tabIndex={-1}
                aria-label={`Select ${name}`}
                checked={isSelected}
                onClick={(event) => onToggle(event.shiftKey)}
              />
            </label>
          </span>
        )}
        {columns.map((column) => (
          <span class={`cell ${column.name}`} role="gridcell" key={column.name}>
            {column.cell(row)}
          </span>
        ))}
      </div>
    );
  }
}

interface NoMatchProps {
  /** Of the button. */
  readonly action?: string;
  readonly onAction?: () => void;
  readonly children: ComponentChildren;
}

/** Shown in place of the rows when there are none. */
export function NoMatch({ action, onAction, children }: NoMatchProps) {
  return (
    <div class="no-match">
      {children}
      {action !== undefined && (
        <button class="button" onClick={onAction}>
          {action}
        </button>
      )}
    </div>
  );
}
