import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon, type IconName } from './icon.js';

export interface MenuItem {
  readonly icon: IconName;
  readonly title: string;
  readonly act: () => void;
}

interface MenuProps {
  /** The accessible name. */
  readonly title: string;
  readonly items: readonly MenuItem[];
  /** Whether its button has a frame, as those with a word have. */
  readonly isFramed?: boolean;
  /** Shown on the button. */
  readonly children: ComponentChildren;
}

/** A button that opens a menu of actions: arrow keys move in it, Esc closes it. */
export function Menu({ title, items, isFramed = false, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const entries = (): HTMLElement[] => [
    ...(place.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? []),
  ];
  const close = (): void => {
    setOpen(false);
    place.current?.querySelector('button')?.focus();
  };
  // Before the browser paints: the next key can come at once.
  useLayoutEffect(() => {
    if (isOpen) entries()[0]?.focus();
  }, [isOpen]);
  const press = (event: KeyboardEvent): void => {
    if (!isOpen) return;
    const all = entries();
    const next = nextPlace(
      event.key,
      all.indexOf(document.activeElement as HTMLElement),
      all.length,
    );
    if (event.key === 'Escape') close();
    else if (event.key === 'Tab') setOpen(false);
    else if (next !== undefined) all[next]?.focus();
    else return;
    // The keys of the page are for its list.
    event.stopPropagation();
    if (event.key !== 'Tab') event.preventDefault();
  };
  const leave = ({ relatedTarget }: FocusEvent): void => {
    if (!place.current?.contains(relatedTarget as Node | null)) setOpen(false);
  };
  return (
    <div class="menu" ref={place} onKeyDown={press} onFocusOut={leave}>
      <button
        class={isFramed ? 'button' : 'icon-button'}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={title}
        title={title}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div class="menu-items" role="menu" aria-label={title}>
          {items.map((item) => (
            <button
              key={item.title}
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                close();
                item.act();
              }}
            >
              <Icon name={item.icon} />
              {item.title}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function nextPlace(key: string, place: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return (place + 1) % count;
    case 'ArrowUp':
      return (place - 1 + count) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
