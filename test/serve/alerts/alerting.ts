import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { AlertStateFile } from '../../../src/serve/alerts/alert-states.js';
import type { Alert } from '../../../src/serve/alerts/alert.js';
import { Alerts, type AlertsOptions } from '../../../src/serve/alerts/alerts.js';
import type { AttemptResult } from '../../../src/delivery/outcome.js';
import type { DeadLetter } from '../../../src/serve/store/records.js';
import type { Views } from '../../../src/serve/store/store-views.js';
import type { Destination } from '../../../src/serve/types.js';
import { folderWith } from '../../helpers/folder.js';
import { startReceiver, type Receiver, type ReceiverResponse } from '../../helpers/receiver.js';
import { VirtualClock } from '../../helpers/virtual-clock.js';
import { destination } from '../serving.js';

/** What is counted of the destination `crm`. */
export interface Counted {
  waiting: number;
  delivered: number;
  failed: number;
  /** Ids, the oldest first. */
  deadLetters: number[];
  failure: Error | undefined;
}

/** Alerts about `crm` with a receiver, a clock that a test moves, and counts that it sets. */
export class Alerting {
  readonly clock: VirtualClock;
  readonly counted: Counted = {
    ...{ waiting: 0, delivered: 0, failed: 0, deadLetters: [], failure: undefined },
  };
  readonly logged: string[] = [];
  readonly folder = folderWith();
  #alerts: Alerts | undefined;
  response: ReceiverResponse | undefined = {};
  receiver!: Receiver;
  crm!: Destination;

  private constructor(startedAt?: number) {
    this.clock = new VirtualClock(startedAt);
  }

  /** @param startedAt milliseconds since 1970 */
  static async start(startedAt?: number): Promise<Alerting> {
    const alerting = new Alerting(startedAt);
    alerting.receiver = await startReceiver(() => alerting.response);
    alerting.crm = alerting.destination();
    onTestFinished(() => alerting.receiver.close());
    await alerting.restart();
    onTestFinished(() => alerting.stop());
    return alerting;
  }

  /** The counts of the new process begin anew. */
  async restart(): Promise<void> {
    await this.stop();
    Object.assign(this.counted, { delivered: 0, failed: 0 });
    const alerts = (this.#alerts = new Alerts(this.#options()));
    await alerts.prepare([this.crm]);
    alerts.configure([this.crm]);
    alerts.start();
  }

  async stop(): Promise<void> {
    this.#alerts?.stop();
    await this.#alerts?.end();
  }

  /** As a reload or a switch does. */
  configure(more: Partial<Destination> = {}): void {
    this.#alerts!.configure([this.destination(more)]);
  }

  destination(more: Partial<Destination> = {}): Destination {
    const alerts = { url: `${this.receiver.url}?key=hush`, afterMs: 15 * 60_000 };
    return destination('crm', 'https://crm.example.com/hook?token=hush', { alerts, ...more });
  }

  /** Changes the counts, and lets so many seconds pass. */
  async seconds(seconds: number, change: Partial<Counted> = {}): Promise<void> {
    Object.assign(this.counted, change);
    for (let i = 0; i < seconds; i++) {
      this.clock.advance(1000);
      await new Promise(setImmediate);
    }
  }

  /** So many new dead letters. */
  fail(count: number): void {
    const last = this.counted.deadLetters.at(-1) ?? 0;
    for (let i = 1; i <= count; i++) this.counted.deadLetters.push(last + i);
    this.counted.failed += count;
  }

  /** Waits until this many alerts were received, and logged as sent. */
  async received(count: number): Promise<readonly Alert[]> {
    while (this.logged.filter((line) => line.startsWith('info alert sent')).length < count)
      await new Promise(setImmediate);
    expect(this.receiver.requests.length).toBe(count);
    return this.receiver.json() as Alert[];
  }

  #options(): AlertsOptions {
    const { clock, counted } = this;
    const level = (name: string) => (fields: object, message: string) =>
      void this.logged.push(`${name} ${message} ${JSON.stringify(fields)}`);
    return {
      ...{ clock, delivery: { random: () => 0.5 } },
      states: new AlertStateFile(join(this.folder, 'alerts.json'), clock),
      log: {
        ...{ debug: level('debug'), info: level('info'), warn: level('warn') },
        error: level('error'),
      },
      counters: {
        destination: () => ({ ...counted, lastFailure: undefined, endpoints: new Map() }),
        lastFailure: () => lastFailure,
      },
      store: {
        get failure() {
          return counted.failure;
        },
        length: () => ({ waiting: counted.waiting, retrying: counted.waiting }),
        views: {
          deadLetterCount: () => counted.deadLetters.length,
          deadLetters: () =>
            counted.deadLetters
              .slice(-1)
              .map((id) => ({ id, message: 'HTTP 400 Bad Request' }) as DeadLetter),
          deadLetterIds: (_, after, limit) =>
            counted.deadLetters.filter((id) => id > after).slice(0, limit),
        } as Partial<Views> as Views,
      },
    };
  }
}

const lastFailure: AttemptResult = {
  ...{ url: 'https://crm.example.com/hook', attempt: 3, at: 0, durationMs: 1 },
  ...{ status: 503, error: null, verdict: 'retry' },
};
