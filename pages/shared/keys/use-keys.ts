import { useEffect } from 'preact/hooks';
import { focusList } from './focus-list.js';
import type { Key } from './key.js';

/** Makes keys work on the whole page, but for where text is being written, and while it is busy. */
export function useKeys<Target>(
  keys: readonly Key<Target>[],
  target: Target,
  isBusy: () => boolean,
): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (isBusy()) return;
      const place = event.target;
      if (isWriting(place)) {
        if (event.key === 'Escape') leaveField(place);
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

/** The first Esc empties a search, the second one leaves it. */
function leaveField(field: HTMLElement): void {
  if (field instanceof HTMLInputElement && field.value !== '') {
    field.value = '';
    field.dispatchEvent(new Event('input', { bubbles: true }));
  } else {
    focusList();
  }
}

/** Buttons and links have a use for Enter and Space, a text to scroll for the arrows. */
function hasOwnUse(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (['Enter', ' '].includes(key)) return target.closest('button, a, input, summary') !== null;
  const isMove = /^(?:Arrow|Page|Home|End)/.test(key);
  return isMove && target.closest('#detail') !== null;
}
