import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { systemClock, type Clock } from '../clock.js';
import { urlOf } from '../web/address.js';
import { readPage } from '../web/page-files.js';
import { AlertStateFile } from './alerts/alert-states.js';
import { collectionApi } from './collect/api.js';
import { rawApi, type RawApiOptions } from './raw/api.js';
import { ServiceCore, type OpenState } from './core.js';
import type { DeliveryOptions } from './forward/sender.js';
import { HttpServer } from './http-server.js';
import type { Log } from './log.js';
import { operationsApp } from './operations/api.js';
import { DeletedUsers } from './store/deleted-users.js';
import { SqliteStore } from './store/sqlite/sqlite-store.js';
import { DeliveryLog } from './store/delivery-log.js';
import { Switches } from './switches.js';
import type { Routing } from './types.js';

export interface ServiceOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Directory of the state; created when missing. Not used with `openState`. */
  readonly stateDir: string;
  /** Opens another state than files in `stateDir`. */
  readonly openState?: OpenState;
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
  /** Called when it accepts calls, before anything is sent. */
  readonly onReady?: (service: Service) => void;
}

/** How long in-flight requests may take when the service is stopped. */
const graceMs = 5_000;

/** The forwarding service: collection API, webhook destinations, and the operations page. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #clock: Clock;
  readonly #core: ServiceCore;
  readonly #operationsApp: FastifyInstance;
  readonly #server: HttpServer;
  #port: number;

  private constructor(options: ServiceOptions, core: ServiceCore) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#core = core;
    this.#port = options.port;
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
    const { readRouting, log, delivery, clock } = options;
    const openState = options.openState ?? openerOf(options);
    const core = await ServiceCore.open({ openState, readRouting, log, delivery, clock });
    try {
      const service = new Service(options, core);
      await service.#listen();
      options.onReady?.(service);
      core.start({ host: options.host, port: service.port });
      return service;
    } catch (error) {
      await core.close();
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
    return this.#core.failure;
  }

  /** As `reload` of `ServiceCore`. */
  reload(): Promise<void> {
    return this.#core.reload();
  }

  /** Logs which destinations cannot be delivered to, since they are at private addresses. */
  warnOfPrivateAddresses(): Promise<void> {
    return this.#core.warnOfPrivateAddresses();
  }

  /**
   * Accepts nothing new, waits for requests in flight, and makes all durable. The rest stays stored;
   * resolves to the number of its deliveries.
   */
  async stop(): Promise<number> {
    await this.#core.prepareStop();
    const cancel = this.#clock.after(graceMs, () => this.#server.closeAllConnections());
    await Promise.all([this.#server.close(), this.#operationsApp.close()]);
    cancel();
    return this.#core.stop();
  }

  #makeOperationsApp(): FastifyInstance {
    const { host, token, pageFolder } = this.#options;
    return operationsApp({
      operations: this.#core.operations,
      guard: { host, port: () => this.#port, token },
      page: readPage(pageFolder),
    });
  }

  #makeServer(): HttpServer {
    const { log } = this.#options;
    const core = this.#core;
    const common: Pick<RawApiOptions, 'accept' | 'clock' | 'onRefused' | 'isStopping'> = {
      accept: (batch) => core.accept(batch),
      clock: this.#clock,
      onRefused: (refusal, source) => core.observer.addRefusal(refusal, source),
      isStopping: () => core.isStopping,
    };
    const next = collectionApi({
      ...common,
      findSource: (writeKey) => core.findSource(writeKey),
      deletion: core.acceptDeletion,
      nearPath: (url) => core.rawPaths.near(url),
      operations: (request, response) => this.#operationsApp.routing(request, response),
    });
    const handler = rawApi({ ...common, paths: () => core.rawPaths, next });
    const { onRefused } = common;
    return new HttpServer({ handler, onNote: (text) => log.debug({}, text), onRefused });
  }

  async #listen(): Promise<void> {
    const { host, port } = this.#options;
    await this.#operationsApp.ready();
    this.#port = await this.#server.listen(host, port);
  }
}

/** What opens the files of the state directory. */
function openerOf({ stateDir, clock, onState }: ServiceOptions): OpenState {
  return async (callbacks) => {
    const store = await SqliteStore.open(stateDir, {
      ...callbacks,
      ...(clock && { clock }),
      onFailure: (error) => {
        callbacks.onFailure?.(error);
        onState?.(error);
      },
    });
    try {
      const switches = Switches.open(join(stateDir, 'switches.json'));
      const deliveryLog = new DeliveryLog({
        folder: join(stateDir, 'delivery-log'),
        clock: clock ?? systemClock,
        deletedUsers: new DeletedUsers(store.deletedUsers()),
      });
      const alerts = new AlertStateFile(join(stateDir, 'alerts.json'), clock ?? systemClock);
      return { store, switches, deliveryLog, alerts };
    } catch (error) {
      store.close();
      throw error;
    }
  };
}
