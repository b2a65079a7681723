import { rowAt, rowFrom } from '../list/place.js';
import { focusList } from '../shared/keys/focus-list.js';
import type { Key } from '../shared/keys/key.js';
import type { Inspector } from '../view/inspector.js';

const pageRows = 10;

/** The keys that work wherever no text is being written, in the order of the help. */
export const keys: readonly Key<Inspector>[] = [
  {
    keys: ['j', 'ArrowDown'],
    shown: ['j', '↓'],
    does: 'next request',
    act: (inspector) => move(inspector, 1),
  },
  {
    keys: ['k', 'ArrowUp'],
    shown: ['k', '↑'],
    does: 'previous request',
    act: (inspector) => move(inspector, -1),
  },
  {
    keys: ['PageDown'],
    shown: ['Page Down'],
    does: 'ten further down',
    act: (inspector) => move(inspector, pageRows),
  },
  {
    keys: ['PageUp'],
    shown: ['Page Up'],
    does: 'ten further up',
    act: (inspector) => move(inspector, -pageRows),
  },
  {
    keys: ['Home', 'g'],
    shown: ['Home', 'g'],
    does: 'first in the list',
    act: (inspector) => move(inspector, -Infinity),
  },
  {
    keys: ['End', 'G'],
    shown: ['End', 'G'],
    does: 'last in the list',
    act: (inspector) => move(inspector, Infinity),
  },
  { keys: ['Enter'], shown: ['Enter'], does: 'open the request', act: openCursor },
  {
    keys: ['x', ' '],
    shown: ['x', 'Space'],
    does: 'select it, or not',
    act: (inspector) => {
      const { cursor } = inspector.view.value;
      if (cursor) inspector.toggleSelected(cursor);
    },
  },
  {
    keys: ['r'],
    shown: ['r'],
    does: 'replay what is selected or open',
    act: (inspector) => {
      const { selected, opened } = inspector.view.value;
      if (selected.size > 0 || opened) inspector.show('replay');
    },
  },
  {
    keys: ['/'],
    shown: ['/'],
    does: 'search',
    act: () => document.getElementById('search')?.focus(),
  },
  {
    keys: ['p'],
    shown: ['p'],
    does: 'pause, and go on',
    act: (inspector) => inspector.togglePause(),
  },
  { keys: ['f'], shown: ['f'], does: 'faults', act: (inspector) => inspector.show('faults') },
  {
    keys: ['c'],
    shown: ['c'],
    does: 'timeline and latency',
    act: (inspector) => inspector.togglePictures(),
  },
  { keys: ['t'], shown: ['t'], does: 'light or dark', act: (inspector) => inspector.nextTheme() },
  {
    keys: ['Escape'],
    shown: ['Esc'],
    does: 'close; then drop the selection',
    act: (inspector) => {
      const { opened } = inspector.view.value;
      if (opened) closeDetail(inspector);
      else inspector.select([]);
    },
  },
  { keys: ['?'], shown: ['?'], does: 'this help', act: (inspector) => inspector.show('help') },
];

/** Closes the detail, and goes on in the list. */
export function closeDetail(inspector: Inspector): void {
  inspector.open(undefined);
  focusList();
}

/** Moves along the list; an open detail comes along. */
function move(inspector: Inspector, by: number): void {
  const { log, view } = inspector;
  const { order, cursor, opened } = view.value;
  const row = rowFrom(log, order, cursor, by);
  if (!row) return;
  focusList();
  view.set({ cursor: row, moves: view.value.moves + 1 });
  if (opened) inspector.open(row);
}

function openCursor(inspector: Inspector): void {
  const { log, view } = inspector;
  const row = view.value.cursor ?? rowAt(log, view.value.order, 0);
  if (!row) return;
  inspector.open(row);
  // The detail is there once it has been drawn.
  requestAnimationFrame(() => document.getElementById('detail')?.focus());
}
