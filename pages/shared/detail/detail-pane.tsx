import type { ComponentChildren } from 'preact';
import { Icon } from '../controls/icon.js';
import { Received } from '../text/received.js';
import { usePage } from '../view/page.js';

interface DetailPaneProps {
  readonly label: string;
  readonly type: string | null;
  readonly name: string;
  readonly children: ComponentChildren;
}

/** The details of the open row, beside the list or, on a narrow page, instead of it. */
export function DetailPane({ label, type, name, children }: DetailPaneProps) {
  const page = usePage();
  return (
    <section class="detail" id="detail" aria-label={label} tabIndex={-1}>
      <header class="detail-head">
        <button
          class="icon-button back"
          aria-label="Back to the list"
          onClick={() => page.closeDetail()}
        >
          <Icon name="back" />
        </button>
        <h2>
          <span class="type">{type !== null && <Received text={type} />}</span>{' '}
          <Received text={name} />
        </h2>
        <button
          class="icon-button close"
          aria-label={`Close the ${label.toLowerCase()}`}
          title="Close (Esc)"
          onClick={() => page.closeDetail()}
        >
          <Icon name="close" />
        </button>
      </header>
      <div class="detail-scroll">{children}</div>
    </section>
  );
}
