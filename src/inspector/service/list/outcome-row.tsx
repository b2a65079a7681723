import { Component } from 'preact';
import { momentText } from '../../shared/text/moment.js';
import { Received } from '../../shared/text/received.js';
import type { Outcome } from '../outcomes/outcome.js';
import { reasonOf } from '../outcomes/reason.js';
import { OutcomeWord } from './outcome-word.js';

interface OutcomeRowProps {
  readonly outcome: Outcome;
  /** From the top of the list, which is 0. */
  readonly place: number;
  readonly isCursor: boolean;
  readonly isOpen: boolean;
  /** Undefined where rows cannot be selected. */
  readonly isSelected: boolean | undefined;
  /** The time, in milliseconds: for what waits. */
  readonly now: number;
  readonly onOpen: () => void;
  readonly onToggle: (isRange: boolean) => void;
}

/** The id of a row's element, for the list to point to. */
export function rowId({ key }: Outcome): string {
  return `outcome-${encodeURIComponent(key)}`;
}

/** What became of an event, in the list; drawn again only when something of it has changed. */
export class OutcomeRow extends Component<OutcomeRowProps> {
  /** Handlers are made anew with every drawing of the list and do the same. */
  override shouldComponentUpdate(next: OutcomeRowProps): boolean {
    const shown = ['outcome', 'place', 'isCursor', 'isOpen', 'isSelected'] as const;
    if (shown.some((name) => next[name] !== this.props[name])) return true;
    return next.outcome.nextAt !== null && next.now !== this.props.now;
  }

  override render() {
    return <Cells {...this.props} />;
  }
}

function Cells({ outcome, isCursor, isOpen, isSelected, ...props }: OutcomeRowProps) {
  return (
    <div
      class={`row${isCursor ? ' cursor' : ''}${isOpen ? ' open' : ''}`}
      id={rowId(outcome)}
      role="row"
      // The first row of all is the head.
      aria-rowindex={props.place + 2}
      aria-selected={isSelected}
      aria-current={isOpen}
      onClick={props.onOpen}
    >
      {isSelected !== undefined && (
        <span class="cell select" role="gridcell" onClick={(event) => event.stopPropagation()}>
          <label>
            <input
              type="checkbox"
              tabIndex={-1}
              aria-label={`Select ${outcome.messageId ?? 'this one'}`}
              checked={isSelected}
              onClick={(event) => props.onToggle(event.shiftKey)}
            />
          </label>
        </span>
      )}
      <time class="cell time" role="gridcell" dateTime={outcome.at} title={outcome.at}>
        {momentText(outcome.at, props.now)}
      </time>
      <span class="cell type" role="gridcell">
        {outcome.type !== null && <Received text={outcome.type} />}
      </span>
      <span class="cell name" role="gridcell">
        <Name outcome={outcome} />
      </span>
      <span class="cell user" role="gridcell">
        {outcome.user !== null && <Received text={outcome.user} />}
      </span>
      <span class="cell route" role="gridcell">
        <Received text={outcome.source} />
        {outcome.destination !== null && (
          <>
            {' → '}
            <Received text={outcome.destination} />
          </>
        )}
      </span>
      <span class="cell state" role="gridcell">
        <OutcomeWord state={outcome.state} />
      </span>
      <span class="cell reason" role="gridcell">
        <Received text={reasonOf(outcome, props.now)} />
      </span>
    </div>
  );
}

/** By its name, else by its id; where there is no room for the type, that stands before the id. */
function Name({ outcome: { name, type, messageId } }: Pick<OutcomeRowProps, 'outcome'>) {
  if (name !== null) return <Received text={name} />;
  return (
    <span class="path">
      <span class="type-too">{type !== null && <Received text={`${type} `} />}</span>
      {messageId !== null && <Received text={messageId} />}
    </span>
  );
}
