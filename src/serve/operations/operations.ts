import type { Clock } from '../../clock.js';
import type { Outcome } from '../../delivery/outcome.js';
import type {
  AttemptRow,
  DeadLettersQuery,
  DeletionResult,
  DestinationState,
  InstanceState,
  Overview,
  RedeliveryRequest,
  RedeliveryResult,
  ReplayCount,
  ReplayCreated,
  ReplayRow,
  TestResult,
  UserQueues,
} from '../../api/serve.js';
import type { Feed } from '../../web/event-stream.js';
import { EventStream } from '../../web/event-stream.js';
import type { EventRecord } from '../event-record.js';
import type { Forwarder } from '../forward/forwarder.js';
import type { ServiceStore } from '../store/service-store.js';
import type { OutcomeLog } from '../store/store-views.js';
import { UsageError } from '../../errors.js';
import { Refusal } from '../collect/refusal.js';
import type { AcceptDeletion } from '../types.js';
import type { Newest } from './newest.js';
import type { RecentRequests } from './recent-requests.js';
import { Holds } from './holds.js';
import { Searcher } from './search.js';
import { deleteUser } from './delete-user.js';
import { Lists } from './lists.js';
import type { Timeline } from './timeline.js';
import type { Metrics } from './metrics.js';
import { destinationStates, overviewOf, type Configuration } from './overview.js';
import {
  attemptRow,
  shortOverview,
  timeOf,
  apiRecord,
  apiRejectedCall,
  replayRow,
  withoutResponses,
} from './api-records.js';
import { assertConfigured } from './assert-configured.js';
import type { Counters } from './counters.js';
import type { ReplayRequest } from '../kept/replay-store.js';
import type { Replays } from '../kept/replays.js';
import { isKeeping } from '../kept/settings.js';
import type { Cluster } from '../cluster.js';

export interface OperationsOptions {
  readonly store: ServiceStore;
  readonly forwarder: Forwarder;
  readonly cluster?: Cluster;
  readonly acceptDeletion: AcceptDeletion;
  readonly activity: Newest<EventRecord>;
  readonly requests: RecentRequests;
  readonly deliveryLog: OutcomeLog;
  readonly counters: Counters;
  readonly metrics: Metrics;
  readonly timeline: Timeline;
  /** Undefined where the store keeps no events. */
  readonly replays?: Replays | undefined;
  readonly clock: Clock;
  readonly configuration: () => Configuration;
  /** Switches a destination that is configured. */
  readonly onSwitch: (destination: string, isEnabled: boolean) => Promise<void>;
  /** Whether calls are accepted: false as soon as the service is stopping. */
  readonly isReady: () => boolean;
}

/** Dead letters that are redelivered in one transaction. */
const deadLettersAtOnce = 500;

const rejectedAtFirst = 500;
/** Results of a search among the newest. */
const recentAtOnce = 500;
/** Minimum interval between overviews sent to pages, for this many sources: each takes a few tens of ms. */
const overviewEveryMs = 1_000;
const sourcesPerOverview = 20_000;

/** Views and actions for operators. */
export class Operations {
  readonly store: ServiceStore;
  readonly metrics: Metrics;
  readonly lists: Lists;
  readonly searcher: Searcher;
  readonly #options: OperationsOptions;
  readonly #stream: EventStream;
  readonly #startedAt: number;
  #cancelOverview: (() => void) | undefined;

  constructor(options: OperationsOptions) {
    const { store, metrics, activity, requests, deliveryLog, clock } = options;
    this.store = store;
    this.metrics = metrics;
    const holds = (): Holds =>
      new Holds(
        options.forwarder.destinations(),
        (destination, url) => options.counters.endpoint(destination, url),
        clock.now(),
      );
    this.lists = new Lists(store, { activity, requests, clock }, holds);
    this.searcher = new Searcher({
      ...{ store, deliveryLog, clock, holds },
      recent: (query) => this.lists.recentRequests({ ...query, limit: recentAtOnce }),
      sources: () => options.configuration().active.sources.map(({ name }) => name),
    });
    this.#options = options;
    this.#startedAt = clock.now();
    this.#stream = new EventStream([deliveriesFeed(activity, store), rejectedFeed(store)]);
  }

  /** In milliseconds since 1970. */
  get now(): number {
    return this.#options.clock.now();
  }

  get isReady(): boolean {
    return this.#options.isReady() && this.store.failure === undefined;
  }

