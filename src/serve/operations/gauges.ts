import { Gauge, type Registry } from 'prom-client';
import { endpointStates, type DestinationReading, type Readings } from './readings.js';

/** The metrics of what is now, in contrast to what has happened. */
export class Gauges {
  readonly #waiting: Gauge<'destination' | 'cluster'>;
  readonly #oldest: Gauge<'destination' | 'cluster'>;
  readonly #retrying: Gauge<'destination' | 'cluster'>;
  readonly #deadLetters: Gauge<'destination' | 'cluster'>;
  readonly #endpoints: Gauge<'destination' | 'endpoint' | 'state'>;
  readonly #certificates: Gauge<'destination' | 'endpoint'>;
  readonly #isStateOk: Gauge;
  readonly #oldestTransaction: Gauge<'cluster'> | undefined;
  /** On what all instances that share a store say alike, so that it is not added up. */
  readonly #cluster: { readonly cluster?: string };

  /** `cluster`: the name of the store that instances share. */
  constructor(registers: Registry[], cluster?: string) {
    this.#cluster = cluster === undefined ? {} : { cluster };
    const shared = Object.keys(this.#cluster) as 'cluster'[];
    const ofDestination = (name: string, help: string): Gauge<'destination' | 'cluster'> =>
      new Gauge({ name, help, labelNames: ['destination', ...shared], registers });
    this.#waiting = ofDestination(
      'evfwd_events_waiting',
      'Events that are stored and have not ended: queued, in flight, or waiting for a retry.',
    );
    this.#oldest = ofDestination(
      'evfwd_oldest_waiting_seconds',
      'Time since the oldest of the waiting events was queued; 0 when none waits.',
    );
    this.#retrying = ofDestination('evfwd_retries_waiting', 'Events that wait for a retry.');
    this.#deadLetters = ofDestination('evfwd_dead_letters', 'Dead letters that are kept.');
    this.#endpoints = new Gauge({
      name: 'evfwd_endpoint_state',
      help: 'Whether an endpoint (URL without query) is in a state: 1 for one of them, 0 for the others.',
      labelNames: ['destination', 'endpoint', 'state'],
      registers,
    });
    this.#certificates = new Gauge({
      name: 'evfwd_client_certificate_days',
      help: 'Days until the client certificate of an endpoint (URL without query) ends.',
      labelNames: ['destination', 'endpoint'],
      registers,
    });
    this.#isStateOk = new Gauge({
      name: 'evfwd_state_ok',
      help: 'Whether the state can be written: 0 while clients get 503.',
      registers,
    });
    if (cluster === undefined) return;
    this.#oldestTransaction = new Gauge({
      name: 'evfwd_store_oldest_transaction_seconds',
      help: 'Age of the oldest transaction of anybody in the database of the store: it keeps the server from cleaning up.',
      labelNames: ['cluster'],
      registers,
    });
  }

  /** Sets all to what was read; nothing else is exported from now on. */
  set({ isStateOk, destinations, deadLetters, oldestTransactionSeconds = 0 }: Readings): void {
    const { cluster } = this.#cluster;
    if (cluster !== undefined) this.#oldestTransaction?.set({ cluster }, oldestTransactionSeconds);
    this.#isStateOk.set(Number(isStateOk));
    const byDestination = [this.#waiting, this.#oldest, this.#retrying, this.#deadLetters];
    for (const gauge of [...byDestination, this.#endpoints, this.#certificates]) gauge.reset();
    for (const one of destinations) this.#setDestination(one);
    for (const [destination, count] of deadLetters)
      this.#deadLetters.set({ destination, ...this.#cluster }, count);
  }

  #setDestination(reading: DestinationReading): void {
    const {
      name: destination,
      waiting,
      retrying,
      oldestSeconds,
      endpoints,
      certificateDays,
    } = reading;
    const labels = { destination, ...this.#cluster };
    this.#waiting.set(labels, waiting);
    this.#retrying.set(labels, retrying);
    this.#oldest.set(labels, oldestSeconds);
    for (const [endpoint, days] of certificateDays)
      this.#certificates.set({ destination, endpoint }, days);
    for (const [endpoint, current] of endpoints) {
      for (const state of endpointStates) {
        this.#endpoints.set({ destination, endpoint, state }, Number(state === current));
      }
    }
  }
}
