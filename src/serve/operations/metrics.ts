import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';
import type { AttemptResult } from '../../delivery/outcome.js';
import type { Refusal } from '../collect/refusal.js';
import type { EventRecord } from '../event-record.js';
import type { IngestBatch } from '../types.js';
import { Gauges } from './gauges.js';
import type { Readings } from './readings.js';

/** In seconds, from a fast endpoint to the end of the retry window. */
const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400,
];

let ofProcess: Registry | undefined;

/** Metrics of the process, shared by all services in it: the observer of garbage collections is never removed. */
function processMetrics(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  return ofProcess;
}

/** Metrics for Prometheus; their names are documented. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #received: Counter<'source'>;
  readonly #rejected: Counter<'source' | 'code'>;
  readonly #deliveries: Counter<'destination' | 'verdict'>;
  readonly #attempts: Counter<'destination' | 'result'>;
  readonly #dropped: Counter<'destination'>;
  readonly #keptDropped: Counter;
  readonly #duration: Histogram;

  readonly #gauges: Gauges;
  readonly #read: () => Readings;

  /**
   * @param read What the gauges show; called for each `text`.
   * @param damagedBlocks How many blocks are set aside, by earlier processes, too.
   * @param cluster The name of the store that instances share.
   */
  constructor(read: () => Readings, damagedBlocks: () => number, cluster?: string) {
    this.#read = read;
    const registers = [this.#registry];
    // Now, not at the first scrape, so that garbage collections are counted from the start.
    processMetrics();
    this.#received = new Counter({
      name: 'evfwd_events_received_total',
      help: 'Events received with the write key of a source, or requests at its path, including rejected and repeated ones.',
      labelNames: ['source'],
      registers,
    });
    this.#rejected = new Counter({
      name: 'evfwd_events_rejected_total',
      help: 'Events that are not valid, by the broken rule; without a source: requests that were refused as a whole.',
      labelNames: ['source', 'code'],
      registers,
    });
    this.#deliveries = new Counter({
      name: 'evfwd_deliveries_total',
      help: 'Verdicts on events at a destination: delivered, failed, skipped, or retry for each postponement.',
      labelNames: ['destination', 'verdict'],
      registers,
    });
    this.#attempts = new Counter({
      name: 'evfwd_attempts_total',
      help: 'Requests to the endpoints of a destination, by the class of the response status (2xx) or the error.',
      labelNames: ['destination', 'result'],
      registers,
    });
    this.#dropped = new Counter({
      name: 'evfwd_dead_letters_dropped_total',
      help: 'Dead letters that were dropped, the oldest first, because only deadLetters.keep are kept.',
      labelNames: ['destination'],
      registers,
    });
    this.#keptDropped = new Counter({
      name: 'evfwd_kept_events_dropped_total',
      help: 'Kept events that were dropped before their retention had ended, the oldest first, because of maxDisk or a full disk.',
      registers,
    });
    this.#duration = new Histogram({
      name: 'evfwd_delivery_duration_seconds',
      help: 'Time from receiving an event to its delivery.',
      buckets,
      registers,
    });
    this.#gauges = new Gauges(registers, cluster);
    new Counter({
      name: 'evfwd_damaged_blocks_total',
      help: 'Blocks of waiting events that cannot be read and are set aside, since the state was created.',
      registers,
      collect() {
        this.reset();
        this.inc(damagedBlocks());
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    this.#gauges.set(this.#read());
    return Registry.merge([this.#registry, processMetrics()]).metrics();
  }

  /** Exports counters at 0, so that graphs exist before the first event. */
  expect(sources: readonly string[]): void {
    for (const source of sources) this.#received.inc({ source }, 0);
  }

  addBatch({ source: { name: source }, accepted, rejected }: IngestBatch): void {
    this.#received.inc({ source }, accepted.length + rejected.length);
    for (const { code } of rejected) this.#rejected.inc({ source, code });
  }

  /** @param source name of the raw source; undefined if unknown */
  addRefusal({ code }: Refusal, source?: string): void {
    this.#rejected.inc({ source: source ?? '', code });
    if (source !== undefined) this.#received.inc({ source });
  }

  addRecord(destination: string, { state, at, receivedAt }: EventRecord): void {
    const verdict = state === 'retrying' ? 'retry' : state;
    this.#deliveries.inc({ destination, verdict });
    if (state === 'delivered') this.#duration.observe(Math.max(0, at - receivedAt) / 1000);
  }

  addDropped(destination: string, count: number): void {
    this.#dropped.inc({ destination }, count);
  }

  addKeptDropped(count: number): void {
    this.#keptDropped.inc(count);
  }

  addAttempt(destination: string, { status, error }: AttemptResult): void {
    const result = error ?? (status === null ? 'none' : `${Math.floor(status / 100)}xx`);
    this.#attempts.inc({ destination, result });
  }
}
