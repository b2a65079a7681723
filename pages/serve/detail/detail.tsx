import { useEffect, useState } from 'preact/hooks';
import type { EventAtDestination, StoredCapture } from '../../../src/api/serve.js';
import { newestRecords } from '../../../src/api/newest-records.js';
import { Body } from '../../shared/body/body.js';
import { Icon } from '../../shared/controls/icon.js';
import { DetailPane } from '../../shared/detail/detail-pane.js';
import { Fact, MessageFact, UserFact } from '../../shared/detail/facts.js';
import { type Loaded, useLoaded } from '../../shared/detail/use-loaded.js';
import { RefusedError } from '../../shared/receive/call.js';
import { countText, timestampText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { OutcomeWord, Route } from '../list/outcome-word.js';
import { lastOf, sentenceOf } from '../outcomes/reason.js';
import { EventDeliveries } from '../search/event-deliveries.js';
import { useNow, useOperations } from '../view/operations.js';
import { Attempts, Response, Responses } from './attempts.js';
import { RequestContent, RequestFacts } from './request.js';
import { isSameEvent } from './same-event.js';

/** The details of an event at a destination, and its deliveries to the others in brief. */
export function Detail({ outcome: opened }: { readonly outcome: EventAtDestination }) {
  const operations = useOperations();
  const now = useNow();
  const isRequest = useIsRequest(opened);
  const trace = useTrace(opened, isRequest);
  const outcome = trace.find(({ id }) => id === opened.id) ?? opened;
  const { state, type, name, messageId, code } = outcome;
  const detail = useDetail(outcome, isRequest);
  const known = detail.state === 'loaded' ? detail.value : outcome;
  const endpoints = known.endpoints.length > 0 ? known.endpoints : outcome.endpoints;
  const response = known.response ?? outcome.response;
  const hasResponses = endpoints.some((attempt) => attempt.response !== undefined);
  const isBad = state === 'failed' || state === 'rejected';
  return (
    <DetailPane
      label={isRequest ? 'Request' : 'Event'}
      type={type}
      name={name ?? messageId ?? code ?? ''}
    >
      <p class={isBad ? 'callout bad outcome' : 'callout outcome'}>
        <strong>
          <OutcomeWord state={state} />
          {code !== null && <code class="quiet"> {code}</code>}
        </strong>
        <Received text={sentenceOf(outcome, now)} />
      </p>
      {state === 'failed' && (known.text ?? known.request) !== undefined && (
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
      <Facts outcome={outcome} request={known.request} />
      <Responses attempts={endpoints} />
      {response && !hasResponses && (
        <Response title="Response" status={outcome.status} response={response} />
      )}
      {trace.length > 1 && (
        <section class="part" aria-labelledby="trace-title">
          <header>
            <h3 id="trace-title">All deliveries of this {isRequest ? 'request' : 'event'}</h3>
          </header>
          <div class="search-summary">
            <EventDeliveries outcomes={trace} />
          </div>
        </section>
      )}
      {endpoints.length > 0 && <Attempts title="Last attempts" attempts={endpoints} />}
      {known.request ? (
        <RequestContent key={outcome.id} request={known.request} />
      ) : (
        <EventBody outcome={outcome} detail={detail} />
      )}
    </DetailPane>
  );
}

interface EventBodyProps {
  readonly outcome: EventAtDestination;
  readonly detail: Loaded<EventAtDestination>;
}

/** The event as received, which is kept of dead letters and of rejected events. */
function EventBody({ outcome, detail }: EventBodyProps) {
  if (detail.state === 'failed' && !isGone(detail.error)) {
    return (
      <p class="callout bad" role="alert">
        {detail.error instanceof Error ? detail.error.message : String(detail.error)}
      </p>
    );
  }
  const text = detail.state === 'loaded' ? detail.value.text : outcome.text;
  if (text === undefined) return null;
  return <Body key={outcome.id} content={{ body: text, bodyBase64: null }} />;
}

/** The service does not keep it any more; it is shown as it was listed. */
function isGone(error: unknown): boolean {
  return error instanceof RefusedError && error.status === 404;
}

/** Whether it is a request of any sender, and not an event. */
function useIsRequest({ source }: EventAtDestination): boolean {
  const { value: overview } = useOperations().overview;
  return overview?.sources.some(({ name, raw }) => name === source && raw) ?? false;
}

/** What the service knows beyond the listed record: what responses said, the text of a dead letter, a request. */
function useDetail(
  { id, state, attempts, endpoints }: EventAtDestination,
  isRequest: boolean,
): Loaded<EventAtDestination> {
  const { service } = useOperations();
  const isKept = state === 'failed' || endpoints.length > 0 || isRequest;
  return useLoaded(isKept ? `${id} ${state} ${attempts}` : null, (_, signal) =>
    service.event(id, signal),
  );
}

/** Everything that is known of the event of an outcome, at all destinations; itself at least. */
function useTrace(outcome: EventAtDestination, isRequest: boolean): readonly EventAtDestination[] {
  const operations = useOperations();
  const { service, log } = operations;
  const { value: overview } = operations.overview;
  const [stored, setStored] = useState<readonly EventAtDestination[]>([]);
  const [found, setFound] = useState<readonly EventAtDestination[]>([]);
  const { messageId, source } = outcome;
  useEffect(() => {
    if (messageId === null) return undefined;
    const abort = new AbortController();
    service.search({ search: messageId, source }, abort.signal).then(
      ({ events }) => setFound(events),
      () => undefined,
    );
    return () => abort.abort();
  }, [messageId, source]);
  useEffect(() => {
    if (messageId === null || outcome.state === 'rejected') return undefined;
    const abort = new AbortController();
    const query = { search: messageId, source };
    void Promise.all([
      service.list('waiting', query, abort.signal),
      service.list('dead-letters', query, abort.signal),
    ]).then(
      ([waiting, deadLetters]) => setStored([...waiting.rows, ...deadLetters.rows]),
      // The outcome from the list is still shown.
      () => undefined,
    );
    return () => abort.abort();
    // Loaded again with each overview, which arrives at most once a second after a change.
  }, [messageId, source, overview]);
  const isSame = (other: EventAtDestination): boolean => isSameEvent(outcome, other, isRequest);
  const live = log.toArray().filter(isSame);
  const base = live.some(({ id }) => id === outcome.id) ? [] : [outcome];
  const known = [...stored, ...found].filter(isSame);
  return newestRecords([...base, ...live, ...known]);
}

/** The main facts of an event at a destination. */
function Facts({
  outcome,
  request,
}: {
  readonly outcome: EventAtDestination;
  readonly request: StoredCapture | undefined;
}) {
  const operations = useOperations();
  const { nextAt, attempts } = outcome;
  return (
    <dl class="facts">
      <Fact name="Route">
        <Route outcome={outcome} />
      </Fact>
      {request && <RequestFacts request={request} />}
      <Fact name="Received">
        <Timestamp at={outcome.receivedAt} />
      </Fact>
      {attempts > 0 && (
        <Fact name="Attempts">
          {countText(attempts)}
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
