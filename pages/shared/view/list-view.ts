import type { ConnectionState } from '../controls/connection.js';
import { recall } from './memory.js';
import { themes, type Theme } from './theme.js';

/** A short message on what was just done; the number distinguishes equal texts. */
export interface Notice {
  readonly text: string;
  readonly id: number;
}

/** The open dialog, by its name, with what it needs to know. */
export interface DialogState {
  readonly name: string;
}

/** What every page shows of its list, and around it. */
export interface ListView<Row, Dialog extends DialogState> {
  readonly connection: ConnectionState;
  /** Changes with the rows that are kept. */
  readonly version: number;
  readonly isPaused: boolean;
  /** Rows that arrived during the pause. */
  readonly held: number;
  /** The row that has the keyboard focus. */
  readonly cursor: Row | undefined;
  /** How often the cursor was moved by keyboard: each time, its row is scrolled into view. */
  readonly moves: number;
  /** The row whose details are shown. */
  readonly opened: Row | undefined;
  /** By `selectionKeyOf`. */
  readonly selected: ReadonlyMap<string, Row>;
  readonly dialog: Dialog | undefined;
  readonly showsFilters: boolean;
  readonly theme: Theme;
  readonly notice: Notice | undefined;
}

export function firstListView(): ListView<never, never> {
  return {
    connection: 'connecting',
    version: 0,
    isPaused: false,
    held: 0,
    cursor: undefined,
    moves: 0,
    opened: undefined,
    selected: new Map<string, never>(),
    dialog: undefined,
    showsFilters: false,
    theme: recall('theme', themes),
    notice: undefined,
  };
}
