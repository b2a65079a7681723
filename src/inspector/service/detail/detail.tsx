import { Icon } from '../../shared/controls/icon.js';
import { Received } from '../../shared/text/received.js';
import { closeDetail } from '../page/keys.js';
import { sentenceOf } from '../outcomes/reason.js';
import type { Outcome } from '../outcomes/outcome.js';
import { Fate } from '../search/fate.js';
import { useNow, useOperations } from '../view/use-view.js';
import { Attempts } from './attempts.js';
import { EventBody } from './event-body.js';
import { Facts } from './facts.js';
import { useTrace } from './use-trace.js';

/** All there is to know about an event at a destination, and in short about it at the others. */
export function Detail({ outcome: opened }: { readonly outcome: Outcome }) {
  const operations = useOperations();
  const now = useNow();
  const trace = useTrace(opened);
  const outcome = trace.find(({ key }) => key === opened.key) ?? opened;
  const isBad = outcome.state === 'failed' || outcome.state === 'rejected';
  return (
    <section class="detail" id="detail" aria-label="Event" tabIndex={-1}>
      <header class="detail-head">
        <button
          class="icon-button back"
          aria-label="Back to the list"
          onClick={() => closeDetail(operations)}
        >
          <Icon name="back" />
        </button>
        <h2>
          <span class="type">{outcome.type !== null && <Received text={outcome.type} />}</span>{' '}
          <Received text={outcome.name ?? outcome.messageId ?? outcome.code ?? ''} />
        </h2>
        <button
          class="icon-button close"
          aria-label="Close the event"
          title="Close (Esc)"
          onClick={() => closeDetail(operations)}
        >
          <Icon name="close" />
        </button>
      </header>
      <div class="detail-scroll">
        {outcome.letterId !== null && (
          <div class="actions">
            <button
              class="button"
              onClick={() => operations.show({ name: 'redeliver', letters: [outcome] })}
            >
              <Icon name="replay" />
              Redeliver
            </button>
          </div>
        )}
        <Facts outcome={outcome} />
        <p class={isBad ? 'callout bad' : 'callout'}>
          <Received text={sentenceOf(outcome, now)} />
        </p>
        {trace.length > 1 && (
          <section class="part" aria-labelledby="trace-title">
            <header>
              <h3 id="trace-title">This event, everywhere</h3>
            </header>
            <div class="answer">
              <Fate outcomes={trace} />
            </div>
          </section>
        )}
        {outcome.attempts.length > 0 && (
          <Attempts title="Last attempts" attempts={outcome.attempts} />
        )}
        <EventBody outcome={outcome} />
      </div>
    </section>
  );
}