  get overview(): Overview {
    const { oldestTransactionSeconds = null } = this.store;
    return {
      ...overviewOf(this.#parts),
      ...{ instances: this.instances, oldestTransactionSeconds, kept: this.#kept },
    };
  }

  /** Those that share the store; this process alone where it has its own. */
  get instances(): InstanceState[] {
    return (this.#options.cluster?.instances() ?? []).map(
      ({ startedAt, lastSeen, ...instance }) => ({
        ...instance,
        startedAt: timeOf(startedAt),
        lastSeen: timeOf(lastSeen),
      }),
    );
  }

  get timeline(): Timeline {
    return this.#options.timeline;
  }

  /** The query of a list, whose names must be known. @throws Refusal for one that never existed */
  known<Query extends DeadLettersQuery>(query: Query): Query {
    const { source, destination } = query;
    if (source !== undefined && !this.store.knowsSource(source))
      assertConfigured('source', source, this.#options.configuration().configured.sources);
    if (destination !== undefined) this.#assertKnown(destination);
    return query;
  }

  /** Users whose events wait for one another. @throws Refusal for a destination that never existed */
  async userQueues(destination: string): Promise<UserQueues> {
    this.#assertKnown(destination);
    return this.lists.userQueues(destination);
  }

  /**
   * The last attempt at a destination that did not deliver, since the start.
   * @throws Refusal for a destination that never existed
   */
  lastFailure(destination: string): AttemptRow | undefined {
    this.#assertKnown(destination);
    const lastFailure = this.#options.counters.lastFailure(destination);
    return lastFailure && attemptRow(lastFailure);
  }

  get destinationNames(): string[] {
    return this.#options.forwarder.destinations().map(({ name }) => name);
  }

  /** Streams to a response until its connection ends. */
  get stream(): Pick<EventStream, 'add'> {
    return {
      add: (response) => this.#stream.add(response, { overview: shortOverview(this.overview) }),
    };
  }

  /** Data shown on pages has changed. */
  publish(): void {
    if (!this.#stream.hasListeners) return;
    this.#stream.flushSoon();
    const { sources } = this.#options.configuration().active;
    const delayMs = overviewEveryMs * Math.max(1, sources.length / sourcesPerOverview);
    this.#cancelOverview ??= this.#options.clock.after(delayMs, () => {
      this.#cancelOverview = undefined;
      if (!this.#stream.hasListeners) return;
      this.#stream.broadcast('overview', shortOverview(this.overview));
    });
  }

  /** @throws Refusal for an unknown name, StateError when it cannot be stored */
  async switchDestination(name: string, isEnabled: boolean): Promise<DestinationState> {
    this.#assertConfigured(name);
    await this.#options.onSwitch(name, isEnabled);
    this.publish();
    return destinationStates(this.#parts).find((state) => state.name === name)!;
  }

  /** Sends a test event or request at once. @throws Refusal for an unknown name */
  async test(name: string): Promise<TestResult> {
    this.#assertConfigured(name);
    const { outcome, request } = await this.#options.forwarder.test(name);
    return { ...testResult(outcome), request: request ? { signed: request.isSigned } : null };
  }

  /** @throws Refusal for a destination that never existed, StateError when it is not durable */
  async redeliver(request: RedeliveryRequest): Promise<RedeliveryResult> {
    const { forwarder } = this.#options;
    const { views } = this.store;
    if ('ids' in request) {
      const found = await Promise.all(request.ids.map(async (id) => views.deadLetter(id)));
      const ids = found.flatMap((deadLetter) => deadLetter?.id ?? []);
      return { redelivered: await forwarder.redeliver(ids) };
    }
    this.#assertKnown(request.destination);
    const [newest] = await views.deadLetters({ of: request.destination, limit: 1 });
    let redelivered = 0;
    for (let after = 0; after < (newest?.id ?? 0);) {
      const ids = await views.deadLetterIds(request.destination, after, deadLettersAtOnce);
      after = ids.at(-1) ?? Infinity;
      // Those that have failed again meanwhile are newer.
      redelivered += await forwarder.redeliver(ids.filter((id) => id <= newest!.id));
    }
    return { redelivered };
  }

  /** The replays, the newest first. */
  async replays(): Promise<ReplayRow[]> {
    return ((await this.#options.replays?.list()) ?? []).map(replayRow);
  }

  /** How many events a replay would send. @throws Refusal as `createReplay` does */
  async previewReplay(request: ReplayRequest): Promise<ReplayCount> {
    const replays = this.#replaysFor(request.destination);
    const count = await asked(() => replays.preview(request));
    return { ...count, ...(await this.#alreadySent(replays, request.destination)) };
  }

  /**
   * Begins a replay of kept events. Resolves to its id, and to what is sent to the destination already.
   * @throws Refusal for a destination that is not configured or off, and a condition that cannot be read; StateError when
   * it is not durable
   */
  async createReplay(request: ReplayRequest): Promise<ReplayCreated> {
    const replays = this.#replaysFor(request.destination);
    const already = await this.#alreadySent(replays, request.destination);
    const id = await asked(() => replays.create(request));
    this.publish();
    return { id, ...already };
  }

  async #alreadySent(
    replays: Replays,
    destination: string,
  ): Promise<Pick<ReplayCount, 'waiting' | 'running'>> {
    const { waiting } = this.store.length(destination);
    return { waiting, running: await replays.runningFor(destination) };
  }

  get #kept(): Overview['kept'] {
    const { kept } = this.store;
    const { replays } = this.#options;
    return kept && replays && isKeeping(kept.settings) ? { runningReplays: replays.running } : null;
  }

  /** Stops a replay, if it still runs. @throws Refusal for an unknown id, StateError when it is not durable */
  async stopReplay(id: string): Promise<ReplayRow> {
    const { replays } = this.#options;
    if (!replays || !(await replays.find(id)))
      throw new Refusal(404, 'unknown_replay', 'there is no such replay; GET replays lists them');
    await replays.stopOne(id);
    return replayRow((await replays.find(id))!);
  }

  #replaysFor(destination: string): Replays {
    const { replays, configuration } = this.#options;
    const { kept } = this.store;
    if (!replays || !kept || !isKeeping(kept.settings))
      throw new Refusal(
        409,
        'nothing_kept',
        'this service keeps no events, so nothing can be replayed; set retention in its configuration',
      );
    this.#assertConfigured(destination);
    const found = configuration().active.destinations.find((one) => one.name === destination);
    if (found?.isEnabled === true && found.refusal === undefined) return replays;
    if (found?.refusal !== undefined) {
      throw new Refusal(
        409,
        'destination_refused',
        `the destination is refused (${found.refusal}); put that right before a replay`,
      );
    }
    const { destinations } = configuration().configured;
    const isOffInFile = destinations.some((one) => one.name === destination && !one.isEnabled);
    throw new Refusal(
      409,
      'destination_off',
      isOffInFile
        ? 'the destination is off in the configuration file (enabled: false); set enabled: true in the configuration file, or switch it on, before a replay'
        : 'the destination is off; switch it on before a replay',
    );
  }

  /** @throws Refusal for a body that is not valid, StateError as `redeliver` */
  deleteUser(body: Buffer): Promise<DeletionResult> {
    const { configuration, acceptDeletion: accept, clock } = this.#options;
    return deleteUser(body, { routing: configuration().active, accept, now: clock.now() });
  }

  /** Ends the connections of all pages. */
  close(): void {
    this.#cancelOverview?.();
    this.#stream.close();
  }

  get #parts() {
    return { ...this.#options, startedAt: this.#startedAt };
  }

  /** A removed destination may still have dead letters. */
  #assertKnown(destination: string): void {
    if (!this.store.knowsDestination(destination)) this.#assertConfigured(destination);
  }

  #assertConfigured(name: string): void {
    assertConfigured('destination', name, this.#options.configuration().configured.destinations);
  }
}

/** A condition that cannot be read is the caller's mistake. */
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new Refusal(400, 'bad_request', error.message.replace(/^--where /, 'where: '));
  }
}

function deliveriesFeed(activity: Newest<EventRecord>, { views }: ServiceStore): Feed {
  return {
    name: 'deliveries',
    after(sequence, limit) {
      const numbered = activity.after(sequence, limit);
      return {
        last: numbered.at(-1)?.number ?? sequence,
        rows: numbered.map(({ item }) => withoutResponses(apiRecord(item, views.keyOf(item)))),
      };
    },
  };
}

/** A new page gets only the newest of those that are stored. */
function rejectedFeed({ views }: ServiceStore): Feed {
  return {
    name: 'rejected',
    after(sequence, limit) {
      const calls = views.rejectedAfter(sequence, limit, rejectedAtFirst);
      return { last: calls.at(-1)?.id ?? sequence, rows: calls.map(apiRejectedCall) };
    },
  };
}

function testResult({
  verdict,
  messageId,
  attempts,
  code,
  message,
}: Outcome): Omit<TestResult, 'request'> {
  return {
    messageId: messageId ?? '',
    delivered: verdict === 'delivered',
    attempts: attempts.map(attemptRow),
    code: code ?? null,
    message: message ?? null,
  };
}
