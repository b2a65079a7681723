import type {
  DestinationState,
  EndpointState,
  Overview,
  RawSourceState,
  ShownSettings,
  SourceState,
} from '../../api/serve.js';
import { shownProxy } from '../../http/proxy/proxy-url.js';
import { withoutQuery } from '../../http/url.js';
import type { Endpoint } from '../../webhook/endpoint.js';
import { ownSettings } from '../../webhook/endpoint-settings.js';
import { headerPairs } from '../../webhook/settings.js';
import type { DestinationState as ForwardingState, Forwarder } from '../forward/forwarder.js';
import type { ServiceStore } from '../store/service-store.js';
import type { RawSource } from '../raw/source.js';
import type { Destination, Routing, Source } from '../types.js';
import { attemptRow, timeOf } from './api-records.js';
import type { Counters } from './counters.js';
import type { Timeline } from './timeline.js';

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
  readonly timeline: Pick<Timeline, 'lastMinute'>;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly configuration: () => Configuration;
}

/** The state of the whole service. */
export function overviewOf(
  parts: OverviewParts,
): Omit<Overview, 'instances' | 'oldestTransactionSeconds' | 'kept'> {
  const { at, error, active } = parts.configuration();
  const { failure, views, setAside } = parts.store;
  return {
    sources: active.sources.map((source) => sourceState(source, parts)),
    destinations: destinationStates(parts),
    hasReceived: views.hasReceived,
    startedAt: timeOf(parts.startedAt),
    configuredAt: timeOf(at),
    configurationError: error ?? null,
    stateError: failure === undefined ? null : (failure as Error).message,
    refused: parts.counters.refused,
    deadLettersDropped: views.droppedCount(),
    damagedBlocks: setAside.blocks,
    damagedEvents: setAside.events,
  };
}

/** What was last shown of each source: making and collecting thousands of objects takes longer than all else. */
const shownSources = new WeakMap<Source, { readonly at: number | undefined; state: SourceState }>();

function sourceState(source: Source, { counters, store }: OverviewParts): SourceState {
  const { name, isEnabled, destinations } = source;
  const { lastReceivedAt: at, refused, ...counted } = counters.source(name);
  const total = store.views.totals?.ofSource(name) ?? counted;
  const [received, rejected] = [total.received + refused, total.rejected + refused];
  const repeated = store.views.repeatedCount(name);
  const shown = shownSources.get(source);
  const isSame =
    shown?.at === at &&
    shown?.state.received === received &&
    shown.state.rejected === rejected &&
    shown.state.repeated === repeated;
  if (isSame) return shown.state;
  const state: SourceState = {
    name,
    ...(source.raw && { raw: rawState(source.raw) }),
    enabled: isEnabled,
    destinations,
    received,
    rejected,
    repeated,
    lastReceivedAt: at === undefined ? null : timeOf(at),
  };
  shownSources.set(source, { at, state });
  return state;
}

function rawState({ path, scheme, secrets, enforce }: RawSource): RawSourceState {
  return {
    path,
    scheme: scheme === 'auto' ? scheme : scheme.name,
    verified: secrets.length > 0,
    enforced: enforce,
  };
}

/** Configured destinations, and removed ones for which events still wait. */
export function destinationStates(parts: OverviewParts): DestinationState[] {
  const { configured, active } = parts.configuration();
  const found = new Map(configured.destinations.map((one) => [one.name, one]));
  const sources = sourcesByDestination(active);
  return parts.forwarder
    .destinations()
    .map((state) =>
      destinationState(state, parts, found.get(state.name), sources.get(state.name) ?? []),
    );
}

/** Names of the sources that send to each destination. There may be thousands of both. */
function sourcesByDestination(routing: Routing): ReadonlyMap<string, readonly string[]> {
  const known = sourceNames.get(routing);
  if (known) return known;
  const byDestination = new Map<string, string[]>();
  for (const { name, destinations } of routing.sources) {
    for (const destination of destinations) {
      const names = byDestination.get(destination);
      if (names) names.push(name);
      else byDestination.set(destination, [name]);
    }
  }
  sourceNames.set(routing, byDestination);
  return byDestination;
}

const sourceNames = new WeakMap<Routing, ReadonlyMap<string, readonly string[]>>();

function destinationState(
  state: ForwardingState,
  { store, counters, timeline }: OverviewParts,
  found: Destination | undefined,
  sources: readonly string[],
): DestinationState {
  const { name, waiting, retrying, nextRetryAt, notAttemptedSince } = state;
  const { lastFailure, ...counted } = counters.destination(name);
  const { delivered, failed } = store.views.totals?.ofDestination(name) ?? counted;
  return {
    name,
    ...settingsOf(found, state, counters),
    configured: state.isConfigured,
    enabled: state.isEnabled,
    sources,
    queued: waiting - retrying,
    queuedSince: notAttemptedSince === undefined ? null : timeOf(notAttemptedSince),
    retrying,
    nextRetryAt: nextRetryAt === undefined ? null : timeOf(nextRetryAt),
    deadLetters: store.views.deadLetterCount(name),
    deadLettersDropped: store.views.droppedCount(name),
    delivered,
    failed,
    lastMinute: timeline.lastMinute(name),
    lastFailure: lastFailure ? attemptRow(lastFailure) : null,
  };
}

function settingsOf(found: Destination | undefined, state: ForwardingState, counters: Counters) {
  return {
    integrationName: found?.integrationName ?? '',
    configuredEnabled: found?.isEnabled ?? false,
    refusal: state.refusal ?? null,
    signed: (found?.signing ?? found?.resign) !== undefined,
    ordered: found?.ordered !== undefined,
    allowPrivateNetworks: found?.allowPrivateNetworks ?? false,
    endpoints: (found?.endpoints ?? []).map((endpoint) =>
      endpointState(endpoint, found?.batch, state, counters),
    ),
  };
}

function endpointState(
  endpoint: Endpoint,
  batch: Destination['batch'],
  { name: destination, down: probed, paused, certificateEnds }: ForwardingState,
  counters: Counters,
): EndpointState {
  const { url, headers } = endpoint;
  const shown = withoutQuery(url);
  const until = paused.get(shown);
  const end = certificateEnds?.get(shown);
  const report = counters.endpoint(destination, shown);
  return {
    url: shown,
    ...report,
    down: report.health === 'down',
    probing: probed.includes(shown),
    pausedUntil: until === undefined ? null : timeOf(until),
    headerNames: headerPairs(headers).map(([name]) => name),
    certificateEndsAt: end === undefined ? null : timeOf(end),
    settings: { ...shownSettings(endpoint), ...(batch && { batch }) },
  };
}

function shownSettings(endpoint: Endpoint): ShownSettings {
  const { proxy, auth, tls } = endpoint;
  const [kind] = Object.keys(auth ?? {});
  return {
    ...ownSettings(endpoint),
    ...(proxy !== undefined && { proxy: shownProxy(proxy) }),
    ...(kind !== undefined && { auth: kind as NonNullable<ShownSettings['auth']> }),
    ...(tls && {
      tls: [
        ...(tls.clientCertificate ? (['client certificate'] as const) : []),
        ...(tls.ca ? (['ca'] as const) : []),
      ],
    }),
  };
}
