import { lookup, type LookupAddress } from 'node:dns';
import { systemClock, type Clock } from '../clock.js';

/** Finds all addresses of a name, as `dns.lookup` with `all`; there are none if it fails. */
export type ResolveAll = (
  hostname: string,
  options: { readonly all: true; readonly family?: number; readonly hints?: number },
  callback: Found,
) => void;

type Found = (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void;

/** Maximum lookups at once; libuv uses at most half of its thread pool for them. */
const maxRunning = 8;
/** A lookup that takes longer counts as slow; in milliseconds. */
const slowMs = 1_000;
/** A queued lookup that was last requested longer ago fails; in milliseconds. */
const maxQueuedMs = 10_000;

/** A running or queued lookup. */
interface Lookup {
  readonly hostname: string;
  readonly options: Parameters<ResolveAll>[1];
  readonly callbacks: Found[];
  /** When it was requested last. */
  requestedAt: number;
  /** Undefined while it is queued. */
  startedAt: number | undefined;
}

/**
 * Combines concurrent lookups of the same name, and keeps slow names from blocking the others: the
 * system has few threads for lookups, and a dead name can occupy one for many seconds.
 */
export class Resolver {
  readonly #resolve: ResolveAll;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By name and options, in order of their first request. */
  readonly #lookups = new Map<string, Lookup>();
  /** Whether the last lookup of a name was slow; slow names are looked up one at a time. */
  readonly #wasSlow = new Map<string, boolean>();

  constructor(resolve: ResolveAll = lookup, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#resolve = resolve;
    this.#clock = clock;
  }

  readonly resolve: ResolveAll = (hostname, options, callback) => {
    const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
    const pending = this.#lookups.get(key);
    const requestedAt = this.#clock.monotonic();
    if (pending) {
      pending.callbacks.push(callback);
      pending.requestedAt = requestedAt;
    } else {
      const callbacks = [callback];
      this.#lookups.set(key, { hostname, options, callbacks, requestedAt, startedAt: undefined });
    }
    this.#startNext();
  };

  #startNext(): void {
    const running = [...this.#lookups.values()].filter(isRunning);
    if (running.length >= maxRunning) return;
    const hasSlow = running.some((pending) => this.#isSlow(pending));
    const next = this.#next(!hasSlow);
    if (!next) return;
    const [key, pending] = next;
    pending.startedAt = this.#clock.monotonic();
    this.#resolve(pending.hostname, pending.options, (error, addresses) => {
      this.#wasSlow.set(pending.hostname, this.#clock.monotonic() - pending.startedAt! >= slowMs);
      this.#finish(key, pending, error, addresses);
    });
    this.#startNext();
  }

  /** Names that were fast last time come first, then new ones, then slow ones. */
  #next(mayBeSlow: boolean): [string, Lookup] | undefined {
    const waiting = [...this.#lookups].filter(([, pending]) => !isRunning(pending));
    const firstWith = (wasSlow: boolean | undefined) =>
      waiting.find(([, { hostname }]) => this.#wasSlow.get(hostname) === wasSlow);
    const slow = mayBeSlow ? firstWith(true) : undefined;
    if (slow && this.#clock.monotonic() - slow[1].requestedAt > maxQueuedMs) {
      this.#finish(...slow, timedOut(slow[1].hostname));
      return undefined;
    }
    return firstWith(false) ?? firstWith(undefined) ?? slow;
  }

  #isSlow({ hostname, startedAt }: Lookup): boolean {
    return this.#wasSlow.get(hostname) === true || this.#clock.monotonic() - startedAt! >= slowMs;
  }

  #finish(key: string, { callbacks }: Lookup, ...found: Parameters<Found>): void {
    this.#lookups.delete(key);
    for (const callback of callbacks) callback(...found);
    this.#startNext();
  }
}

function isRunning({ startedAt }: Lookup): boolean {
  return startedAt !== undefined;
}

function timedOut(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname}: not looked up in time`), { code: 'EAI_AGAIN' });
}

/** Shared by the whole process, as are the threads that it protects. */
export const { resolve: resolveAll } = new Resolver();
