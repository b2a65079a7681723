import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { systemClock, type Clock } from '../clock.js';
import { urlOf } from '../web/address.js';
import { readPage } from '../web/page-files.js';
import { collectionApi } from './collect/api.js';
import type { DeliveryOptions } from './forward/destination-queue.js';
import { Forwarder } from './forward/forwarder.js';
import { HttpServer } from './http-server.js';
import { LogRedaction } from './log-redaction.js';
import type { Log } from './log.js';
import { Observer } from './observer.js';
import { warnOfPrivateAddresses } from './private-destinations.js';
import { operationsApp } from './operations/api.js';
import { Operations } from './operations/operations.js';
import type { Configuration } from './operations/overview.js';
import { Reader } from './operations/readings.js';
import { maxStoredRows } from './store/store-context.js';
import { DeletedUsers } from './store/deleted-users.js';
import { ServiceStore } from './store/service-store.js';
import { DeliveryLog } from './store/delivery-log.js';
import { Switches } from './switches.js';
import type { IngestBatch, Routing, Source } from './types.js';

export interface ServiceOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Directory of the state; created when missing. */
  readonly stateDir: string;
  /** Reads the configuration, at the start and at every reload. @throws UsageError for a mistake in it */
  readonly readRouting: () => Promise<Routing>;
  /** For the operations page and its API; required when other machines can reach them. */
  readonly token?: string | undefined;
  readonly log: Log;
  readonly pageFolder: string;
  readonly delivery?: DeliveryOptions;
  readonly clock?: Clock;
  /** Called when the state cannot be written, and with undefined when it can be again. */
  readonly onState?: (failure: unknown) => void;
}

/** How long in-flight requests may take when the service is stopped. */
const graceMs = 5_000;

