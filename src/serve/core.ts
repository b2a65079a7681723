import { performance } from 'node:perf_hooks';
import { systemClock, type Clock } from '../clock.js';
import type { AlertStates } from './alerts/alert-states.js';
import { Alerts } from './alerts/alerts.js';
import type { DeliveryOptions } from './forward/sender.js';
import { Forwarder } from './forward/forwarder.js';
import type { MemoryBudget } from './forward/memory-budget.js';
import { Replays } from './kept/replays.js';
import { keepsNothing, warnOfShortRetention } from './kept/settings.js';
import { LogRedaction } from './log-redaction.js';
import type { Log } from './log.js';
import { Observer } from './observer.js';
import { logProxies, warnOfPrivateAddresses } from './private-destinations.js';
import { Operations } from './operations/operations.js';
import type { Configuration } from './operations/overview.js';
import { keepUsable, logRefusals } from './refused-destinations.js';
import { Reader } from './operations/readings.js';
import { maxStoredRows } from './store/stored.js';
import type { ServiceStore, StoreListener } from './store/service-store.js';
import type { OutcomeLog } from './store/store-views.js';
import type { DestinationSwitches } from './switches.js';
import { RawPaths } from './raw/paths.js';
import { warnOfLoops, type OwnAddress } from './raw/loops.js';
import { warnOfStaleSignatures } from './raw/stale-signatures.js';
import { warnOfUnusedSigning } from './raw/unused-signing.js';
import type { AcceptDeletion, IngestBatch, Routing, Source } from './types.js';
import type { Cluster } from './cluster.js';

/** What a service keeps. */
export interface ServiceState {
  readonly store: ServiceStore;
  readonly switches: DestinationSwitches;
  readonly deliveryLog: OutcomeLog;
  readonly alerts: AlertStates;
  /** Undefined for a service of one process. */
  readonly cluster?: Cluster;
}

/** Opens the state. The callbacks may be called while it is opened, before there is a core. */
export type OpenState = (
  callbacks: StoreListener & { readonly onRefresh?: () => void },
) => Promise<ServiceState>;

export interface ServiceCoreOptions {
  readonly openState: OpenState;
  /** Reads the configuration, at the start and at every reload. @throws UsageError for a mistake in it */
  readonly readRouting: () => Promise<Routing>;
  readonly log: Log;
  /** Options of attempts. Default: the documented ones. */
  readonly delivery?: DeliveryOptions | undefined;
  /** Of the events that wait and are in flight. Default: one with the documented limits. */
  readonly memory?: MemoryBudget | undefined;
  /** Default: that of the system. */
  readonly clock?: Clock | undefined;
}

/** Blocks of outcomes of other instances that are read at once: as many events as the list has. */
const othersAtOnce = 2;

/** The forwarding service without its HTTP server: what is accepted is stored, forwarded and shown. */
export class ServiceCore {
  readonly operations: Operations;
  readonly observer: Observer;
  readonly #options: ServiceCoreOptions;
  readonly #clock: Clock;
  readonly #state: ServiceState;
  readonly #forwarder: Forwarder;
  readonly #reader: Reader;
  readonly #redaction: LogRedaction;
  readonly #replays: Replays | undefined;
  readonly #alerts: Alerts;
  #configuration: Configuration;
  #own: OwnAddress | undefined;
  #byKey!: ReadonlyMap<string, Source>;
  #rawPaths!: RawPaths;
  #isStopping = false;
  #isReadingOthers = false;
  #hasLoggedProxies = false;
  /** Up to this number, what other instances have done was read. */
  #othersUpTo = 0;
  #reloading: Promise<void> = Promise.resolve();

