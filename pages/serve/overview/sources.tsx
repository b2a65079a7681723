import type { Overview, RefusedCount, SourceState } from '../../../src/api/serve.js';
import { countOf, countText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { agoText } from '../outcomes/span.js';
import { useNow, useOperations, useView } from '../view/use-view.js';
import { rateText } from './rates.js';

/** The sources and their counters. */
export function Sources({ overview }: { readonly overview: Overview }) {
  const now = useNow();
  return (
    <section class="panel" aria-labelledby="sources-title">
      <h2 id="sources-title">Sources</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Source</th>
            <th scope="col">In/s</th>
            <th scope="col">Received</th>
            <th scope="col">Rejected</th>
            <th scope="col">Last seen</th>
          </tr>
        </thead>
        <tbody>
          {overview.sources.map((source) => (
            <Source key={source.name} source={source} now={now} />
          ))}
        </tbody>
      </table>
      {overview.refused.map((refused) => (
        <Refused key={refused.code} refused={refused} now={now} />
      ))}
    </section>
  );
}

function Source({ source, now }: { readonly source: SourceState; readonly now: number }) {
  const operations = useOperations();
  const { name, enabled, destinations, rejected, repeated, lastReceivedAt } = source;
  const chosen = useView((view) => view.filter.source);
  const isChosen = chosen === name;
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
        {!enabled && <span class="word-off"> off</span>}
        <span class="under">
          →{' '}
          {destinations.length > 0 ? <Received text={destinations.join(', ')} /> : 'no destination'}
        </span>
      </th>
      <td>{rateText(rate)}</td>
      <td>
        {countText(source.received)}
        {repeated > 0 && <span class="under">{countOf(repeated, 'duplicate')}</span>}
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
      <td>
        {lastReceivedAt === null ? (
          <span class="quiet">never</span>
        ) : (
          <time dateTime={lastReceivedAt} title={lastReceivedAt}>
            {agoText(lastReceivedAt, now)}
          </time>
        )}
      </td>
    </tr>
  );
}

/** Requests that were refused as a whole: they belong to no source. */
function Refused({ refused, now }: { readonly refused: RefusedCount; readonly now: number }) {
  return (
    <p class="refused">
      <b>{countOf(refused.count, 'request')} refused</b>, most recently{' '}
      {agoText(refused.lastAt, now)}: <Received text={refused.message} />{' '}
      <code class="quiet">{refused.code}</code>
    </p>
  );
}
