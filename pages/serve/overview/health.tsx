import type { DestinationState, EndpointHealth } from '../../../src/api/serve.js';
import type { IconName } from '../../shared/controls/icon.js';
import { StateWord } from '../../shared/controls/status.js';
import { countOf, errorText } from '../../shared/text/format.js';
import { useOperations } from '../view/operations.js';

export const healthIcons: Readonly<Record<Health, IconName>> = {
  delivering: 'check',
  waiting: 'clock',
  paused: 'pause',
  failing: 'bolt',
  gone: 'trash',
  down: 'cross',
  off: 'stop',
  removed: 'dash',
  idle: 'circle',
};

/** The health of a destination, `failing · 500`, `delivering, 6% failing`; where it has failed, a button that shows how. */
export function HealthWord({ destination }: { readonly destination: DestinationState }) {
  const operations = useOperations();
  const health = healthOf(destination, operations.overviewAgeMs);
  const word = stateText(destination, health, operations.overviewAgeMs);
  const meaning = `${health}: ${healthMeanings[health]}`;
  const state = <StateWord state={health} icon={healthIcons[health]} word={word} />;
  if ((!hasFailed.has(health) && word === health) || destination.lastFailure === null) {
    return <span title={meaning}>{state}</span>;
  }
  return (
    <button
      class="state-button"
      title={`${meaning}. Click to see the last failure`}
      onClick={() => operations.show({ name: 'last-failure', destination: destination.name })}
    >
      {state}
    </button>
  );
}

/** The health, with the last result where it fails, or with the share that fails where it delivers. */
export function stateText(destination: DestinationState, health: Health, ageMs: number): string {
  const failing = health === 'delivering' ? failingText(destination, ageMs) : undefined;
  if (failing !== undefined) return `${health}, ${failing}`;
  const result = lastResultOf(destination, health);
  return result === undefined ? health : `${health} · ${result}`;
}

/**
 * The share of the attempts of the last minute that did not deliver, `6% failing`; undefined for none.
 *
 * @param ageMs of the overview: it is sent again only when something has changed
 */
function failingText({ lastMinute }: DestinationState, ageMs: number): string | undefined {
  const { delivered, failedAttempts } = lastMinute;
  if (failedAttempts === 0 || ageMs >= 60_000) return undefined;
  const percent = Math.round((100 * failedAttempts) / (delivered + failedAttempts));
  return `${percent === 0 ? '<1' : percent}% failing`;
}

/** What an operator should look at, the names in the order of the list. */
const needAttention: ReadonlySet<Health> = new Set(['failing', 'down', 'gone', 'paused']);

/** The state of all destinations in a few words, and the names of those that need attention. */
export function attentionOf(destinations: readonly DestinationState[]): {
  readonly text: string;
  readonly names: readonly string[];
} {
  const active = destinations.map((one) => [one.name, healthOf(one)] as const);
  const names = active.filter(([, health]) => needAttention.has(health)).map(([name]) => name);
  if (names.length > 0) {
    const verb = names.length === 1 ? 'needs' : 'need';
    return { text: `${countOf(names.length, 'destination')} ${verb} attention`, names };
  }
  const used = active.filter(([, health]) => health === 'delivering' || health === 'waiting');
  if (used.length === 0) return { text: 'No destination has got an event yet', names };
  const isAll = used.length === active.length;
  return { text: isAll ? 'All destinations deliver' : 'All destinations in use deliver', names };
}

const hasFailed: ReadonlySet<Health> = new Set(['failing', 'gone', 'down', 'waiting', 'paused']);

/** How a destination is; `healthMeanings` says what each one means. */
export type Health =
  'delivering' | 'waiting' | 'paused' | 'failing' | 'gone' | 'down' | 'off' | 'removed' | 'idle';

/** What each state means, in the order of the docs. */
export const healthMeanings: Readonly<Record<Health, string>> = {
  delivering: 'events are delivered; the share of attempts that failed in the last minute is shown',
  waiting: 'events wait for a retry, and none was delivered in the last minute',
  paused: 'every endpoint has asked for a pause (Retry-After)',
  failing:
    'the endpoint responds, but most recent attempts did not deliver; its last status is shown',
  gone: 'the endpoint responded 410 Gone: switch the destination off, or remove the endpoint',
  down: 'the endpoint cannot be reached: refused, timed out, no such host, TLS, …',
  off: 'switched off, manually or in the configuration file; new events are not forwarded',
  removed: 'no longer in the configuration file; events still wait for it',
  idle: 'no attempt since the service was started',
};

/** @param ageMs of the overview: its last minute says nothing about now when it is old */
export function healthOf(destination: DestinationState, ageMs = 0): Health {
  const { configured, enabled, endpoints, retrying, lastMinute } = destination;
  if (!configured) return 'removed';
  if (!enabled) return 'off';
  if (endpoints.length > 0 && endpoints.every(({ pausedUntil }) => pausedUntil !== null)) {
    return 'paused';
  }
  // An event is delivered as soon as one endpoint has accepted it.
  const worst = endpointHealths.find((health) => endpoints.some((one) => one.health === health));
  if (worst === undefined) return retrying > 0 ? 'waiting' : 'idle';
  if (worst !== 'up') return worst;
  const isDelivering = lastMinute.delivered > 0 && ageMs < 60_000;
  return retrying > 0 && !isDelivering ? 'waiting' : 'delivering';
}

/** The first one that an endpoint has is that of its destination. */
const endpointHealths = ['up', 'failing', 'down', 'gone'] as const satisfies EndpointHealth[];

/** The status behind `failing` or `gone`, or the error where there was no response; undefined for others. */
export function lastResultOf({ endpoints }: DestinationState, health: Health): string | undefined {
  if (health !== 'failing' && health !== 'gone') return undefined;
  const endpoint = endpoints.find((one) => one.health === health);
  if (!endpoint) return undefined;
  const { lastStatus, lastError } = endpoint;
  if (lastStatus !== null) return String(lastStatus);
  return lastError === null ? undefined : errorText(lastError);
}
