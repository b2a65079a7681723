import type { AttemptRow, DeadLetterDetail } from '../../../src/api/serve.js';
import type { ResponseExcerpt } from '../../../src/delivery/outcome.js';
import { Body } from '../../shared/body/body.js';
import { Icon } from '../../shared/controls/icon.js';
import { DetailPane } from '../../shared/detail/detail-pane.js';
import { Fact, MessageFact, UserFact } from '../../shared/detail/facts.js';
import { type Loaded, useLoaded } from '../../shared/detail/use-loaded.js';
import { RefusedError } from '../../shared/receive/call.js';
import { countText, timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { OutcomeWord, Route } from '../list/outcome-word.js';
import type { Outcome } from '../outcomes/outcome.js';
import { lastOf, sentenceOf } from '../outcomes/reason.js';
import { EventDeliveries } from '../search/event-deliveries.js';
import { useNow, useOperations } from '../view/operations.js';
import { Attempts, Response, Responses } from './attempts.js';
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

interface EventBodyProps {
  readonly outcome: Outcome;
  readonly deadLetter: Loaded<DeadLetterDetail>;
}

/** The event as received, which is kept of dead letters and of rejected events. */
function EventBody({ outcome, deadLetter }: EventBodyProps) {
  if (deadLetter.state === 'failed' && !isGone(deadLetter.error)) {
    return (
      <p class="callout bad" role="alert">
        {deadLetter.error instanceof Error ? deadLetter.error.message : String(deadLetter.error)}
      </p>
    );
  }
  const text = deadLetter.state === 'loaded' ? deadLetter.value.event : outcome.text;
  if (text === null) return null;
  return <Body key={outcome.key} content={{ body: text, bodyBase64: null }} />;
}

/** The dead letter was redelivered meanwhile; the stream brings its new outcome. */
function isGone(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 404;
}

/** What the service knows of an outcome beyond its row. */
interface OutcomeDetail {
  /** Those of the last round, with their responses once they are loaded. */
  readonly attempts: readonly AttemptRow[];
  /** Of the last attempt, where no attempt has one. */
  readonly response: ResponseExcerpt | undefined;
  readonly deadLetter: Loaded<DeadLetterDetail>;
}

function useOutcomeDetail({
  deliveryId,
  deadLetterId,
  attempts,
  response,
}: Outcome): OutcomeDetail {
  const { service } = useOperations();
  const delivery = useLoaded(deliveryId, (id, signal) => service.delivery(id, signal));
  const deadLetter = useLoaded(deadLetterId, (id, signal) => service.deadLetter(id, signal));
  // A row that is no longer kept is shown as it was streamed.
  const shown = delivery.state === 'loaded' ? delivery.value.attempts : attempts;
  const hasResponse = shown.some(({ response }) => response !== undefined);
  const stored = deadLetter.state === 'loaded' ? deadLetter.value.response : undefined;
  const last = hasResponse ? undefined : (stored ?? response);
  return { attempts: shown, response: last, deadLetter };
}

/** The main facts of an event at a destination. */
function Facts({ outcome }: { readonly outcome: Outcome }) {
  const operations = useOperations();
  const { nextAt, tries } = outcome;
  return (
    <dl class="facts">
      <Fact name="Outcome">
        <OutcomeWord state={outcome.state} />
        {outcome.code !== null && <code class="quiet"> {outcome.code}</code>}
      </Fact>
      <Fact name="Route">
        <Route outcome={outcome} />
      </Fact>
      <Fact name="Received">
        <Timestamp at={outcome.receivedAt} />
      </Fact>
      {tries > 0 && (
        <Fact name="Attempts">
          {countText(tries)}
          <span class="quiet"> {lastOf(outcome)}</span>
        </Fact>
      )}
      {nextAt !== null && (
        <Fact name={Date.parse(nextAt) > Date.now() ? 'Next attempt' : 'Due since'}>
          <Timestamp at={nextAt} />
        </Fact>
      )}
      <UserFact
        user={outcome.user}
        link="All events of this user"
        onFollow={(user) => operations.showTab('events', { search: user, state: undefined })}
      />
      <MessageFact messageId={outcome.messageId} />
    </dl>
  );
}

function Timestamp({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={at}>
      {timestampText(at, Date.now())}
    </time>
  );
}
