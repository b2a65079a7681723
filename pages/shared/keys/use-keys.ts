import { useEffect } from 'preact/hooks';
import { focusList } from '../list/rows.js';
import type { Key } from './list-keys.js';

interface KeysOptions {
  /** While it returns true, no key works: a dialog is open. */
  readonly isBusy: () => boolean;
  /** Goes from a search or a filter to the list: to its first row for 0, else `by` rows on. */
  readonly enterList: (by: number) => void;
}

/** Makes keys work on the whole page, but for where text is being written, and while it is busy. */
export function useKeys<Target>(
  keys: readonly Key<Target>[],
  target: Target,
  { isBusy, enterList }: KeysOptions,
): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
      if (isBusy()) return;
      const place = event.target;
      if (isWriting(place)) {
        leaveField(event, place, enterList);
        return;
      }
      if (hasOwnUse(place, event.key)) return;
      const key = keys.find((candidate) => candidate.keys.includes(event.key));
      if (!key) return;
      event.preventDefault();
      key.act(target);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [target]);
}

function isWriting(target: EventTarget | null): target is HTMLElement {
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && target.type !== 'checkbox')
  );
}

const rowsBy: Readonly<Record<string, number>> = { Enter: 0, ArrowDown: 1, ArrowUp: -1 };

/**
 * Leaves a field for the list, and keeps its text: by Esc, and from one for a line of text by Enter and
 * the arrows too.
 */
function leaveField(
  event: KeyboardEvent,
  field: HTMLElement,
  enterList: KeysOptions['enterList'],
): void {
  const by = field instanceof HTMLInputElement ? rowsBy[event.key] : undefined;
  if (event.key !== 'Escape' && by === undefined) return;
  // Esc would also empty a search.
  event.preventDefault();
  if (by === undefined) focusList();
  else enterList(by);
}

/** Buttons and links have a use for Enter and Space, a text to scroll for the arrows. */
function hasOwnUse(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (['Enter', ' '].includes(key)) return target.closest('button, a, input, summary') !== null;
  const isMove = /^(?:Arrow|Page|Home|End)/.test(key);
  return isMove && target.closest('#detail') !== null;
}
