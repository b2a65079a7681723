import type { ListPage } from '../view/list-page.js';

/** A key of a page, and what it does there. */
export interface Key<Target> {
  /** Values of `KeyboardEvent.key`. */
  readonly keys: readonly string[];
  /** As they are written for people. */
  readonly shown: readonly string[];
  readonly does: string;
  readonly act: (target: Target) => void;
}

const pageRows = 10;

/**
 * The keys of a page with a list, in the order of the help. They work everywhere but in a text
 * field.
 *
 * @param noun what a row is, in the singular
 * @param own the keys that only this page has
 */
export function listKeys<Page extends ListPage>(
  noun: string,
  own: readonly Key<Page>[],
): readonly Key<Page>[] {
  const moves: readonly (readonly [keys: string[], shown: string[], does: string, by: number])[] = [
    [['j', 'ArrowDown'], ['j', '↓'], `next ${noun}`, 1],
    [['k', 'ArrowUp'], ['k', '↑'], `previous ${noun}`, -1],
    [['PageDown'], ['Page Down'], '10 down', pageRows],
    [['PageUp'], ['Page Up'], '10 up', -pageRows],
    [['Home', 'g'], ['Home', 'g'], 'first in the list', -Infinity],
    [['End', 'G'], ['End', 'G'], 'last in the list', Infinity],
  ];
  return [
    ...moves.map(([keys, shown, does, by]) => ({
      ...{ keys, shown, does },
      act: (page: Page) => page.move(by),
    })),
    key('Enter', `open the ${noun}`, (page) => page.openCursor()),
    {
      keys: ['x', ' '],
      shown: ['x', 'Space'],
      does: 'toggle selection',
      act: (page) => {
        const { value: cursor } = page.cursor;
        if (cursor) page.toggleSelected(cursor);
      },
    },
    ...own,
    key('/', 'search', () => document.getElementById('search')?.focus()),
    key('p', 'pause/resume', (page) => page.togglePause()),
    key('t', 'light/dark theme', (page) => page.nextTheme()),
    {
      keys: ['Escape'],
      shown: ['Esc'],
      does: 'close; clear the selection, the search',
      act: (page) => page.leave(),
    },
    key('?', 'this help', (page) => page.show({ name: 'help' })),
  ];
}

/** A key that has one name only. */
export function key<Page>(name: string, does: string, act: (page: Page) => void): Key<Page> {
  return { keys: [name], shown: [name], does, act };
}
