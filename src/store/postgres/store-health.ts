import type { Clock } from '../../clock.js';
import { repairOf, silences, type StoreUnavailable } from './unavailable.js';

export interface StoreHealthOptions {
  /** The URL as it may be printed. */
  readonly shown: string;
  readonly clock: Clock;
  /** One line each, once an outage. */
  readonly onOutage: (message: string) => void;
  readonly onRecovered: (message: string) => void;
  /** Whether the server is there, and takes writes if `kind` is `refused`; throws where it is not. */
  readonly probe: (kind: StoreUnavailable['kind']) => Promise<unknown>;
}

/** A shorter outage is not reported: a connection that was closed is opened again at once. */
const reportAfterMs = 400;
const probeEveryMs = 500;
/** A full disk has room for a probe long before it has room for the work. */
const probeRefusedEveryMs = 2_000;
/** What a probe does not find is told as over when it did not happen for so long: a probe writes little or nothing, and succeeds before the work does. */
const steadyMs = 10_000;

/** Whether the store can be used now; says so once when that ends and once when it is back. */
export class StoreHealth {
  readonly #options: StoreHealthOptions;
  #failure: StoreUnavailable | undefined;
  #since = 0;
  /** What was reported last; undefined when nothing is wrong. */
  #reported: StoreUnavailable['kind'] | undefined;
  /** Operations that were refused and wait: only their success says that the server takes writes again. */
  #refused = 0;
  #cancelProbe: (() => void) | undefined;
  #cancelReport: (() => void) | undefined;
  #isStopped = false;

  constructor(options: StoreHealthOptions) {
    this.#options = options;
  }

  /** Why the store cannot be used now. */
  get failure(): StoreUnavailable | undefined {
    return this.#failure;
  }

  failed(failure: StoreUnavailable): void {
    if (this.#isStopped) return;
    const now = this.#options.clock.monotonic();
    this.#cancelReport?.();
    if (this.#failure?.kind !== failure.kind) this.#since = now;
    if (!this.#failure) this.#scheduleProbe(failure.kind);
    this.#failure = failure;
    if (this.#reported !== failure.kind && now - this.#since >= reportAfterMs)
      this.#report(failure);
  }

  /** A statement had an answer. */
  succeeded(): void {
    if (this.#failure?.kind !== 'lost') return;
    // A server that was away after it was full may still be full.
    const mayReturn = this.#reported === 'refused' || silences.includes(this.#failure.reason);
    this.#end(mayReturn ? steadyMs : 0);
  }

  /** An operation was refused and will be tried again; the returned function notes that it has ended. */
  waits(): (hasSucceeded: boolean) => void {
    this.#refused++;
    return (hasSucceeded) => {
      this.#refused--;
      if (hasSucceeded && (this.#failure || this.#reported)) this.#end();
    };
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelProbe?.();
    this.#cancelReport?.();
  }

  #report({ kind, problem, cause }: StoreUnavailable): void {
    this.#reported = kind;
    const repair = repairOf(cause);
    this.#options.onOutage(`${problem}; ${repair ? `${repair}; ` : ''}waiting for it`);
  }

  #end(delayMs = 0): void {
    this.#failure = undefined;
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
    this.#cancelReport?.();
    if (delayMs === 0) this.#reportEnd();
    else {
      const { clock } = this.#options;
      this.#cancelReport = clock.after(delayMs, () => this.#reportEnd(), { keepsAlive: false });
    }
  }

  #reportEnd(): void {
    if (!this.#reported) return;
    this.#reported = undefined;
    const { shown, onRecovered } = this.#options;
    onRecovered(`${shown} is there again`);
  }

  /** Finds out that the outage is over also where no statement is sent meanwhile. */
  #scheduleProbe(kind: StoreUnavailable['kind']): void {
    const { clock, probe } = this.#options;
    const delay = kind === 'lost' ? probeEveryMs : probeRefusedEveryMs;
    const run = async (): Promise<void> => {
      if (!this.#failure || this.#isStopped) return;
      const isThere = await probe(this.#failure.kind).then(
        () => true,
        () => false,
      );
      const failure = this.#failure as StoreUnavailable | undefined;
      if (!failure) return;
      if (isThere && failure.kind === 'lost') this.succeeded();
      else if (isThere && this.#refused === 0) this.#end(steadyMs);
      else this.#scheduleProbe(failure.kind);
    };
    this.#cancelProbe = clock.after(delay, () => void run(), { keepsAlive: false });
  }
}
