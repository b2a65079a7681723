import { Collector } from '../../src/serve/collect/collector.js';
import { ServiceCore } from '../../src/serve/core.js';
import type { Log } from '../../src/serve/log.js';
import type { Random } from '../../src/fixtures/random.js';
import { MemoryBudget } from '../../src/serve/forward/memory-budget.js';
import { SqliteStore } from '../../src/serve/store/sqlite/sqlite-store.js';
import { stateOfService } from '../../src/serve/store/sqlite/schema.js';
import { DeletedUsers } from '../../src/serve/store/deleted-users.js';
import type { DeliveryLog } from '../../src/serve/store/delivery-log.js';
import { AlertStateFile } from '../../src/serve/alerts/alert-states.js';
import type { Switches } from '../../src/serve/switches.js';
import type { Routing } from '../../src/serve/types.js';
import { StateFile } from '../../src/storage/state-file.js';
import { ProcessClock, type WorldClock } from './clock.js';
import type { SimulatedDisk } from './disk.js';
import { simulatedNetwork, type SimulatedEndpoint } from './network.js';

export interface ProgramOptions {
  readonly clock: WorldClock;
  readonly disk: SimulatedDisk;
  readonly switches: Switches;
  /** Of what was told about destinations. */
  readonly alertFile: string;
  readonly random: Random;
  readonly endpointOf: (host: string) => SimulatedEndpoint | undefined;
  readonly routing: () => Routing;
  readonly onDefect: (error: unknown) => void;
  readonly onFailure: (error: unknown) => void;
}

/** One run of the service: the real code, from the collection API's documents to the requests. */
export class Program {
  readonly core: ServiceCore;
  readonly store: SqliteStore;
  readonly collector: Collector;
  readonly clock: ProcessClock;
  readonly memory: MemoryBudget;
  readonly startedAt: number;
  readonly #end: () => void;

  private constructor(
    core: ServiceCore,
    store: SqliteStore,
    clock: ProcessClock,
    memory: MemoryBudget,
    startedAt: number,
    end: () => void,
  ) {
    this.core = core;
    this.store = store;
    this.clock = clock;
    this.memory = memory;
    this.startedAt = startedAt;
    this.#end = end;
    this.collector = new Collector({
      findSource: (key) => core.findSource(key),
      accept: (batch) => core.accept(batch),
      deletion: core.acceptDeletion,
      clock,
    });
  }

  /** @throws errors of the state, as a start does */
  static async start(options: ProgramOptions): Promise<Program> {
    const clock = new ProcessClock(options.clock);
    const memory = new MemoryBudget();
    let isAlive = true;
    const end = (): void => {
      isAlive = false;
      clock.end();
    };
    let store: SqliteStore | undefined;
    try {
      const core = await ServiceCore.open({
        ...{ clock, memory },
        log: logTo(options.onDefect),
        readRouting: () => Promise.resolve(options.routing()),
        delivery: {
          random: () => options.random.next(),
          network: simulatedNetwork(clock, options.endpointOf),
        },
        openState: (callbacks) => {
          const disk = options.disk.for(clock, () => isAlive);
          const file = StateFile.on(disk, 'serve.db', stateOfService);
          const { reserve } = options.disk;
          const onFailure = (error: unknown): void => {
            options.onFailure(error);
            callbacks.onFailure?.(error);
          };
          store = new SqliteStore({ file, reserve }, { ...callbacks, clock, onFailure });
          const { switches } = options;
          const alerts = new AlertStateFile(options.alertFile, clock);
          const deliveryLog = withoutFiles(store);
          return Promise.resolve({ store, switches, deliveryLog, alerts });
        },
      });
      core.start();
      return new Program(core, store!, clock, memory, options.clock.elapsedMs, end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** As a signal does; resolves when all is durable. */
  async stop(): Promise<void> {
    await this.core.prepareStop();
    await this.core.stop();
  }

  /** As the kernel does: nothing of it goes on. */
  kill(): void {
    this.#end();
  }
}

/** The log of a program reports defects; all else that it says is for people. */
function logTo(onDefect: (error: unknown) => void): Log {
  const ignore = (): void => undefined;
  return {
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (fields, message) => {
      if (message.startsWith('internal error')) onDefect(JSON.stringify(fields));
    },
  };
}

/** What became of the newest events, for searches; its files are not simulated. */
function withoutFiles(store: SqliteStore): DeliveryLog {
  const log: Pick<DeliveryLog, 'deletedUsers' | 'add' | 'redact' | 'flush' | 'close'> = {
    deletedUsers: new DeletedUsers(store.deletedUsers()),
    add: () => undefined,
    redact: () => Promise.resolve(true),
    flush: () => Promise.resolve(),
    close: () => undefined,
  };
  return log as DeliveryLog;
}
