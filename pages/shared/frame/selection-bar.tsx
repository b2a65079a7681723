import type { ComponentChildren } from 'preact';
import { Icon } from '../controls/icon.js';
import { countText } from '../text/format.js';
import { usePage } from '../view/page.js';

interface SelectionBarProps {
  readonly title: string;
  readonly act: () => void;
  /** Other buttons. */
  readonly more?: ComponentChildren;
}

/** What can be done with the selected rows. */
export function SelectionBar({ title, act, more }: SelectionBarProps) {
  const page = usePage();
  const count = page.selected.value.size;
  if (count === 0) return null;
  return (
    <div class="selection" role="group" aria-label="Selection">
      <p>{countText(count)} selected</p>
      <button class="button primary" onClick={act}>
        <Icon name="replay" />
        {title}
      </button>
      {more}
      <button class="button" onClick={() => page.select([])}>
        Clear selection
      </button>
    </div>
  );
}
