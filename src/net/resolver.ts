import { lookup, type LookupAddress } from 'node:dns';
import { systemClock, type Clock } from '../clock.js';

/** Finds all addresses of a name, as `dns.lookup` with `all` does: with an error, it gives none. */
export type ResolveAll = (
  hostname: string,
  options: { readonly all: true; readonly family?: number; readonly hints?: number },
  callback: Found,
) => void;

type Found = (error: NodeJS.ErrnoException | null, addresses?: LookupAddress[]) => void;

/** So many names are looked up at once; the system has half as many threads for it as there are. */
const maxRunning = 8;
/** A name that takes longer is one that may hang; in milliseconds. */
const slowMs = 1_000;
/** Who has waited longer for the turn of a name has given up; in milliseconds. */
const patienceMs = 10_000;

/** A name that is being looked up, or waits for that. */
interface Question {
  readonly hostname: string;
  readonly options: Parameters<ResolveAll>[1];
  readonly callbacks: Found[];
  /** When it was asked last. */
  requestedAt: number;
  /** Undefined while it waits. */
  startedAt: number | undefined;
}

/**
 * Looks names up one time for all who ask at once, and keeps those that hang from holding up the
 * others: the system has few threads for it, and each can be busy with one dead name for many seconds.
 */
export class Resolver {
  readonly #resolve: ResolveAll;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By what is asked, in the order in which they were. */
  readonly #questions = new Map<string, Question>();
  /** How the last lookup of a name went; one at a time runs of those that were slow. */
  readonly #wasSlow = new Map<string, boolean>();

  constructor(resolve: ResolveAll = lookup, clock: Pick<Clock, 'monotonic'> = systemClock) {
    this.#resolve = resolve;
    this.#clock = clock;
  }

  readonly resolve: ResolveAll = (hostname, options, callback) => {
    const key = `${hostname} ${options.family ?? 0} ${options.hints ?? 0}`;
    const question = this.#questions.get(key);
    const requestedAt = this.#clock.monotonic();
    if (question) {
      question.callbacks.push(callback);
      question.requestedAt = requestedAt;
    } else {
      const callbacks = [callback];
      this.#questions.set(key, { hostname, options, callbacks, requestedAt, startedAt: undefined });
    }
    this.#startNext();
  };

  #startNext(): void {
    const running = [...this.#questions.values()].filter(isRunning);
    if (running.length >= maxRunning) return;
    const hasSlow = running.some((question) => this.#isSlow(question));
    const next = this.#next(!hasSlow);
    if (!next) return;
    const [key, question] = next;
    question.startedAt = this.#clock.monotonic();
    this.#resolve(question.hostname, question.options, (error, addresses) => {
      this.#wasSlow.set(question.hostname, this.#clock.monotonic() - question.startedAt! >= slowMs);
      this.#response(key, question, error, addresses);
    });
    this.#startNext();
  }

  /** First come those that went well the last time, then new ones, then those that were slow. */
  #next(mayBeSlow: boolean): [string, Question] | undefined {
    const waiting = [...this.#questions].filter(([, question]) => !isRunning(question));
    const those = (wasSlow: boolean | undefined) =>
      waiting.find(([, { hostname }]) => this.#wasSlow.get(hostname) === wasSlow);
    const slow = mayBeSlow ? those(true) : undefined;
    if (slow && this.#clock.monotonic() - slow[1].requestedAt > patienceMs) {
      this.#response(...slow, timedOut(slow[1].hostname));
      return undefined;
    }
    return those(false) ?? those(undefined) ?? slow;
  }

  #isSlow({ hostname, startedAt }: Question): boolean {
    return this.#wasSlow.get(hostname) === true || this.#clock.monotonic() - startedAt! >= slowMs;
  }

  #response(key: string, { callbacks }: Question, ...found: Parameters<Found>): void {
    this.#questions.delete(key);
    for (const callback of callbacks) callback(...found);
    this.#startNext();
  }
}

function isRunning({ startedAt }: Question): boolean {
  return startedAt !== undefined;
}

function timedOut(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${hostname}: not looked up in time`), { code: 'EAI_AGAIN' });
}

/** The one of the program: what it guards is shared by all of it. */
export const { resolve: resolveAll } = new Resolver();
