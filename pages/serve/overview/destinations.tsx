import { useState } from 'preact/hooks';
import type { DestinationState, EndpointState } from '../../../src/api/serve.js';
import { Icon } from '../../shared/controls/icon.js';
import { countText } from '../../shared/text/format.js';
import { Received } from '../../shared/text/received.js';
import { useNow, useOperations } from '../view/operations.js';
import { notesOf } from './destination-notes.js';
import { settingsText } from './endpoint-settings.js';
import { HealthWord } from './health.js';
import { rateText } from './rates.js';
import { isEmpty, takesOnlyRequests } from './sources-of.js';

interface DestinationsProps {
  readonly destinations: readonly DestinationState[];
}

/** The destinations and their states, a line for each. */
export function Destinations({ destinations }: DestinationsProps) {
  const now = useNow();
  return (
    <section class="panel destinations-panel" aria-labelledby="destinations-title">
      <h2 class="sr-only" id="destinations-title">
        Destinations
      </h2>
      {destinations.length === 0 ? (
        <p class="panel-note">No destination in the configuration.</p>
      ) : (
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
            {destinations.map((destination) => (
              <DestinationRow key={destination.name} destination={destination} now={now} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface DestinationProps {
  readonly destination: DestinationState;
  /** In milliseconds. */
  readonly now: number;
}

/** A destination in one line. */
function DestinationRow({ destination, now }: DestinationProps) {
  const operations = useOperations();
  const { name, queued, retrying, deadLetters } = destination;
  const rate = operations.rates.of('destination', name, performance.now());
  const isChosen = operations.filter.value.destination === name;
  return (
    <tr class={isChosen ? 'chosen' : ''}>
      <td class="state-cell">
        <HealthWord destination={destination} />
      </td>
      <th scope="row">
        <Name destination={destination} isChosen={isChosen} />
        <About destination={destination} now={now} />
      </th>
      <td data-label="Out/s">{rateText(rate)}</td>
      <td data-label="Queued">{countText(queued)}</td>
      <td data-label="Waiting">
        <Count
          count={retrying}
          class="link warn"
          onClick={() => operations.showTab('waiting', { destination: name })}
        />
      </td>
      <td data-label="Dead letters">
        <Count
          count={deadLetters}
          class="link bad"
          onClick={() => operations.showTab('dead-letters', { destination: name })}
        />
      </td>
      <td class="row-actions">
        <Actions destination={destination} />
      </td>
    </tr>
  );
}

interface NameProps {
  readonly destination: DestinationState;
  readonly isChosen: boolean;
}

function Name({ destination: { name, integrationName }, isChosen }: NameProps) {
  const operations = useOperations();
  return (
    <>
      <button
        class="name-button"
        aria-pressed={isChosen}
        title={isChosen ? 'Show all destinations' : 'Show only the events of this destination'}
        onClick={() => operations.setFilter({ destination: isChosen ? undefined : name })}
      >
        <Received text={name} />
      </button>
      {integrationName !== name && integrationName !== 'Webhooks' && (
        <span class="quiet">
          {' '}
          <Received text={integrationName} />
        </span>
      )}
    </>
  );
}

/** What is to be said of it, then its endpoints; in one line, in full as a tooltip. */
function About({ destination, now }: DestinationProps) {
  const operations = useOperations();
  const { value: overview } = operations.overview;
  const { name, endpoints } = destination;
  const canBeFilled = overview?.kept != null && isEmpty(overview, destination);
  const notes = notesOf(destination, now);
  const [first, ...rest] = endpoints;
  const lines = endpoints.map((endpoint) => lineOf(endpoint, '\n  '));
  const title = [...notes.map(({ text }) => text), ...lines].join('\n');
  return (
    <span class="about" title={title}>
      {canBeFilled && (
        <>
          <button
            class="link"
            onClick={() => operations.show({ name: 'replay', destination: name })}
          >
            Fill with kept events
          </button>
          {' · '}
        </>
      )}
      {notes.map(({ text, tone }, index) => (
        <span key={text}>
          {index > 0 && ' · '}
          <span class={`note ${tone}`}>{text}</span>
        </span>
      ))}
      {notes.length > 0 && first && ' · '}
      {first && (
        <span class="note mono">
          <Received text={lineOf(first, ' · ')} />
          {rest.length > 0 && ` and ${countText(rest.length)} more`}
        </span>
      )}
    </span>
  );
}

function lineOf({ url, settings }: EndpointState, separator: string): string {
  const own = settingsText(settings);
  return own === '' ? url : url + separator + own;
}

interface CountProps {
  readonly count: number;
  readonly class: string;
  readonly onClick: () => void;
}

/** A number that opens the list that it counts. */
function Count({ count, class: name, onClick }: CountProps) {
  if (count === 0) return <>0</>;
  return (
    <button class={name} onClick={onClick}>
      {countText(count)}
    </button>
  );
}

function Actions({ destination }: { readonly destination: DestinationState }) {
  const operations = useOperations();
  const { name, configured, enabled } = destination;
  const { value: overview } = operations.overview;
  const what = takesOnlyRequests(overview, name) ? 'request' : 'event';
  if (!configured) return null;
  return (
    <>
      {enabled && overview?.kept && (
        <button
          class="icon-button"
          aria-label={`Replay kept events to ${name}`}
          title="Replay kept events"
          onClick={() => operations.show({ name: 'replay', destination: name })}
        >
          <Icon name="replay" />
        </button>
      )}
      <button
        class="icon-button"
        aria-label={`Send a test ${what} to ${name}`}
        title={`Send a test ${what}`}
        onClick={() => operations.show({ name: 'test', destination: name })}
      >
        <Icon name="send" />
      </button>
      <Toggle name={name} isOn={enabled} />
    </>
  );
}

interface ToggleProps {
  readonly name: string;
  readonly isOn: boolean;
}

/** Turns a destination on at once, and off after a confirmation: new events are not forwarded then. */
function Toggle({ name, isOn }: ToggleProps) {
  const operations = useOperations();
  const [isBusy, setBusy] = useState(false);
  const turnOn = async (): Promise<void> => {
    setBusy(true);
    try {
      await operations.switchDestination(name, true);
    } catch (error) {
      operations.notify((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <button
      class="toggle"
      role="switch"
      aria-checked={isOn}
      aria-label={name}
      title={isOn ? 'On: click to turn off' : 'Off: click to turn on'}
      disabled={isBusy}
      onClick={() =>
        isOn ? operations.show({ name: 'turn-off', destination: name }) : void turnOn()
      }
    />
  );
}
