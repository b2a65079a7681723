import type { Clock } from '../clock.js';
import type { Rate } from '../delivery/endpoint-pace.js';
import type { QueueSettings } from '../delivery/endpoint-queue.js';
import { RateLimiter } from '../delivery/rate-limiter.js';
import { defaults } from '../defaults.js';
import type { EndpointSettings } from './endpoint.js';
import { filterOf } from './endpoint-filters.js';

/** What holds for the endpoints of a target that have no setting of their own. */
export interface TargetLimits {
  /** Default 64. */
  readonly concurrency?: number | undefined;
  /** Default 5000. */
  readonly timeoutMs?: number | undefined;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** The rate of the endpoint with this index, if it has one. Default: it is that of this process alone. */
  readonly rateOf?: ((index: number) => Rate) | undefined;
}

/** The settings of one endpoint, those of its target where it has none. */
export function queueSettings(
  endpoint: EndpointSettings,
  index: number,
  target: TargetLimits,
): QueueSettings {
  const { retryStatus, rate } = endpoint;
  const { clock, rateOf } = target;
  return {
    concurrency: endpoint.concurrency ?? target.concurrency ?? defaults.concurrency,
    timeoutMs: endpoint.timeoutMs ?? target.timeoutMs ?? defaults.timeoutMs,
    ...(retryStatus && { retryStatus }),
    ...(rate !== undefined && { rate: rateOf?.(index) ?? new RateLimiter(rate, clock) }),
  };
}

/** The most events that may be in flight: as many as the endpoint that takes most of them. */
export function maxInFlight(
  endpoints: readonly EndpointSettings[],
  concurrency: number = defaults.concurrency,
): number {
  return Math.max(...endpoints.map((endpoint) => endpoint.concurrency ?? concurrency));
}

/**
 * Whether the endpoints of a target get different events, or take different numbers of them: what waits for one of them
 * is then not to hold up the others.
 */
export function areApart(endpoints: readonly EndpointSettings[]): boolean {
  const isOwn = (endpoint: EndpointSettings): boolean =>
    filterOf(endpoint) !== undefined || (endpoint.concurrency ?? endpoint.rate) !== undefined;
  return endpoints.length > 1 && endpoints.some(isOwn);
}

/** What an endpoint has besides its URL and headers; no secrets. */
export function ownSettings({
  types,
  events,
  where,
  retryStatus,
  timeoutMs,
  concurrency,
  rate,
}: EndpointSettings): EndpointSettings {
  return {
    ...(types && { types }),
    ...(events && { events }),
    ...(where && { where }),
    ...(retryStatus && { retryStatus }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(concurrency !== undefined && { concurrency }),
    ...(rate !== undefined && { rate }),
  };
}
