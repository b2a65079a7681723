import type { Clock } from '../../clock.js';
import { codeOfResult, describeResult } from '../../delivery/describe.js';
import type { Outcome } from '../../delivery/outcome.js';
import { durationInWords } from '../../duration.js';
import type { DeliveryOptions } from '../forward/sender.js';
import type { Log } from '../log.js';
import type { Counters } from '../operations/counters.js';
import type { ServiceStore } from '../store/service-store.js';
import type { Destination } from '../types.js';
import type { DetectedKind } from './alert.js';
import { mayAlert, type AlertState, type AlertStates } from './alert-states.js';
import { newestDeadLetter } from './dead-letter-watch.js';
import { pendingAlertOf } from './pending-alert.js';
import { AlertSender } from './sender.js';
import { shownAlertUrl } from './settings.js';
import { AlertSubject } from './subject.js';

export interface AlertsOptions {
  readonly store: Pick<ServiceStore, 'length' | 'failure' | 'views'>;
  readonly states: AlertStates;
  readonly counters: Pick<Counters, 'destination' | 'lastFailure'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly delivery: DeliveryOptions;
}

const lookEveryMs = 1_000;
/** Alerts that are sent at the same time: of a thousand destinations, all may go down together. */
const maxSending = 16;

/**
 * Sends alerts: when a destination is down or back, and for new dead letters. It looks once a second at what is counted
 * anyway, so that forwarding does not know of it. What could not be sent stays due until it could.
 */
export class Alerts {
  readonly #options: AlertsOptions;
  readonly #sender: AlertSender;
  #subjects: ReadonlyMap<string, AlertSubject> = new Map();
  #sending = 0;
  #isRunning = false;
  #isLooking = false;
  #cancel: (() => void) | undefined;

  constructor(options: AlertsOptions) {
    this.#options = options;
    this.#sender = new AlertSender(options);
  }

  /**
   * Remembers which dead letters there are for destinations whose alerts are new, so that none of them is news. Call it
   * before anything is sent to them. @throws StateError when the store cannot be read
   */
  async prepare(destinations: readonly Destination[]): Promise<void> {
    const alerted = destinations.filter(({ alerts }) => alerts);
    if (alerted.length === 0) return;
    const { states, store } = this.#options;
    const known = await states.read();
    for (const { name } of alerted) {
      if (known.has(name)) continue;
      const newest = await newestDeadLetter(store.views, name);
      await states.begin(name, newest?.id ?? 0);
    }
    await states.flush();
  }

  /** @param destinations with the switches applied */
  configure(destinations: readonly Destination[]): void {
    const subjects = new Map<string, AlertSubject>();
    for (const destination of destinations) {
      if (destination.alerts) subjects.set(destination.name, this.#subjectOf(destination));
    }
    this.#subjects = subjects;
    this.#lookLater();
  }

  start(): void {
    this.#isRunning = true;
    this.#lookLater();
  }

  /** Sends nothing new. A request in flight may end until `end`. */
  stop(): void {
    this.#isRunning = false;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#sender.interrupt();
  }

  /** Waits for nothing that is in flight. Call it before the store is closed. */
  async end(): Promise<void> {
    await this.#sender.close();
    await this.#options.states.flush();
  }

  #subjectOf(destination: Destination): AlertSubject {
    const { store, clock } = this.#options;
    const known = this.#subjects.get(destination.name);
    const now = clock.monotonic();
    if (known) {
      known.configure(destination, now);
      return known;
    }
    const added = new AlertSubject(destination, store.views);
    // Before anything is sent: what is delivered within the first second counts, too.
    this.#watch(added, now);
    return added;
  }

  #lookLater(): void {
    if (!this.#isRunning || this.#isLooking || this.#cancel || this.#subjects.size === 0) return;
    const look = (): void => {
      this.#cancel = undefined;
      this.#isLooking = true;
      void this.#check()
        // The store logs its failures itself.
        .catch(() => undefined)
        .finally(() => {
          this.#isLooking = false;
          this.#lookLater();
        });
    };
    this.#cancel = this.#options.clock.after(lookEveryMs, look, { keepsAlive: false });
  }

