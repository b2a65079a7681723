import type {
  Overview as Known,
  RawSourceState,
  RefusedCount,
  SourceState,
} from '../../../src/api/serve.js';
import { Icon } from '../../shared/controls/icon.js';
import { countOf, countText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { Traffic } from '../charts/traffic.js';
import { agoText } from '../outcomes/span.js';
import { progressText } from '../replays/progress.js';
import { useNow, useOperations } from '../view/operations.js';
import { Destinations } from './destinations.js';
import { attentionOf } from './health.js';
import { instancesText } from './instances.js';
import { rateText } from './rates.js';
import { UserQueues } from './user-queues.js';

/** Whether anything is wrong, what happened over time, the sources, and the destinations. */
export function Overview({ overview }: { readonly overview: Known }) {
  return (
    <div class="overview">
      <Attention overview={overview} />
      <RunningReplays />
      {overview.instances.length > 0 && (
        <p class="attention quiet">
          <Received text={instancesText(overview.instances)} />
        </p>
      )}
      <Traffic />
      <div class="panels">
        <Sources overview={overview} />
        <Destinations destinations={overview.destinations} />
      </div>
      <UserQueues destinations={overview.destinations} />
    </div>
  );
}

/** More names than these are only counted. */
const maxNames = 5;

/** The state of all destinations in one line. */
function Attention({ overview }: { readonly overview: Known }) {
  const { text, names } = attentionOf(overview.destinations);
  const rest = names.length - maxNames;
  if (overview.destinations.length === 0) return null;
  return (
    <p class={names.length > 0 ? 'attention bad' : 'attention'} role="status">
      <Icon name={names.length > 0 ? 'bolt' : 'check'} />
      <b>{text}</b>
      {names.length > 0 && (
        <span class="quiet">
          <Received text={names.slice(0, maxNames).join(', ')} />
          {rest > 0 && ` and ${countText(rest)} more`}
        </span>
      )}
    </p>
  );
}

/** The replays that run, in one line; nothing while none does. */
function RunningReplays() {
  const operations = useOperations();
  const { running } = operations.replays;
  if (running.length === 0) return null;
  const texts = running.map((one) => `${one.destination}: ${progressText(one)}`);
  return (
    <p class="attention">
      <Icon name="replay" />
      <b>{countOf(running.length, 'replay')} running</b>
      <span class="quiet">
        <Received text={texts.join(' · ')} />
      </span>
      <button class="link" onClick={() => operations.show({ name: 'replays' })}>
        Show
      </button>
    </p>
  );
}

const sinceStart = 'Since the service started';

/** The sources and their counters. */
function Sources({ overview }: { readonly overview: Known }) {
  const now = useNow();
  // What instances share is counted in their store.
  const counted = overview.instances.length === 0 ? sinceStart : undefined;
  return (
    <section class="panel sources-panel" aria-labelledby="sources-title">
      <h2 class="sr-only" id="sources-title">
        Sources
      </h2>
      <table class="sources">
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col">In/s</th>
            <th scope="col" title={counted}>
              Received
            </th>
            <th scope="col" title={counted}>
              Rejected
            </th>
            <th scope="col" class="last-seen">
              Last seen
            </th>
          </tr>
        </thead>
        <tbody>
          {overview.sources.map((source) => (
            <Source key={source.name} source={source} now={now} />
          ))}
        </tbody>
      </table>
      {overview.refused.map((refused) => (
        <Refused key={`${refused.code} ${refused.source ?? ''}`} refused={refused} now={now} />
      ))}
    </section>
  );
}

function Source({ source, now }: { readonly source: SourceState; readonly now: number }) {
  const operations = useOperations();
  const { name, enabled, destinations, rejected, repeated, lastReceivedAt } = source;
  const isChosen = operations.filter.value.source === name;
  const rate = operations.rates.of('source', name, performance.now());
  return (
    <tr class={isChosen ? 'chosen' : ''}>
      <th scope="row">
        <button
          class="name-button"
          aria-pressed={isChosen}
          title={
            isChosen ? 'Show the events of all sources' : 'Show only the events of this source'
          }
          onClick={() => operations.setFilter({ source: isChosen ? undefined : name })}
        >
          <Received text={name} />
        </button>
        {source.raw && (
          <code class="quiet" title={rawTitle(source.raw)}>
            {' '}
            <Received text={source.raw.path} />
          </code>
        )}
        {!enabled && <span class="word-off"> off</span>}
        <span class="about" title={destinations.join('\n')}>
          <span class="note">
            →{' '}
            {destinations.length > 0 ? (
              <Received text={destinations.join(', ')} />
            ) : (
              'no destination'
            )}
          </span>
        </span>
      </th>
      <td>{rateText(rate)}</td>
      <td title={repeated > 0 ? `${countOf(repeated, 'duplicate')} among them` : undefined}>
        {countText(source.received)}
      </td>
      <td>
        {rejected > 0 ? (
          <button class="link bad" onClick={() => operations.showTab('rejected', { source: name })}>
            {countText(rejected)}
          </button>
        ) : (
          '0'
        )}
      </td>
      <td class="last-seen">
        {lastReceivedAt === null ? (
          <span class="quiet" title={sinceStart}>
            not since start
          </span>
        ) : (
          <time dateTime={lastReceivedAt} title={lastReceivedAt}>
            {agoText(lastReceivedAt, now)}
          </time>
        )}
      </td>
    </tr>
  );
}

/** How a source takes the requests of any sender. */
function rawTitle({ scheme, verified, enforced }: RawSourceState): string {
  if (!verified) return 'Takes every request; nothing is verified';
  const how = `Verified by ${scheme === 'auto' ? 'the scheme of its headers' : scheme}`;
  return enforced
    ? `${how}; what is not valid gets 401`
    : `${how}; what is not valid is taken, too`;
}

/** Requests that were refused as a whole. */
function Refused({ refused, now }: { readonly refused: RefusedCount; readonly now: number }) {
  const { code, source, count, lastAt, message } = refused;
  return (
    <p class="refused" title={`${message} (${code})`}>
      <b>{countOf(count, 'request')} refused</b>
      {source !== null && (
        <>
          {' '}
          at <Received text={source} />
        </>
      )}
      , last {agoText(lastAt, now)}: <Received text={message} /> <code class="quiet">{code}</code>
    </p>
  );
}
