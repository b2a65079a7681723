import type { Clock } from '../../clock.js';
import type { StoreUnavailable } from './unavailable.js';

export interface TroublesOptions {
  /** The URL as it may be printed. */
  readonly shown: string;
  readonly clock: Clock;
  /** One line each, once an outage. */
  readonly onTrouble: (message: string) => void;
  readonly onRecovered: (message: string) => void;
  /** Whether the server is there, and takes writes if `kind` is `refused`; throws where it is not. */
  readonly probe: (kind: StoreUnavailable['kind']) => Promise<unknown>;
}

/** A shorter outage is not told: a connection that was closed is opened again at once. */
const tellOutageAfterMs = 400;
const probeEveryMs = 500;
/** A full disk has room for a probe long before it has room for the work. */
const probeRefusedEveryMs = 2_000;
/** A refusal is told as over when nothing was refused for so long: the probe writes little, and succeeds before the work does. */
const steadyMs = 10_000;

/** Whether the store can be used now; says so once when that ends and once when it is back. */
export class Troubles {
  readonly #options: TroublesOptions;
  #failure: StoreUnavailable | undefined;
  #since = 0;
  /** What people were told last; undefined when nothing is wrong. */
  #told: StoreUnavailable['kind'] | undefined;
  /** Operations that were refused and wait: only their success says that the server takes writes again. */
  #refused = 0;
  #cancelProbe: (() => void) | undefined;
  #cancelTelling: (() => void) | undefined;
  #isStopped = false;

  constructor(options: TroublesOptions) {
    this.#options = options;
  }

  /** Why the store cannot be used now. */
  get failure(): StoreUnavailable | undefined {
    return this.#failure;
  }

  failed(failure: StoreUnavailable): void {
    if (this.#isStopped) return;
    const now = this.#options.clock.monotonic();
    this.#cancelTelling?.();
    if (this.#failure?.kind !== failure.kind) this.#since = now;
    if (!this.#failure) this.#scheduleProbe(failure.kind);
    this.#failure = failure;
    if (this.#told !== failure.kind && now - this.#since >= tellOutageAfterMs) this.#tell(failure);
  }

  /** A statement had an answer. */
  succeeded(): void {
    // A server that was away after it was full may still be full.
    if (this.#failure?.kind === 'lost') this.#end(this.#told === 'refused' ? steadyMs : 0);
  }

  /** An operation was refused and will be tried again; the returned function notes that it has ended. */
  waits(): (hasSucceeded: boolean) => void {
    this.#refused++;
    return (hasSucceeded) => {
      this.#refused--;
      if (hasSucceeded && (this.#failure || this.#told)) this.#end();
    };
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelProbe?.();
    this.#cancelTelling?.();
  }

  #tell({ kind, message }: StoreUnavailable): void {
    this.#told = kind;
    const { shown, onTrouble } = this.#options;
    onTrouble(
      kind === 'lost'
        ? `${shown} cannot be reached (${message}); waiting for it`
        : `${shown} refuses writes (${message}); waiting for it`,
    );
  }

  #end(tellDelayMs = 0): void {
    this.#failure = undefined;
    this.#cancelProbe?.();
    this.#cancelProbe = undefined;
    this.#cancelTelling?.();
    if (tellDelayMs === 0) this.#tellEnd();
    else {
      const { clock } = this.#options;
      this.#cancelTelling = clock.after(tellDelayMs, () => this.#tellEnd(), { keepsAlive: false });
    }
  }

  #tellEnd(): void {
    if (!this.#told) return;
    this.#told = undefined;
    const { shown, onRecovered } = this.#options;
    onRecovered(`${shown} is there again`);
  }

  /** Whoever has nothing to do meanwhile hears of the end, too. */
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
