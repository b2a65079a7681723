import { findInputs } from '../../src/sources/find-inputs.js';
import type { ImportFlags } from '../../src/commands/import/flags.js';
import type { ImportListener, ImportParts } from '../../src/commands/import/parts.js';
import { singleThreadImport } from '../../src/commands/import/single-thread.js';
import { MultiThreadImport } from '../../src/commands/import/threads.js';
import type { TargetSettings } from '../../src/config/open-target.js';
import type { Platform } from '../../src/delivery/platform.js';
import type { Random } from '../../src/fixtures/random.js';
import { LocalThread } from '../../src/importer/workers/execution-pool.js';
import type { CommitStep } from '../../src/ledger/committer.js';
import { DeadLetterFile } from '../../src/ledger/dead-letter-file.js';
import { ImportStore, type OutcomeCounts } from '../../src/ledger/store.js';
import type { RunEngine } from '../../src/run/run.js';
import { signingBy } from '../helpers/signing.js';
import { ProcessClock, type WorldClock } from './clock.js';
import type { SimulatedDisk } from './disk.js';
import type { ImportPlan } from './import-plan.js';
import { simulatedNetwork, type SimulatedEndpoint } from './network.js';
import { secret } from './world.js';

export interface ImportProgramOptions {
  readonly plan: ImportPlan;
  readonly paths: readonly string[];
  readonly deadLetterPath: string;
  readonly clock: WorldClock;
  readonly disk: SimulatedDisk;
  readonly random: Random;
  readonly endpointOf: (host: string) => SimulatedEndpoint | undefined;
  readonly onStep: (step: CommitStep) => void;
}

/** How a run ended by itself. */
export interface ImportEnd {
  /** Events that wait for the next run. */
  readonly pending: number;
  readonly counts: OutcomeCounts;
}

/** One run of an import: the real code, from lines to the ledger and the requests. */
export class ImportProgram {
  readonly clock: ProcessClock;
  /** Rejects with the error that ends the run; after a kill it may stay open. */
  readonly ended: Promise<ImportEnd>;
  readonly #options: ImportProgramOptions;
  readonly #interruption = new AbortController();
  #isAlive = true;

  constructor(options: ImportProgramOptions) {
    this.#options = options;
    this.clock = new ProcessClock(options.clock);
    this.ended = this.#run();
    this.ended.catch(() => undefined);
  }

  /** As Ctrl-C does. */
  interrupt(): void {
    this.#interruption.abort();
  }

  /** As the kernel does: nothing of it goes on. */
  kill(): void {
    this.#isAlive = false;
    this.clock.end();
    // Closes the files that it reads; nothing of that is seen outside.
    this.#interruption.abort();
  }

  async #run(): Promise<ImportEnd> {
    const { disk, plan } = this.#options;
    const store = ImportStore.on(
      disk.for(this.clock, () => this.#isAlive),
      'import.db',
    );
    const parts = await this.#parts(store);
    const { signal } = this.#interruption;
    const engine: RunEngine =
      plan.threads > 0
        ? new MultiThreadImport(parts, silent, plan.threads)
        : singleThreadImport(parts, silent);
    await engine.urls();
    await engine.forward(signal);
    const { pending } = engine.finish(!signal.aborted);
    const counts = store.counts();
    store.close();
    return { pending, counts };
  }

  async #parts(store: ImportStore): Promise<ImportParts> {
    const { plan, paths, deadLetterPath, random, endpointOf, onStep } = this.#options;
    const { clock } = this;
    const network = simulatedNetwork(clock, endpointOf);
    const platform: Platform = { clock, random: () => random.next(), network };
    const flags: Partial<ImportFlags> = {
      ids: 'keep',
      concurrency: plan.concurrency,
      ordered: plan.isOrdered,
      ...(plan.rate !== null && { rate: plan.rate }),
    };
    return {
      inputs: await findInputs([...paths]),
      files: paths,
      flags: flags as ImportFlags,
      typed: [],
      io: {} as ImportParts['io'],
      settings: settingsOf(plan),
      platform,
      newThread: () => new LocalThread(platform),
      state: {
        ...{ store, deadLetters: new DeadLetterFile(deadLetterPath), isResumable: true },
        ...{ seed: 'seed', since: undefined, until: undefined, hasOtherCredentials: false },
        close: () => undefined,
      },
      ...{ log: undefined, transform: undefined, recordChanges: undefined, schedule: undefined },
      ...{ shard: undefined, shares: undefined, onStep },
    };
  }
}

function settingsOf({ destinations, retryWindowMs, allUrls }: ImportPlan): TargetSettings {
  return {
    kind: 'webhooks',
    endpoints: destinations[0]!.urls.map(({ host }) => ({ url: `https://${host}/hook` })),
    where: 'the plan',
    signing: signingBy('x-signature', secret),
    timeoutMs: 5_000,
    retryWindowMs,
    allUrls,
    ignoreIntegrations: false,
    ca: [],
  };
}

const ignore = (): void => undefined;
const silent: ImportListener = {
  ...{ attempt: ignore, problem: ignore, counted: ignore, next: ignore },
  ...{ down: ignore, refused: ignore, broken: ignore },
};
