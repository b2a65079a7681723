import type { AttemptResult } from '../../delivery/outcome.js';
import type { RefusedCount } from '../../api/serve.js';
import type { Refusal } from '../collect/refusal.js';
import type { EventRecord } from '../event-record.js';
import type { IngestBatch } from '../types.js';
import { EndpointWatch, type EndpointReport } from './endpoint-health.js';
import { timeOf } from './api-records.js';

export interface SourceCounters {
  received: number;
  rejected: number;
  /** Requests that were refused as a whole, which are no part of the other numbers. */
  refused: number;
  /** Milliseconds since 1970. */
  lastReceivedAt: number | undefined;
}

export interface DestinationCounters {
  delivered: number;
  failed: number;
  lastFailure: AttemptResult | undefined;
  /** By URL. */
  readonly endpoints: Map<string, EndpointWatch>;
}

/** Counts since the service was started, by the names of sources and destinations. */
export class Counters {
  readonly #sources = new Map<string, SourceCounters>();
  readonly #destinations = new Map<string, DestinationCounters>();
  readonly #refused = new Map<string, RefusedCount>();

  source(name: string): SourceCounters {
    return entry(this.#sources, name, () => ({
      received: 0,
      rejected: 0,
      refused: 0,
      lastReceivedAt: undefined,
    }));
  }

  destination(name: string): DestinationCounters {
    return entry(this.#destinations, name, () => ({
      ...{ delivered: 0, failed: 0, lastFailure: undefined },
      endpoints: new Map<string, EndpointWatch>(),
    }));
  }

  /** The most frequent first. */
  get refused(): RefusedCount[] {
    return [...this.#refused.values()].sort((a, b) => b.count - a.count);
  }

  addBatch({ source, accepted, rejected, receivedAt }: IngestBatch): void {
    const counters = this.source(source.name);
    counters.received += accepted.length + rejected.length;
    counters.rejected += rejected.length;
    counters.lastReceivedAt = receivedAt;
  }

  addRecord(destination: string, { state }: EventRecord): void {
    const counters = this.destination(destination);
    if (state === 'delivered') counters.delivered++;
    if (state === 'failed') counters.failed++;
  }

  addAttempt(destination: string, result: AttemptResult): void {
    const counters = this.destination(destination);
    entry(counters.endpoints, result.url, () => new EndpointWatch()).add(result);
    if (result.verdict !== 'delivered') counters.lastFailure = result;
  }

  /** The last attempt at a destination that did not deliver. */
  lastFailure(destination: string): AttemptResult | undefined {
    return this.#destinations.get(destination)?.lastFailure;
  }

  /** @param url without its query */
  endpoint(destination: string, url: string): EndpointReport {
    const watch = this.#destinations.get(destination)?.endpoints.get(url) ?? new EndpointWatch();
    return watch.report;
  }

  /** @param source name of the raw source; null if unknown */
  addRefusal({ code, message }: Refusal, now: number, source: string | null): void {
    const key = `${code} ${source ?? ''}`;
    const count = (this.#refused.get(key)?.count ?? 0) + 1;
    this.#refused.set(key, { code, source, count, message, lastAt: timeOf(now) });
    if (source !== null) this.source(source).refused++;
  }
}

function entry<Counts>(counters: Map<string, Counts>, name: string, make: () => Counts): Counts {
  const found = counters.get(name);
  if (found) return found;
  const made = make();
  counters.set(name, made);
  return made;
}