/** The forwarding service: collection API, webhook destinations, and the operations page. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #clock: Clock;
  readonly #store: ServiceStore;
  readonly #switches: Switches;
  readonly #observer: Observer;
  readonly #deliveryLog: DeliveryLog;
  readonly #forwarder: Forwarder;
  readonly #reader: Reader;
  readonly #redaction: LogRedaction;
  readonly #operations: Operations;
  readonly #operationsApp: FastifyInstance;
  readonly #server: HttpServer;
  #configuration: Configuration;
  #byKey!: ReadonlyMap<string, Source>;
  #port: number;
  #isStopping = false;
  #reloading: Promise<void> = Promise.resolve();

  private constructor(options: ServiceOptions, routing: Routing, store: ServiceStore) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#store = store;
    this.#port = options.port;
    this.#switches = Switches.open(join(options.stateDir, 'switches.json'));
    this.#deliveryLog = new DeliveryLog({
      folder: join(options.stateDir, 'trail'),
      clock: this.#clock,
      deletedUsers: new DeletedUsers(store.deletedUsers()),
    });
    this.#observer = new Observer({
      clock: this.#clock,
      log: options.log,
      deliveryLog: this.#deliveryLog,
      onChange: () => this.#operations.publish(),
      readings: () => this.#reader.read(),
      waiting: () => this.#waiting(),
      damagedBlocks: () => store.setAside.blocks,
    });
    this.#configuration = this.#adopted(routing);
    store.keepDeadLetters(keptOf(routing));
    this.#forwarder = new Forwarder({
      store,
      routing: this.#configuration.active,
      clock: this.#clock,
      ...(options.delivery && { delivery: options.delivery }),
      listener: this.#observer.listener,
    });
    this.#reader = new Reader({
      ...{ store, forwarder: this.#forwarder, counters: this.#observer.counters },
      clock: this.#clock,
    });
    this.#redaction = new LogRedaction({
      ...{ store, deliveryLog: this.#deliveryLog, clock: this.#clock },
      accept: this.#forwarder.acceptDeletion,
      onFailure: (error) => this.#observer.addLogFailure(error),
    });
    this.#operations = this.#makeOperations();
    this.#operationsApp = this.#makeOperationsApp();
    this.#server = this.#makeServer();
  }

  /**
   * Starts accepting calls and resumes what an earlier process left.
   *
   * @throws UsageError for a mistake in the configuration, a port that cannot be listened on, or a
   * state that another process has locked; StateError when the state cannot be written
   */
  static async start(options: ServiceOptions): Promise<Service> {
    const routing = await options.readRouting();
    const { clock, onState } = options;
    let service: Service | undefined;
    const store = await ServiceStore.open(options.stateDir, {
      ...(clock && { clock }),
      ...(onState && { onFailure: onState }),
      onDefect: (error) => {
        if (service) service.#observer.addDefect(error);
      },
      onDropped: (destination, count) => {
        if (service) service.#addDropped(destination, count);
      },
      onDamaged: (destination, events) => {
        if (service) service.#observer.addDamaged(destination, events);
      },
    });
    try {
      service = new Service(options, routing, store);
      await service.#listen();
      service.#forwarder.start();
      service.#redaction.start();
      return service;
    } catch (error) {
      store.close();
      throw error;
    }
  }

  /** Base URL, without a path. */
  get url(): string {
    return urlOf(this.#options.host, this.#port);
  }

  get port(): number {
    return this.#port;
  }

  /** Why the last commit failed; undefined while the state can be written. */
  get failure(): unknown {
    return this.#store.failure;
  }

  /**
   * Reads the configuration again. One with a mistake changes nothing; the log and the page report it.
   */
  reload(): Promise<void> {
    this.#reloading = this.#reloading.then(() => this.#reload());
    return this.#reloading;
  }

  /** Logs which destinations cannot be delivered to, since they are at private addresses. */
  warnOfPrivateAddresses(): Promise<void> {
    return warnOfPrivateAddresses(this.#configuration.active.destinations, this.#options.log);
  }

  /**
   * Accepts nothing new, waits for requests in flight, and makes all durable. The rest stays stored;
   * resolves to the number of its deliveries.
   */
  async stop(): Promise<number> {
    this.#isStopping = true;
    await this.#reloading;
    this.#operations.close();
    const cancel = this.#clock.after(graceMs, () => this.#server.closeAllConnections());
    await Promise.all([this.#server.close(), this.#operationsApp.close()]);
    cancel();
    await this.#forwarder.stop();
    await this.#redaction.stop();
    this.#observer.end();
    await this.#deliveryLog.flush();
    this.#deliveryLog.close();
    const undelivered = [...this.#waiting().values()].reduce((sum, length) => sum + length, 0);
    this.#store.close();
    return undelivered;
  }

  async #reload(): Promise<void> {
    const { log } = this.#options;
    if (this.#isStopping) return;
    try {
      const configuration = this.#adopted(await this.#options.readRouting());
      await this.#activate(configuration);
      this.#store.keepDeadLetters(keptOf(configuration.active));
      log.info(countsOf(configuration.active), 'configuration reloaded');
      void this.warnOfPrivateAddresses();
    } catch (error) {
      const { message } = error as Error;
      this.#configuration = { ...this.#configuration, error: message };
      log.error({ reason: message }, 'configuration not reloaded; keeping the previous one');
    }
    this.#operations.publish();
  }

  async #switch(name: string, isEnabled: boolean): Promise<void> {
    const { configured, at, error } = this.#configuration;
    const destination = configured.destinations.find((one) => one.name === name)!;
    this.#switches.set(destination, isEnabled);
    await this.#activate({ configured, at, error, active: this.#switches.apply(configured) });
    this.#options.log.info({ destination: name, enabled: isEnabled }, 'destination switched');
    if (isEnabled) void this.warnOfPrivateAddresses();
  }

  #adopted(configured: Routing): Configuration {
    const active = this.#switches.apply(configured);
    return { configured, active, at: this.#clock.now(), error: undefined };
  }

  /** New calls use the new routing at once; resolves when events in flight have ended. */
  async #activate(configuration: Configuration): Promise<void> {
    const changed = this.#forwarder.reconfigure(configuration.active);
    this.#configuration = configuration;
    this.#index(configuration.active);
    await changed;
  }

  #index({ sources }: Routing): void {
    this.#byKey = new Map(sources.map((source) => [source.writeKey, source]));
    this.#observer.expect(sources);
  }

  #addDropped(destination: string, count: number): void {
    this.#observer.addDropped(destination, count, keptOf(this.#configuration.active));
  }

  /** Of all configured destinations, and of removed ones for which events still wait. */
  #waiting(): ReadonlyMap<string, number> {
    const configured = this.#configuration.active.destinations.map(({ name }) => name);
    const names = [...configured, ...this.#store.waitingFor()];
    return new Map(names.map((name) => [name, this.#store.length(name).waiting]));
  }

  async #accept(batch: IngestBatch): Promise<void> {
    await this.#forwarder.accept(batch);
    this.#observer.addBatch(batch, this.#configuration.active);
  }

  #makeOperations(): Operations {
    const { activity, counters, metrics, timeline } = this.#observer;
    return new Operations({
      store: this.#store,
      forwarder: this.#forwarder,
      acceptDeletion: this.#redaction.accept,
      activity,
      deliveryLog: this.#deliveryLog,
      counters,
      metrics,
      timeline,
      clock: this.#clock,
      configuration: () => this.#configuration,
      onSwitch: (name, isEnabled) => this.#switch(name, isEnabled),
      isReady: () => !this.#isStopping,
    });
  }

  #makeOperationsApp(): FastifyInstance {
    const { host, token, pageFolder } = this.#options;
    return operationsApp({
      operations: this.#operations,
      guard: { host, port: () => this.#port, token },
      page: readPage(pageFolder),
    });
  }

  #makeServer(): HttpServer {
    const { log } = this.#options;
    this.#index(this.#configuration.active);
    const handler = collectionApi({
      findSource: (writeKey) => this.#byKey.get(writeKey),
      accept: (batch) => this.#accept(batch),
      deletion: this.#redaction.accept,
      clock: this.#clock,
      onRefused: (refusal) => this.#observer.addRefusal(refusal),
      operations: (request, response) => this.#operationsApp.routing(request, response),
      isStopping: () => this.#isStopping,
    });
    return new HttpServer({ handler, onNote: (text) => log.debug({}, text) });
  }

  async #listen(): Promise<void> {
    const { host, port } = this.#options;
    await this.#operationsApp.ready();
    this.#port = await this.#server.listen(host, port);
  }
}

function keptOf({ maxDeadLetters = maxStoredRows.deadLetter }: Routing): number {
  return maxDeadLetters;
}

/** Log fields. */
export function countsOf({ sources, destinations }: Routing): {
  readonly sources: number;
  readonly destinations: number;
} {
  return { sources: sources.length, destinations: destinations.length };
}
