import { systemClock } from '../../clock.js';
import type { DownReason } from '../../delivery/circuit-breaker.js';
import type { Outcome } from '../../delivery/outcome.js';
import { RateLimiter } from '../../delivery/rate-limiter.js';
import { sleep } from '../../delivery/sleep.js';
import type { Event, Problem } from '../../events/event.js';
import { run } from '../../importer/pipeline.js';
import type { BrokenInputError } from '../../input/broken-input.js';
import { isGzipFile } from '../../input/input.js';
import { StoreCommitter } from '../../ledger/committer.js';
import { Ledger } from '../../ledger/ledger.js';
import { restOf } from '../../ledger/resume.js';
import type { RunCounts, Summary } from '../../ledger/summary.js';
import { readCaptures } from '../../replay/read-captures.js';
import { RequestTarget } from '../../replay/request-target.js';
import { captureSelector } from '../../replay/select.js';
import { signingSecrets } from '../../webhook/signing.js';
import { comparedOf } from './compare-flag.js';
import type { ReplayParts } from './parts.js';

/** Receives what happens in a running replay. */
export interface ReplayListener {
  attempts(outcome: Outcome, item: Event | Problem): void;
  /** A request was neither delivered nor skipped. */
  problem(outcome: Outcome, item: Event | Problem): void;
  /** Another line was read, and is sent next. */
  next(): void;
  /** A URL is considered down, for a reason, or is reachable again. */
  down(url: string, isDown: boolean, reason?: DownReason): void;
  /** Recorded credentials go to this host, which is not the recorded one; called once. */
  credentialsAbroad(host: string): void;
  /** An input is truncated; reading continues with the next one. */
  broken(error: BrokenInputError): void;
}

/** The maximum of completed rows that are not on the disk yet: a power cut undoes them. */
const maxUncommitted = 500;

/** Joins captures, target and ledger by the pipeline of `import`. */
export class ReplayEngine {
  /** Which items are sent. */
  readonly isSelected: (item: unknown) => boolean;
  readonly #parts: ReplayParts;
  readonly #listener: ReplayListener;
  readonly #ledger: Ledger;
  readonly #target: RequestTarget;
  #hasEnded = false;

  constructor(parts: ReplayParts, listener: ReplayListener) {
    const { flags, state } = parts;
    const { methods, paths, status } = flags;
    const { since, until } = state;
    this.#parts = parts;
    this.#listener = listener;
    this.isSelected = captureSelector({ since, until, methods, paths, status });
    this.#ledger = ledgerOf(parts, listener);
    this.#target = this.#openTarget();
  }

  get counts(): RunCounts {
    return this.#ledger;
  }

  /** For display, without queries. */
  get urls(): readonly string[] {
    return this.#target.urls;
  }

  /** Resolves when everything is sent, or the run is interrupted. */
  async forward(interrupted: AbortSignal): Promise<void> {
    const { flags, state, schedule } = this.#parts;
    try {
      await run({
        source: this.#untilEnd(this.#read(interrupted)),
        onNext: () => this.#listener.next(),
        isSelected: this.isSelected,
        limit: flags.limit ?? Infinity,
        stamp: { ids: 'keep', seed: state.seed },
        schedule,
        rate: flags.rate === undefined ? undefined : new RateLimiter(flags.rate, systemClock),
        target: this.#target,
        ledger: this.#ledger,
        clock: systemClock,
        sleep: (ms) => sleep(ms, systemClock, interrupted),
        interrupted,
      });
    } finally {
      await this.#target.close();
    }
  }

  /** Makes everything durable and returns the summary. */
  finish(hasReadAll: boolean): Summary {
    return this.#ledger.finish(hasReadAll && this.#hasEnded);
  }

  #read(signal: AbortSignal): ReturnType<typeof readCaptures> {
    const { inputs, items, state, io } = this.#parts;
    const checkpoint = state.store.checkpoint();
    return readCaptures(inputs, items, {
      stdin: io.stdin,
      signal,
      rest: (index) => restOf(checkpoint, index),
      onBroken: (error) => this.#listener.broken(error),
    });
  }

  /** A run that stops at its limit has not read everything, even if it has sent all there is. */
  async *#untilEnd<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
    yield* source;
    this.#hasEnded = true;
  }

  #openTarget(): RequestTarget {
    const { settings, compositions, signers, flags } = this.#parts;
    return new RequestTarget({
      ...{ compositions, signers },
      secrets: (settings.signing ?? []).flatMap(signingSecrets),
      compared: comparedOf(flags),
      concurrency: flags.concurrency,
      timeoutMs: settings.timeoutMs,
      retryWindowMs: settings.retryWindowMs,
      allUrls: settings.allUrls,
      ca: settings.ca,
      clientCertificate: settings.clientCertificate,
      onDown: (...change) => this.#listener.down(...change),
      onAttempt: (result, messageId) => this.#ledger.attempt(result, messageId),
      onCredentialsAbroad: (host) => this.#listener.credentialsAbroad(host),
    });
  }
}

function ledgerOf(parts: ReplayParts, listener: ReplayListener): Ledger {
  const { inputs, hars, items, state, log, flags, compositions } = parts;
  const rereadable = inputs.map((input) => input.isFile && !hars.has(input) && !isGzipFile(input));
  return new Ledger({
    store: state.store,
    committer: new StoreCommitter(state.store, state.deadLetters, {
      maxUnflushed: maxUncommitted,
      onStep: undefined,
    }),
    deadLetterPath: state.deadLetters.path,
    files: inputs.map(({ name }) => name),
    items,
    canReread: (file) => rereadable[file] === true,
    isResumable: state.isResumable,
    // One half is flushed to the disk while the other fills.
    group: { rows: maxUncommitted / 2, ms: 5 },
    log,
    clock: systemClock,
    urls: urlsOf(compositions),
    onProblem: (outcome, item) => listener.problem(outcome, item),
    ...(flags.verbose && {
      onAttempts: (outcome: Outcome, item: Event | Problem) => listener.attempts(outcome, item),
    }),
  });
}

/** URLs that have counts of their own: where each request keeps its path, there are too many. */
function urlsOf(compositions: ReplayParts['compositions']): string[] {
  if (compositions.some(({ base }) => base.path === undefined)) return [];
  return compositions.map(({ base }) => base.origin + base.url.pathname);
}
