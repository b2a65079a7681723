import { focusList } from '../keys/focus-list.js';
import { rowFrom, rowsBetween, type Rows } from '../list/rows.js';
import { Inbox } from '../receive/inbox.js';
import type { DialogState, ListView } from './list-view.js';
import { remember } from './memory.js';
import type { Store } from './store.js';
import { applyTheme, nextTheme } from './theme.js';

/** Where a page keeps the rows that arrive. */
export interface RowStore<Row> {
  add(rows: readonly Row[]): void;
  clear(): void;
}

/** The state of a page with a list of rows and the details of one, and what can be done to it. */
export abstract class ListPage<Row = unknown, Dialog extends DialogState = DialogState> {
  abstract readonly view: Store<ListView<Row, Dialog>>;
  protected readonly inbox: Inbox<Row>;
  readonly #store: RowStore<Row>;
  /** The next rows replace the kept ones: a new connection begins with all rows of the server. */
  #isStale = false;
  #notices = 0;

  constructor(store: RowStore<Row>, maxKept: number) {
    this.#store = store;
    this.inbox = new Inbox<Row>({
      deliver: (rows) => this.#add(rows),
      onHeld: (held) => this.view.set({ held }),
      maxWaiting: maxKept,
      nextFrame: (callback) => requestAnimationFrame(callback),
    });
  }

  /** The rows of the list, from the top. */
  abstract get rows(): Rows<Row>;

  /** What identifies a row. */
  abstract keyOf(row: Row): string;

  /** What identifies a selected row; null for a row that cannot be selected. */
  selectionKeyOf(row: Row): string | null {
    return this.keyOf(row);
  }

  abstract clearFilter(): void;

  togglePause(): void {
    const isPaused = !this.view.value.isPaused;
    this.view.set({ isPaused, held: 0 });
    if (isPaused) this.inbox.hold();
    else this.inbox.release();
  }

  nextTheme(): void {
    const theme = nextTheme(this.view.value.theme);
    remember('theme', theme);
    applyTheme(theme);
    this.view.set({ theme });
  }

  show(dialog: Dialog): void {
    this.view.set({ dialog });
  }

  closeDialog(): void {
    this.view.set({ dialog: undefined });
  }

  /** Shows the details of a row, or none. */
  open(opened: Row | undefined): void {
    this.view.set(opened ? { opened, cursor: opened } : { opened });
  }

  /** Opens the row at the cursor, and moves the focus to its details. */
  openCursor(): void {
    const row = this.view.value.cursor ?? this.rows.at(0);
    if (!row) return;
    this.open(row);
    // The details exist once they have been rendered.
    requestAnimationFrame(() => document.getElementById('detail')?.focus());
  }

  /** Closes the details, and returns the focus to the list. */
  closeDetail(): void {
    this.open(undefined);
    focusList();
  }

  /** Moves the cursor along the list; open details follow it. */
  move(by: number): void {
    const { cursor, opened, moves } = this.view.value;
    const row = rowFrom(this.rows, cursor, by);
    if (!row) return;
    focusList();
    this.view.set({ cursor: row, moves: moves + 1 });
    if (opened) this.open(row);
  }

  /** Resolves when the list shows what was last searched for. */
  protected settled(): Promise<void> {
    return Promise.resolve();
  }

  /** Empties the search; the filters too, where they are one with it. */
  protected clearSearch(): void {
    this.clearFilter();
  }

  /**
   * Goes from the search to the list: to its first row, or so many rows on from the cursor when that is
   * in the list.
   */
  async enterList(by: number): Promise<void> {
    focusList();
    await this.settled();
    const { cursor, moves } = this.view.value;
    if (by !== 0 && cursor && this.#isListed(cursor)) this.move(by);
    else this.view.set({ cursor: this.rows.at(0), moves: moves + 1 });
  }

  #isListed(row: Row): boolean {
    const found = this.rows.at(this.rows.placeOf(row) ?? -1);
    return found !== undefined && this.keyOf(found) === this.keyOf(row);
  }

  /** Undoes the last thing there is to undo: the open row, the selection, the search. */
  leave(): void {
    const { opened, selected } = this.view.value;
    if (opened) this.closeDetail();
    else if (selected.size > 0) this.select([]);
    else this.clearSearch();
  }

  toggleSelected(row: Row): void {
    const key = this.selectionKeyOf(row);
    if (key === null) return;
    const selected = new Map(this.view.value.selected);
    if (!selected.delete(key)) selected.set(key, row);
    this.view.set({ selected });
  }

  /** Adds the rows from the cursor to this one to the selection. */
  selectTo(row: Row): void {
    const { cursor, selected } = this.view.value;
    if (cursor) this.select([...selected.values(), ...rowsBetween(this.rows, cursor, row)]);
    else this.toggleSelected(row);
  }

  /** Selects these rows and no others. */
  select(rows: readonly Row[]): void {
    const entries = rows.map((row) => [this.selectionKeyOf(row), row] as const);
    const selected = new Map(entries.filter((entry): entry is [string, Row] => entry[0] !== null));
    this.view.set({ selected });
  }

  notify(text: string): void {
    this.view.set({ notice: { text, id: ++this.#notices } });
  }

  /** Called when a connection is open, before its rows. Returns whether it is the first one. */
  protected connected(): boolean {
    const isFirst = this.view.value.connection === 'connecting';
    this.#isStale = !isFirst;
    this.view.set({ connection: 'live' });
    this.inbox.empty();
    return isFirst;
  }

  #add(rows: readonly Row[]): void {
    if (rows.length === 0 && !this.#isStale) return;
    if (this.#isStale) this.#store.clear();
    this.#isStale = false;
    this.#store.add(rows);
    this.view.set({ version: this.view.value.version + 1, held: 0 });
  }
}