  async #check(): Promise<void> {
    const { store, states, clock } = this.#options;
    const now = clock.monotonic();
    const isHeld = store.failure !== undefined;
    for (const subject of this.#subjects.values()) {
      if (isHeld) subject.outage.skip(now);
      else this.#watch(subject, now);
    }
    if (isHeld) return;
    const known = await states.read();
    for (const [name, subject] of this.#subjects) {
      const state = known.get(name);
      if (state) await this.#sendNext(subject, state);
    }
    await states.flush();
  }

  #watch({ destination, outage }: AlertSubject, now: number): void {
    const { name, alerts, isHeldUp = false } = destination;
    const isEnabled = destination.isEnabled || isHeldUp;
    const { waiting } = this.#options.store.length(name);
    const { delivered, failed } = this.#countsOf(name);
    outage.observe({ isEnabled, waiting, delivered, failed }, alerts!.afterMs, now);
  }

  /** Over all instances, where there are several. */
  #countsOf(name: string): { readonly delivered: number; readonly failed: number } {
    const { store, counters } = this.#options;
    return store.views.totals?.ofDestination(name) ?? counters.destination(name);
  }

  /** Sends the next alert, if there is something new, and it is time for it. */
  async #sendNext(subject: AlertSubject, state: AlertState): Promise<void> {
    const { clock, states } = this.#options;
    const { name } = subject.destination;
    const { failed } = this.#countsOf(name);
    const isNew = await subject.deadLetters.hasNewer(failed, state.lastDeadLetter, clock.now());
    if (!this.#isRunning || this.#sending >= maxSending) return;
    if (!subject.maySend(clock.monotonic()) || !mayAlert(state, clock.now())) return;
    const kind = subject.nextKind(state, isNew, clock.now());
    if (!kind || !(await states.claim(name, state))) return;
    void this.#send(kind, subject, state);
  }

  /** Never rejects. */
  async #send(kind: DetectedKind, subject: AlertSubject, state: AlertState): Promise<void> {
    const { store, clock, states, counters, log } = this.#options;
    const { destination } = subject;
    const { name } = destination;
    let isDelivered: boolean | undefined;
    subject.begin(kind);
    this.#sending++;
    try {
      const lastFailure = counters.lastFailure(name);
      const { alert, reported } = await pendingAlertOf(kind, {
        store,
        clock,
        subject,
        state,
        lastFailure,
      });
      const outcome = await this.#sender.send(destination, alert);
      if (outcome.verdict !== 'pending') isDelivered = outcome.verdict === 'delivered';
      if (isDelivered) await states.set(name, { ...reported, at: clock.now() });
      subject.end(isDelivered, clock.monotonic());
      this.#logOutcome(kind, subject, outcome);
    } catch (error) {
      // The store logs its failures itself.
      subject.end(isDelivered, clock.monotonic());
      log.debug({ destination: name, kind, reason: (error as Error).message }, 'alert not sent');
    } finally {
      this.#sending--;
    }
  }

  #logOutcome(kind: DetectedKind, subject: AlertSubject, { verdict, attempts }: Outcome): void {
    const { log } = this.#options;
    const { name: destination, alerts } = subject.destination;
    const fields = { destination, kind, url: shownAlertUrl(alerts!.url) };
    if (verdict === 'delivered') log.info(fields, 'alert sent');
    if (verdict !== 'failed') return;
    const last = attempts.at(-1)!;
    const about = { ...fields, attempts: attempts.length, code: codeOfResult(last) };
    const next = `trying again in ${durationInWords(subject.pauseMs)}`;
    log.warn(about, `alert not delivered: ${describeResult(last)}; ${next}`);
  }
}
