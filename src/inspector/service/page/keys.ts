import { focusList } from '../../shared/keys/focus-list.js';
import type { Key } from '../../shared/keys/key.js';
import type { Outcome } from '../outcomes/outcome.js';
import type { Operations } from '../view/operations.js';
import { tabs } from './tab-names.js';

const pageRows = 10;

/** The keys that work wherever no text is being written, in the order of the help. */
export const keys: readonly Key<Operations>[] = [
  {
    keys: ['j', 'ArrowDown'],
    shown: ['j', '↓'],
    does: 'next event',
    act: (operations) => move(operations, 1),
  },
  {
    keys: ['k', 'ArrowUp'],
    shown: ['k', '↑'],
    does: 'previous event',
    act: (operations) => move(operations, -1),
  },
  {
    keys: ['PageDown'],
    shown: ['Page Down'],
    does: 'ten further down',
    act: (operations) => move(operations, pageRows),
  },
  {
    keys: ['PageUp'],
    shown: ['Page Up'],
    does: 'ten further up',
    act: (operations) => move(operations, -pageRows),
  },
  {
    keys: ['Home', 'g'],
    shown: ['Home', 'g'],
    does: 'first in the list',
    act: (operations) => move(operations, -Infinity),
  },
  {
    keys: ['End', 'G'],
    shown: ['End', 'G'],
    does: 'last in the list',
    act: (operations) => move(operations, Infinity),
  },
  { keys: ['Enter'], shown: ['Enter'], does: 'open the event', act: openCursor },
  {
    keys: ['x', ' '],
    shown: ['x', 'Space'],
    does: 'select a dead letter, or not',
    act: (operations) => {
      const { cursor } = operations.view.value;
      if (cursor) operations.toggleSelected(cursor);
    },
  },
  {
    keys: ['r'],
    shown: ['r'],
    does: 'redeliver what is selected or open',
    act: redeliver,
  },
  {
    keys: ['/'],
    shown: ['/'],
    does: 'search',
    act: () => document.getElementById('search')?.focus(),
  },
  ...tabs.map(({ tab, title }, index) => ({
    keys: [String(index + 1)],
    shown: [String(index + 1)],
    does: title.toLowerCase(),
    act: (operations: Operations) => operations.showTab(tab),
  })),
  { keys: ['p'], shown: ['p'], does: 'pause, and go on', act: (all) => all.togglePause() },
  { keys: ['t'], shown: ['t'], does: 'light or dark', act: (all) => all.nextTheme() },
  {
    keys: ['Escape'],
    shown: ['Esc'],
    does: 'close; then drop the selection',
    act: (operations) => {
      if (operations.view.value.opened) closeDetail(operations);
      else operations.select([]);
    },
  },
  { keys: ['?'], shown: ['?'], does: 'this help', act: (all) => all.show({ name: 'help' }) },
];

/** Closes the detail, and goes on in the list. */
export function closeDetail(operations: Operations): void {
  operations.open(undefined);
  focusList();
}

/** Moves along the list; an open detail comes along. */
function move(operations: Operations, by: number): void {
  const { listed, view } = operations;
  const { cursor, opened, moves } = view.value;
  const place = cursor ? placeOf(listed, cursor) + by : 0;
  const outcome = listed[Math.max(0, Math.min(place, listed.length - 1))];
  if (!outcome) return;
  focusList();
  view.set({ cursor: outcome, moves: moves + 1 });
  if (opened) operations.open(outcome);
}

function placeOf(listed: readonly Outcome[], { key }: Outcome): number {
  return Math.max(
    0,
    listed.findIndex((outcome) => outcome.key === key),
  );
}

function openCursor(operations: Operations): void {
  const { listed, view } = operations;
  const outcome = view.value.cursor ?? listed[0];
  if (!outcome) return;
  operations.open(outcome);
  // The detail is there once it has been drawn.
  requestAnimationFrame(() => document.getElementById('detail')?.focus());
}

function redeliver(operations: Operations): void {
  const { selected, opened } = operations.view.value;
  if (selected.size > 0) operations.show({ name: 'redeliver', letters: [...selected.values()] });
  else if (opened?.letterId != null) operations.show({ name: 'redeliver', letters: [opened] });
}
