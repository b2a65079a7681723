import type { DestinationState } from '../../../src/api/serve.js';
import { Icon } from '../../shared/controls/icon.js';
import { countText } from '../../shared/text/format.js';
import { timestampText } from '../../shared/text/timestamp.js';
import { Received } from '../../shared/text/received.js';
import { responseOf } from '../outcomes/reason.js';
import { agoText, spanText } from '../outcomes/span.js';
import { useNow, useOperations, useView } from '../view/use-view.js';
import { healthOf, type Health } from './health.js';
import { HealthWord } from './health-word.js';
import { rateText } from './rates.js';
import { Toggle } from './toggle.js';

/** The destinations and their states. */
export function Destinations(props: { readonly destinations: readonly DestinationState[] }) {
  const now = useNow();
  const { log } = useOperations();
  useView((view) => view.version);
  const outcomes = log.toArray();
  return (
    <section class="panel" aria-labelledby="destinations-title">
      <h2 id="destinations-title">Destinations</h2>
      <table class="destinations">
        <thead>
          <tr>
            <th scope="col">State</th>
            <th scope="col">Destination</th>
            <th scope="col">Out/s</th>
            <th scope="col">Queued</th>
            <th scope="col">Waiting</th>
            <th scope="col">Dead letters</th>
            <th scope="col">
              <span class="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.destinations.map((destination) => (
            <Destination
              key={destination.name}
              destination={destination}
              health={healthOf(destination, outcomes)}
              now={now}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface DestinationProps {
  readonly destination: DestinationState;
  readonly now: number;
}

function Destination({ destination, health, now }: DestinationProps & { readonly health: Health }) {
  const operations = useOperations();
  const { name, enabled, deadLetters } = destination;
  const rate = operations.rates.of('destination', name, performance.now());
  const isChosen = useView((view) => view.filter.destination) === name;
  return (
    <tr class={isChosen ? 'chosen' : ''}>
      <td class="state-cell">
        <HealthWord health={health} />
      </td>
      <th scope="row">
        <button
          class="name-button"
          aria-pressed={isChosen}
          title={isChosen ? 'Show all destinations' : 'Show only the events of this destination'}
          onClick={() => operations.setFilter({ destination: isChosen ? undefined : name })}
        >
          <Received text={name} />
        </button>
        <Named destination={destination} />
        <Endpoints destination={destination} />
        <Pause destination={destination} now={now} />
        {(health === 'down' || health === 'waiting') && (
          <LastFailure destination={destination} now={now} />
        )}
      </th>
      <td data-label="Out/s">{rateText(rate)}</td>
      <td data-label="Queued">
        <Queued destination={destination} now={now} />
      </td>
      <td data-label="Waiting">
        <Waiting destination={destination} now={now} />
      </td>
      <td data-label="Dead letters">
        {deadLetters > 0 ? (
          <button
            class="link bad"
            onClick={() => operations.showTab('dead-letters', { destination: name })}
          >
            {countText(deadLetters)}
          </button>
        ) : (
          '0'
        )}
        <Dropped destination={destination} />
      </td>
      <td class="row-actions">
        {destination.configured && (
          <>
            <button
              class="icon-button"
              aria-label={`Send a test event to ${name}`}
              title="Send a test event"
              onClick={() => operations.show({ name: 'test', destination: name })}
            >
              <Icon name="send" />
            </button>
            <Toggle name={name} isOn={enabled} />
          </>
        )}
      </td>
    </tr>
  );
}

/** Its integration name, and whether it differs from the configuration file. */
function Named({ destination }: { readonly destination: DestinationState }) {
  const { name, integrationName, configured, enabled, configuredEnabled } = destination;
  return (
    <span class="quiet">
      {integrationName !== name && integrationName !== 'Webhooks' && (
        <>
          {' '}
          <Received text={integrationName} />
        </>
      )}
      {!configured && ' no longer in the configuration'}
      {configured && enabled !== configuredEnabled && ' switched manually'}
    </span>
  );
}

function Endpoints({ destination: { endpoints } }: { readonly destination: DestinationState }) {
  const [first, ...rest] = endpoints;
  if (!first) return null;
  return (
    <span class="under mono" title={endpoints.map(({ url }) => url).join('\n')}>
      <Received text={first.url} />
      {rest.length > 0 && ` and ${countText(rest.length)} more`}
    </span>
  );
}

/** Until the first endpoint resumes when all are paused, or else until the last one does. */
function Pause({ destination: { endpoints }, now }: DestinationProps) {
  const paused = endpoints.filter(({ pausedUntil }) => pausedUntil !== null);
  const until = paused.map(({ pausedUntil }) => pausedUntil!).sort();
  if (until.length === 0) return null;
  const isAll = paused.length === endpoints.length;
  const title = paused.map((one) => `${one.url} until ${one.pausedUntil!}`).join('\n');
  return (
    <span class="under warn" title={title}>
      {!isAll && `${countText(paused.length)} of ${countText(endpoints.length)} `}
      paused until {secondText((isAll ? until[0] : until.at(-1))!, now)}
    </span>
  );
}

/** The time without its milliseconds. */
function secondText(iso: string, now: number): string {
  return timestampText(iso, now).replace(/\.\d+$/, '');
}

function LastFailure({ destination: { lastFailure }, now }: DestinationProps) {
  if (!lastFailure) return null;
  return (
    <span class="under bad">
      last failure: <Received text={responseOf(lastFailure)} /> {agoText(lastFailure.at, now)}
    </span>
  );
}

/** Dead letters that were replaced by newer ones. */
function Dropped({ destination }: { readonly destination: DestinationState }) {
  const { deadLettersDropped } = destination;
  if (deadLettersDropped === 0) return null;
  return (
    <span
      class="under"
      title="The oldest were dropped to make room for newer ones. deadLetters.keep in the configuration file sets how many are kept."
    >
      {countText(deadLettersDropped)} dropped
    </span>
  );
}

/** Events without an attempt so far, with the age of the oldest once it is noteworthy. */
function Queued({ destination: { queued, queuedSince }, now }: DestinationProps) {
  const age = queuedSince === null ? 0 : now - Date.parse(queuedSince);
  return (
    <>
      {countText(queued)}
      {age >= agedMs && <span class="under">for {spanText(age)}</span>}
    </>
  );
}

const agedMs = 60_000;

function Waiting({ destination, now }: DestinationProps) {
  const operations = useOperations();
  const { name, retrying, nextRetryAt } = destination;
  if (retrying === 0) return <>0</>;
  const rest = nextRetryAt === null ? undefined : Date.parse(nextRetryAt) - now;
  return (
    <>
      <button
        class="link warn"
        onClick={() => operations.showTab('waiting', { destination: name })}
      >
        {countText(retrying)}
      </button>
      {rest !== undefined && <span class="under">{nextText(rest)}</span>}
    </>
  );
}

/** Overdue events wait until a probe succeeds. */
function nextText(rest: number): string {
  return rest > 0 ? `next in ${spanText(rest)}` : 'until it recovers';
}
