import { Component, type ComponentChild } from 'preact';

/** A column of a list. */
export interface Column<Row> {
  /** The class of its cells. */
  readonly name: string;
  readonly title: string;
  readonly cell: (row: Row) => ComponentChild;
}

interface RowProps<Row> {
  /** Of the element, for the list to point to. */
  readonly id: string;
  /** In a few words, for the label of the checkbox. */
  readonly name: string;
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  /** From the top of the list, which is 0. */
  readonly place: number;
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
export class Row<T> extends Component<RowProps<T>> {
  /** The handlers are new with each rendering of the list, and always do the same. */
  override shouldComponentUpdate(next: RowProps<T>): boolean {
    const shown = ['row', 'columns', 'place', 'state', 'isCursor', 'isOpen', 'isSelected'] as const;
    return shown.some((name) => next[name] !== this.props[name]);
  }

  override render() {
    const { id, name, row, columns, place, isCursor, isOpen, isSelected, onOpen, onToggle } =
      this.props;
    return (
      <div
        class={`row${isCursor ? ' cursor' : ''}${isOpen ? ' open' : ''}`}
        id={id}
        role="row"
        // The head is the first row.
        aria-rowindex={place + 2}
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
