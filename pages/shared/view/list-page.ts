import { signal } from '@preact/signals';
import { focusList } from '../list/rows.js';
import { rowFrom, type Rows, rowsBetween } from '../list/rows.js';
import { Inbox } from '../receive/inbox.js';
import { recall, remember } from './memory.js';

/** Whether what is shown is up to date. */
export type ConnectionState = 'connecting' | 'live' | 'lost';

/** `system` follows the setting of the reader's system. */
export type Theme = 'system' | 'light' | 'dark';

const themes: readonly Theme[] = ['system', 'light', 'dark'];

/** A short message on what was just done; the number distinguishes equal texts. */
interface Notice {
  readonly text: string;
  readonly id: number;
}

/** The open dialog, by its name, with what it needs to know. */
export interface DialogState {
  readonly name: string;
}

/** Where a page keeps the rows that arrive. */
export interface RowStore<Row> {
  add(rows: readonly Row[]): void;
  clear(): void;
}

/**
 * The state of a page with a list of rows and the details of one, and what can be done to it. A component
 * is rendered again when a signal changes whose value it has read.
 */
export abstract class ListPage<Row = unknown, Dialog extends DialogState = DialogState> {
  readonly connection = signal<ConnectionState>('connecting');
  /** Changes with the rows that are kept. */
  readonly version = signal(0);
  readonly isPaused = signal(false);
  /** Rows that arrived during the pause. */
  readonly held = signal(0);
  /** The row that has the keyboard focus. */
  readonly cursor = signal<Row | undefined>(undefined);
  /** How often the cursor was moved by keyboard: each time, its row is scrolled into view. */
  readonly moves = signal(0);
  /** The row whose details are shown. */
  readonly opened = signal<Row | undefined>(undefined);
  /** By `selectionKeyOf`. */
  readonly selected = signal<ReadonlyMap<string, Row>>(new Map());
  readonly dialog = signal<Dialog | undefined>(undefined);
  readonly showsFilters = signal(false);
  readonly theme = signal(recall('theme', themes));
  readonly notice = signal<Notice | undefined>(undefined);
  protected readonly inbox: Inbox<Row>;
  readonly #store: RowStore<Row>;
  /** The next rows replace the kept ones: a new connection begins with all rows of the server. */
  #isStale = false;
  #notices = 0;

  constructor(store: RowStore<Row>, maxKept: number) {
    this.#store = store;
    this.inbox = new Inbox<Row>({
      deliver: (rows) => this.#add(rows),
      onHeld: (held) => (this.held.value = held),
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
    this.isPaused.value = !this.isPaused.value;
    this.held.value = 0;
    if (this.isPaused.value) this.inbox.hold();
    else this.inbox.release();
  }

  nextTheme(): void {
    const theme = themes[(themes.indexOf(this.theme.value) + 1) % themes.length]!;
    remember('theme', theme);
    this.theme.value = theme;
  }

  show(dialog: Dialog): void {
    this.dialog.value = dialog;
  }

  closeDialog(): void {
    this.dialog.value = undefined;
  }

  /** Shows the details of a row, or none. */
  open(opened: Row | undefined): void {
    this.opened.value = opened;
    if (opened) this.cursor.value = opened;
  }

  /** Opens the row at the cursor, and moves the focus to its details. */
  openCursor(): void {
    const row = this.cursor.value ?? this.rows.at(0);
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
    const row = rowFrom(this.rows, this.cursor.value, by);
    if (!row) return;
    focusList();
    this.#moveTo(row);
    if (this.opened.value) this.open(row);
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
   * Goes from the search to the list: to its first row, or `by` rows on from the cursor when that is
   * in the list.
   */
  async enterList(by: number): Promise<void> {
    focusList();
    await this.settled();
    const { value: cursor } = this.cursor;
    if (by !== 0 && cursor && this.#isListed(cursor)) this.move(by);
    else this.#moveTo(this.rows.at(0));
  }

  #moveTo(row: Row | undefined): void {
    this.cursor.value = row;
    this.moves.value++;
  }

  #isListed(row: Row): boolean {
    const found = this.rows.at(this.rows.indexOf(row) ?? -1);
    return found !== undefined && this.keyOf(found) === this.keyOf(row);
  }

  /** Undoes the last thing there is to undo: the open row, the selection, the search. */
  leave(): void {
    if (this.opened.value) this.closeDetail();
    else if (this.selected.value.size > 0) this.select([]);
    else this.clearSearch();
  }

  toggleSelected(row: Row): void {
    const key = this.selectionKeyOf(row);
    if (key === null) return;
    const selected = new Map(this.selected.value);
    if (!selected.delete(key)) selected.set(key, row);
    this.selected.value = selected;
  }

  /** Adds the rows from the cursor to this one to the selection. */
  selectTo(row: Row): void {
    const { value: cursor } = this.cursor;
    const { value: selected } = this.selected;
    if (cursor) this.select([...selected.values(), ...rowsBetween(this.rows, cursor, row)]);
    else this.toggleSelected(row);
  }

  /** Selects these rows and no others. */
  select(rows: readonly Row[]): void {
    const entries = rows.map((row) => [this.selectionKeyOf(row), row] as const);
    this.selected.value = new Map(
      entries.filter((entry): entry is [string, Row] => entry[0] !== null),
    );
  }

  notify(text: string): void {
    this.notice.value = { text, id: ++this.#notices };
  }

  /** Called when a connection is open, before its rows. Returns whether it is the first one. */
  protected connected(): boolean {
    const isFirst = this.connection.value === 'connecting';
    this.#isStale = !isFirst;
    this.connection.value = 'live';
    this.inbox.empty();
    return isFirst;
  }

  #add(rows: readonly Row[]): void {
    if (rows.length === 0 && !this.#isStale) return;
    if (this.#isStale) this.#store.clear();
    this.#isStale = false;
    this.#store.add(rows);
    this.version.value++;
    this.held.value = 0;
  }
}
