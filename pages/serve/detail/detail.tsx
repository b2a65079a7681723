import { Icon } from '../../shared/controls/icon.js';
import { DetailPane } from '../../shared/detail/detail-pane.js';
import { Received } from '../../shared/text/received.js';
import type { Outcome } from '../outcomes/outcome.js';
import { sentenceOf } from '../outcomes/reason.js';
import { EventDeliveries } from '../search/event-deliveries.js';
import { useNow, useOperations } from '../view/operations.js';
import { Attempts } from './attempts.js';
import { EventBody } from './event-body.js';
import { Facts } from './facts.js';
import { Response, Responses } from './response.js';
import { useOutcomeDetail } from './use-outcome-detail.js';
import { useTrace } from './use-trace.js';

/** The details of an event at a destination, and its deliveries to the others in brief. */
export function Detail({ outcome: opened }: { readonly outcome: Outcome }) {
  const operations = useOperations();
  const now = useNow();
  const trace = useTrace(opened);
  const outcome = trace.find(({ key }) => key === opened.key) ?? opened;
  const { state, type, name, messageId, code } = outcome;
  const { attempts, response, deadLetter } = useOutcomeDetail(outcome);
  const isBad = state === 'failed' || state === 'rejected';
  return (
    <DetailPane label="Event" type={type} name={name ?? messageId ?? code ?? ''}>
      {outcome.deadLetterId !== null && (
        <div class="actions">
          <button
            class="button"
            onClick={() => operations.show({ name: 'redeliver', deadLetters: [outcome] })}
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
      <Responses attempts={attempts} />
      {response && <Response title="Response" status={outcome.status} response={response} />}
      {trace.length > 1 && (
        <section class="part" aria-labelledby="trace-title">
          <header>
            <h3 id="trace-title">All deliveries of this event</h3>
          </header>
          <div class="search-summary">
            <EventDeliveries outcomes={trace} />
          </div>
        </section>
      )}
      {attempts.length > 0 && <Attempts title="Last attempts" attempts={attempts} />}
      <EventBody outcome={outcome} deadLetter={deadLetter} />
    </DetailPane>
  );
}
