import { Component } from 'preact';
import type { RequestRow as Row } from '../api.js';
import { bytesText, clockText, countOf, durationText } from '../shared/text/format.js';
import { Received } from '../shared/text/received.js';
import { Answer } from './answer.js';
import { Verdict } from './verdict.js';

interface RequestRowProps {
  readonly row: Row;
  /** From the top of the list, which is 0. */
  readonly place: number;
  readonly isCursor: boolean;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly onOpen: () => void;
  readonly onToggle: (isRange: boolean) => void;
}

/** The id of a row's element, for the list to point to. */
export function rowId({ sequence }: Row): string {
  return `request-${sequence}`;
}

/** A request in the list; drawn again only when something of it has changed. */
export class RequestRow extends Component<RequestRowProps> {
  /** Handlers are made anew with every drawing of the list and do the same. */
  override shouldComponentUpdate(next: RequestRowProps): boolean {
    const shown = ['row', 'place', 'isCursor', 'isOpen', 'isSelected'] as const;
    return shown.some((name) => next[name] !== this.props[name]);
  }

  override render() {
    return <Cells {...this.props} />;
  }
}

function Cells(props: RequestRowProps) {
  const { row, isCursor, isOpen, isSelected } = props;
  return (
    <div
      class={`row${isCursor ? ' cursor' : ''}${isOpen ? ' open' : ''}`}
      id={rowId(row)}
      role="row"
      // The first row of all is the head.
      aria-rowindex={props.place + 2}
      aria-selected={isSelected}
      aria-current={isOpen}
      onClick={props.onOpen}
    >
      <span class="cell select" role="gridcell" onClick={(event) => event.stopPropagation()}>
        <label>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select request ${row.sequence}`}
            checked={isSelected}
            onClick={(event) => props.onToggle(event.shiftKey)}
          />
        </label>
      </span>
      <time class="cell time" role="gridcell" dateTime={row.receivedAt}>
        {clockText(row.receivedAt)}
      </time>
      <span class="cell type" role="gridcell">
        {row.type === null ? row.method : <Received text={row.type} />}
      </span>
      <span class="cell name" role="gridcell">
        <Name row={row} />
      </span>
      <span class="cell user" role="gridcell">
        {row.user !== null && <Received text={row.user} />}
      </span>
      <span class="cell signature" role="gridcell">
        <Verdict verdict={row.signature} />
      </span>
      <span class="cell bytes" role="gridcell">
        {bytesText(row.bytes)}
      </span>
      <span class="cell answer" role="gridcell">
        <Answer row={row} />
      </span>
      <span class="cell fault" role="gridcell">
        {row.fault !== null && <Received text={row.fault} />}
      </span>
      <span class="cell duration" role="gridcell">
        {durationText(row.durationMs)}
      </span>
    </div>
  );
}

/** What was done, or where to, when nothing in the request has a name. */
function Name({ row }: { readonly row: Row }) {
  if (row.name !== null) return <Received text={row.name} />;
  if (row.events > 1) return <>{countOf(row.events, 'event')}</>;
  return (
    <span class="path">
      <Received text={row.path} />
    </span>
  );
}
