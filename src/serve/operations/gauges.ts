import { Gauge, type Registry } from 'prom-client';
import { endpointStates, type DestinationReading, type Readings } from './readings.js';

/** The metrics of what is now, in contrast to what has happened. */
export class Gauges {
  readonly #waiting: Gauge<'destination'>;
  readonly #oldest: Gauge<'destination'>;
  readonly #retrying: Gauge<'destination'>;
  readonly #deadLetters: Gauge<'destination'>;
  readonly #endpoints: Gauge<'destination' | 'endpoint' | 'state'>;
  readonly #isStateOk: Gauge;

  constructor(registers: Registry[]) {
    const ofDestination = (name: string, help: string): Gauge<'destination'> =>
      new Gauge({ name, help, labelNames: ['destination'], registers });
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
    this.#isStateOk = new Gauge({
      name: 'evfwd_state_ok',
      help: 'Whether the state can be written: 0 while clients get 503.',
      registers,
    });
  }

  /** Sets all to what was read; nothing else is exported from now on. */
  set({ isStateOk, destinations, deadLetters }: Readings): void {
    this.#isStateOk.set(Number(isStateOk));
    const byDestination = [this.#waiting, this.#oldest, this.#retrying, this.#deadLetters];
    for (const gauge of [...byDestination, this.#endpoints]) gauge.reset();
    for (const one of destinations) this.#setDestination(one);
    for (const [destination, count] of deadLetters) this.#deadLetters.set({ destination }, count);
  }

  #setDestination(reading: DestinationReading): void {
    const { name: destination, waiting, retrying, oldestSeconds, endpoints } = reading;
    this.#waiting.set({ destination }, waiting);
    this.#retrying.set({ destination }, retrying);
    this.#oldest.set({ destination }, oldestSeconds);
    for (const [endpoint, current] of endpoints) {
      for (const state of endpointStates) {
        this.#endpoints.set({ destination, endpoint, state }, Number(state === current));
      }
    }
  }
}
