import type { ComponentChildren } from 'preact';
import { Icon } from '../controls/icon.js';
import { countText } from '../text/format.js';
import { Received } from '../text/received.js';
import { usePage } from '../view/page.js';

interface ToolbarProps {
  readonly label: string;
  /** The accessible name of the search. */
  readonly searched: string;
  readonly placeholder: string;
  readonly search: string;
  readonly onSearch: (text: string) => void;
  readonly filters: ComponentChildren;
  /** Then the filters are folded on a wide page too, and those in use have a line below the search. */
  readonly inUse?: readonly FilterInUse[];
  /** Whether the search or a filter narrows the list. */
  readonly isNarrowed: boolean;
  readonly count: ComponentChildren;
  /** What else can be done with the list. */
  readonly children: ComponentChildren;
}

/** A filter that narrows the list. */
export interface FilterInUse {
  readonly text: string;
  readonly remove: () => void;
}

/** The search, the filters, the number of rows, and the actions for the list. */
export function Toolbar(props: ToolbarProps) {
  const page = usePage();
  const showsFilters = page.showsFilters.value;
  const { inUse } = props;
  return (
    <div class={inUse ? 'toolbar folds' : 'toolbar'} role="search" aria-label={props.label}>
      <label class="search">
        <Icon name="search" />
        <input
          id="search"
          type="search"
          aria-label={props.searched}
          placeholder={props.placeholder}
          autocomplete="off"
          spellcheck={false}
          value={props.search}
          onInput={(event) => props.onSearch(event.currentTarget.value)}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      <button
        class="button filter-toggle"
        aria-expanded={showsFilters}
        onClick={() => (page.showsFilters.value = !showsFilters)}
      >
        <Icon name="filter" />
        <span class="word">Filters</span>
      </button>
      <div class={showsFilters ? 'filters shown' : 'filters'} role="group" aria-label="Filters">
        {props.filters}
      </div>
      {inUse && inUse.length > 0 && <FiltersInUse filters={inUse} />}
      {props.isNarrowed && (
        <button class="link" onClick={() => page.clearFilter()}>
          Show all
        </button>
      )}
      <p class="count">{props.count}</p>
      {props.children}
    </div>
  );
}

function FiltersInUse({ filters }: { readonly filters: readonly FilterInUse[] }) {
  return (
    <ul class="chips" aria-label="Filters in use">
      {filters.map(({ text, remove }) => (
        <li class="chip" key={text}>
          <code>
            <Received text={text} />
          </code>
          <button
            class="icon-button"
            aria-label={`Remove the filter ${text}`}
            title="Remove this filter"
            onClick={remove}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Freezes the list; on resume, the rows received since then are added. */
export function Pause() {
  const page = usePage();
  const isPaused = page.isPaused.value;
  const held = page.held.value;
  return (
    <button
      class={isPaused ? 'button paused' : 'button'}
      aria-pressed={isPaused}
      title={isPaused ? 'Resume (p)' : 'Pause (p)'}
      onClick={() => page.togglePause()}
    >
      <Icon name={isPaused ? 'play' : 'pause'} />
      {isPaused ? `Paused${held > 0 ? `, ${countText(held)} waiting` : ''}` : 'Pause'}
    </button>
  );
}
