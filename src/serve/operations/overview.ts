import type { DestinationState, EndpointState, Overview, SourceState } from '../../api/serve.js';
import { withoutQuery } from '../../http/url.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import { headerPairs } from '../../webhook/settings.js';
import type { DestinationState as ForwardingState, Forwarder } from '../forward/forwarder.js';
import type { ServiceStore } from '../store/service-store.js';
import type { Count } from '../store/counts.js';
import type { Destination, Routing, Source } from '../types.js';
import { attemptRow, timeOf } from './rows.js';
import type { Counters } from './counters.js';

/** The configuration as read, and as active with the switches applied. */
export interface Configuration {
  readonly configured: Routing;
  readonly active: Routing;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Why the current file is not active. */
  readonly error: string | undefined;
}

export interface OverviewParts {
  readonly store: ServiceStore;
  readonly forwarder: Forwarder;
  readonly counters: Counters;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly configuration: () => Configuration;
}

/** The state of the whole service. */
export function overviewOf(parts: OverviewParts): Overview {
  const { at, error, active } = parts.configuration();
  const counts = parts.store.counts();
  const { failure, setAside } = parts.store;
  return {
    sources: active.sources.map((source) => sourceState(source, parts.counters, counts)),
    destinations: destinationStates(parts),
    hasReceived: counts.length > 0,
    startedAt: timeOf(parts.startedAt),
    configuredAt: timeOf(at),
    configurationError: error ?? null,
    stateError: failure === undefined ? null : (failure as Error).message,
    refused: parts.counters.refused,
    deadLettersDropped: sumOf(counts, ({ what }) => what === 'dropped'),
    damagedBlocks: setAside.blocks,
    damagedEvents: setAside.events,
  };
}

function sourceState(source: Source, counters: Counters, counts: readonly Count[]): SourceState {
  const { name, isEnabled, destinations } = source;
  const { received, rejected, lastReceivedAt } = counters.source(name);
  return {
    ...{ name, enabled: isEnabled, destinations, received, rejected },
    repeated: sumOf(counts, ({ source: of, what }) => of === name && what === 'repeated'),
    lastReceivedAt: lastReceivedAt === undefined ? null : timeOf(lastReceivedAt),
  };
}

/** Configured destinations, and removed ones for which events still wait. */
export function destinationStates(parts: OverviewParts): DestinationState[] {
  const counts = parts.store.counts();
  return parts.forwarder.destinations().map((state) => destinationState(state, parts, counts));
}

function destinationState(
  state: ForwardingState,
  { store, counters, configuration }: OverviewParts,
  counts: readonly Count[],
): DestinationState {
  const { name, waiting, retrying, nextRetryAt, notAttemptedSince } = state;
  const { configured, active } = configuration();
  const found = configured.destinations.find((destination) => destination.name === name);
  const { delivered, failed, lastFailure } = counters.destination(name);
  return {
    name,
    ...settingsOf(found, state, counters),
    configured: state.isConfigured,
    enabled: state.isEnabled,
    sources: active.sources
      .filter(({ destinations }) => destinations.includes(name))
      .map((source) => source.name),
    queued: waiting - retrying,
    queuedSince: notAttemptedSince === undefined ? null : timeOf(notAttemptedSince),
    retrying,
    nextRetryAt: nextRetryAt === undefined ? null : timeOf(nextRetryAt),
    deadLetters: store.views.deadLetterCount(name),
    deadLettersDropped: sumOf(
      counts,
      ({ destination, what }) => destination === name && what === 'dropped',
    ),
    delivered,
    failed,
    lastFailure: lastFailure ? attemptRow(lastFailure) : null,
  };
}

function settingsOf(found: Destination | undefined, state: ForwardingState, counters: Counters) {
  return {
    integrationName: found?.integrationName ?? '',
    configuredEnabled: found?.isEnabled ?? false,
    signed: found?.signing !== undefined,
    allowPrivateNetworks: found?.allowPrivateNetworks ?? false,
    endpoints: (found?.endpoints ?? []).map((endpoint) => endpointState(endpoint, state, counters)),
  };
}

function endpointState(
  { url, headers }: Endpoint,
  { name: destination, down: probed, paused }: ForwardingState,
  counters: Counters,
): EndpointState {
  const shown = withoutQuery(url);
  const until = paused.get(shown);
  const report = counters.endpoint(destination, shown);
  return {
    url: shown,
    ...report,
    down: report.health === 'down',
    probing: probed.includes(shown),
    pausedUntil: until === undefined ? null : timeOf(until),
    headerNames: headerPairs(headers).map(([name]) => name),
  };
}

function sumOf(counts: readonly Count[], isCounted: (count: Count) => boolean): number {
  return counts.reduce((sum, count) => sum + (isCounted(count) ? count.count : 0), 0);
}