  private constructor(options: ServiceCoreOptions, routing: Routing, state: ServiceState) {
    const { store, deliveryLog } = state;
    const clock = (this.#clock = options.clock ?? systemClock);
    this.#options = options;
    this.#state = state;
    this.observer = new Observer({
      ...{ clock, deliveryLog, log: options.log },
      onChange: () => this.operations.publish(),
      readings: () => this.#reader.read(),
      waiting: () => this.#waiting(),
      damagedBlocks: () => store.setAside.blocks,
      cluster: state.cluster?.name,
    });
    this.#configuration = this.#adopted(routing);
    store.keepDeadLetters(keptOf(routing));
    store.kept?.configure(routing.keep ?? keepsNothing);
    this.#forwarder = new Forwarder({
      ...{ store, clock },
      routing: this.#configuration.active,
      ...(options.delivery && { delivery: options.delivery }),
      ...(options.memory && { memory: options.memory }),
      listener: this.observer.listener,
    });
    const { counters } = this.observer;
    this.#reader = new Reader({ ...{ store, clock, counters }, forwarder: this.#forwarder });
    this.#redaction = new LogRedaction({
      ...{ store, deliveryLog, clock },
      accept: this.#forwarder.acceptDeletion,
      onFailure: (error) => this.observer.addLogFailure(error),
    });
    this.#replays = this.#makeReplays();
    this.#alerts = new Alerts({
      ...{ store, clock, counters, log: options.log, states: state.alerts },
      delivery: options.delivery ?? {},
    });
    this.#alerts.configure(this.#configuration.active.destinations);
    this.operations = this.#makeOperations();
    this.#index(this.#configuration.active);
    state.cluster?.configure(routing);
    state.switches.onChange = () => void this.#reapply();
  }

  /**
   * Opens the state; nothing is sent before `start`.
   * @throws UsageError for a mistake in the configuration, and errors of `openState`
   */
  static async open(options: ServiceCoreOptions): Promise<ServiceCore> {
    const routing = await options.readRouting();
    let core: ServiceCore | undefined;
    let droppedAtOpening = 0;
    const opening = options.openState({
      onFailure: () => {
        if (core) core.#forwarder.noteFailure();
      },
      onDefect: (error) => core?.observer.addDefect(error),
      onDropped: (destination, count) => {
        if (core) core.#addDropped(destination, count);
      },
      onDamaged: (destination, events) => core?.observer.addDamaged(destination, events),
      onKeptDropped: (count) => {
        if (core) core.observer.addKeptDropped(count);
        else droppedAtOpening += count;
      },
      onKeepFailure: (error) => core?.observer.addKeepFailure(error),
      onRefresh: () => {
        if (!core) return;
        void core.#readOthers();
        core.#replays?.resume();
        core.#redaction.lookAgain();
      },
    });
    const state = await opening.catch((error: unknown) => {
      if (droppedAtOpening > 0)
        options.log.warn({ count: droppedAtOpening }, 'kept events were dropped to make room');
      throw error;
    });
    try {
      await prepare(state, routing);
      core = new ServiceCore(options, routing, state);
      if (droppedAtOpening > 0) core.observer.addKeptDropped(droppedAtOpening);
      await core.#alerts.prepare(routing.destinations);
      logRefusals(routing, options.log);
      warnOfStaleSignatures(routing, options.log);
      warnOfShortRetention(routing, options.log);
      return core;
    } catch (error) {
      await state.store.close();
      throw error;
    }
  }

  /**
   * Begins to send, with what an earlier process left. Call it once.
   *
   * @param own where requests come in, if they do
   */
  start(own?: OwnAddress): void {
    this.#own = own;
    warnOfUnusedSigning(this.#configuration.configured, this.#options.log);
    void this.#warnOfLoops();
    this.#forwarder.start();
    this.#redaction.start();
    this.#replays?.start();
    this.#alerts.start();
  }

  /** Why the last commit failed; undefined while the state can be written. */
  get failure(): unknown {
    return this.#state.store.failure;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  findSource(writeKey: string): Source | undefined {
    return this.#byKey.get(writeKey);
  }

  /** The paths of the sources of any sender. */
  get rawPaths(): RawPaths {
    return this.#rawPaths;
  }

  /** Resolves when the batch is durable. @throws StateError when it cannot be stored */
  async accept(batch: IngestBatch): Promise<void> {
    await this.#forwarder.accept(batch);
    this.#replays?.addLive(batch.accepted.length);
    this.observer.addBatch(batch, this.#configuration.active);
  }

  /** Resolves when a deletion request is durable. @throws StateError when it cannot be stored */
  get acceptDeletion(): AcceptDeletion {
    return this.#redaction.accept;
  }

  /**
   * Reads the configuration again. One with a mistake changes nothing; the log and the page report it.
   */
  reload(): Promise<void> {
    this.#reloading = this.#reloading.then(() => this.#reload());
    return this.#reloading;
  }

  /**
   * Logs which destinations cannot be delivered to, since they are at private addresses, and once where that is checked
   * by the URL alone.
   */
  warnOfPrivateAddresses(): Promise<void> {
    const { log, delivery } = this.#options;
    const { destinations } = this.#configuration.active;
    this.#hasLoggedProxies ||= logProxies(destinations, log);
    return warnOfPrivateAddresses(destinations, log, delivery?.network?.resolve);
  }

  /** From now on reloads do nothing; resolves when one in progress has ended. Call it before `stop`. */
  async prepareStop(): Promise<void> {
    this.#isStopping = true;
    await this.#reloading;
    this.operations.close();
  }

  /**
   * Waits for requests in flight, makes all durable, and closes the state. Resolves to the number of deliveries that
   * still wait there.
   * @throws StateError as `ServiceStore.close` does
   */
  async stop(): Promise<number> {
    this.#alerts.stop();
    await this.#replays?.stop();
    await this.#forwarder.stop();
    await this.#redaction.stop();
    this.observer.end();
    const { deliveryLog } = this.#state;
    await deliveryLog.flush();
    deliveryLog.close();
    await this.#alerts.end();
    const undelivered = [...this.#waiting().values()].reduce((sum, length) => sum + length, 0);
    await this.close();
    return undelivered;
  }

  /** Closes the state. Only for a core that was not started; otherwise call `stop`. */
  async close(): Promise<void> {
    await this.#state.store.close();
  }

  async #reload(): Promise<void> {
    const { log } = this.#options;
    if (this.#isStopping) return;
    try {
      const read = await this.#options.readRouting();
      const configuration = this.#adopted(keepUsable(read, this.#configuration.configured, log));
      await prepare(this.#state, configuration.active);
      await this.#alerts.prepare(configuration.active.destinations);
      await this.#activate(configuration);
      this.#state.store.keepDeadLetters(keptOf(configuration.active));
      this.#state.store.kept?.configure(configuration.active.keep ?? keepsNothing);
      this.#state.cluster?.configure(configuration.configured);
      log.info(countsOf(configuration.active), 'configuration reloaded');
      logRefusals(configuration.configured, log);
      warnOfStaleSignatures(configuration.configured, log);
      warnOfUnusedSigning(configuration.configured, log);
      warnOfShortRetention(configuration.configured, log);
      void this.#warnOfLoops();
      void this.warnOfPrivateAddresses();
    } catch (error) {
      const { message } = error as Error;
      this.#configuration = { ...this.#configuration, error: message };
      log.error({ reason: message }, 'configuration not reloaded; keeping the previous one');
    }
    this.operations.publish();
  }

  async #warnOfLoops(): Promise<void> {
    if (this.#own) await warnOfLoops(this.#configuration.configured, this.#own, this.#options.log);
  }

  async #switch(name: string, isEnabled: boolean): Promise<void> {
    const { configured, at, error } = this.#configuration;
    const destination = configured.destinations.find((one) => one.name === name)!;
    await this.#state.switches.set(destination, isEnabled);
    await this.#activate({ configured, at, error, active: this.#state.switches.apply(configured) });
    this.#options.log.info({ destination: name, enabled: isEnabled }, 'destination switched');
    if (isEnabled) void this.warnOfPrivateAddresses();
  }

  /** What other instances have done meanwhile. What cannot be read now is read the next time. */
  async #readOthers(): Promise<void> {
    const { cluster } = this.#state;
    if (!cluster || this.#isReadingOthers) return;
    this.#isReadingOthers = true;
    try {
      const { last, entries } = await cluster.outcomesOfOthers(this.#othersUpTo, othersAtOnce);
      this.#othersUpTo = last;
      this.observer.addOfOthers(entries);
    } catch {
      // The store says by itself that it is away.
    } finally {
      this.#isReadingOthers = false;
    }
    this.operations.publish();
  }

  /** Another instance has switched a destination. */
  async #reapply(): Promise<void> {
    const { configured, at, error, active: before } = this.#configuration;
    const active = this.#state.switches.apply(configured);
    const isSame = active.destinations.every(
      (one, i) => one.isEnabled === before.destinations[i]?.isEnabled,
    );
    if (isSame || this.#isStopping) return;
    await this.#activate({ configured, at, error, active });
    this.operations.publish();
  }

  #adopted(configured: Routing): Configuration {
    const active = this.#state.switches.apply(configured);
    return { configured, active, at: this.#clock.now(), error: undefined };
  }

  /** New calls use the new routing at once; resolves when events in flight have ended. */
  async #activate(configuration: Configuration): Promise<void> {
    const changed = this.#forwarder.reconfigure(configuration.active);
    this.#configuration = configuration;
    this.#index(configuration.active);
    this.#alerts.configure(configuration.active.destinations);
    await changed;
  }

  #index({ sources }: Routing): void {
    this.#byKey = new Map(
      sources.flatMap((source) =>
        source.writeKey === undefined ? [] : [[source.writeKey, source]],
      ),
    );
    this.#rawPaths = new RawPaths(sources);
    this.observer.expect(sources);
  }

  #addDropped(destination: string, count: number): void {
    this.observer.addDropped(destination, count, keptOf(this.#configuration.active));
  }

  /** Of all configured destinations, and of removed ones for which events still wait. */
  #waiting(): ReadonlyMap<string, number> {
    const configured = this.#configuration.active.destinations.map(({ name }) => name);
    const names = [...configured, ...this.#state.store.waitingFor()];
    return new Map(names.map((name) => [name, this.#state.store.length(name).waiting]));
  }

  #makeReplays(): Replays | undefined {
    const { store } = this.#state;
    const { kept, replays } = store;
    if (!kept || !replays) return undefined;
    return new Replays({
      ...{ store, kept, replays, clock: this.#clock, log: this.#options.log },
      routing: () => this.#configuration.active,
      isStalled: (destination) => this.#forwarder.isStalled(destination),
      onStored: this.#forwarder.onStored,
      onChange: () => this.operations.publish(),
      utilization: utilizationMeter(),
    });
  }

  #makeOperations(): Operations {
    const { store, deliveryLog, cluster } = this.#state;
    const { activity, requests, counters, metrics, timeline } = this.observer;
    return new Operations({
      ...{ store, deliveryLog, activity, requests, counters, metrics, timeline },
      clock: this.#clock,
      replays: this.#replays,
      forwarder: this.#forwarder,
      ...(cluster && { cluster }),
      acceptDeletion: this.#redaction.accept,
      configuration: () => this.#configuration,
      onSwitch: (name, isEnabled) => this.#switch(name, isEnabled),
      isReady: () => !this.#isStopping,
    });
  }
}

/** Of what is configured; the rest is known since its first event. */
async function prepare({ store }: ServiceState, routing: Routing): Promise<void> {
  const { sources, destinations } = routing;
  const names = [
    ...sources.flatMap((source) => source.destinations),
    ...destinations.map(({ name }) => name),
  ];
  await store.prepare(
    sources.map(({ name }) => name),
    [...new Set(names)],
  );
}

/** Of the event loop of this process, since it was last asked. */
function utilizationMeter(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

function keptOf({ maxDeadLetters = maxStoredRows.deadLetter }: Routing): number {
  return maxDeadLetters;
}

/** The numbers of sources and destinations, as fields of a log line. */
export function countsOf({ sources, destinations }: Routing): {
  readonly sources: number;
  readonly destinations: number;
} {
  return { sources: sources.length, destinations: destinations.length };
}
