import { useEffect } from 'preact/hooks';
import { useInspector } from '../view/use-view.js';
import { focusList, keys } from './keys.js';

/** Makes the keys work on the whole page. */
export function useKeys(): void {
  const inspector = useInspector();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (inspector.view.value.dialog !== undefined) return;
      const { target } = event;
      if (isWriting(target)) {
        if (event.key === 'Escape') leaveField(target);
        return;
      }
      if (hasOwnUse(target, event.key)) return;
      const key = keys.find((candidate) => candidate.keys.includes(event.key));
      if (!key) return;
      event.preventDefault();
      key.act(inspector);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [inspector]);
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
