import type { ItemKind } from './item.js';

/** The key that lists all runs, by the time they were made. */
export function runsKey(prefix: string): string {
  return `${prefix}:runs`;
}

/** Pub/sub channel: a run was made, or goes on. */
export function runsChannel(prefix: string): string {
  return `${prefix}:runs:messages`;
}

/** The key that holds the id of the run of an import. */
export function pointerKey(prefix: string, identity: string): string {
  return `${prefix}:import:${identity}`;
}

/** The beginning of the key of a run's record. */
export function recordPrefix(prefix: string): string {
  return `${prefix}:run:`;
}

/** The name of a BullMQ queue of a run. */
export function queueName(run: string, kind: ItemKind): string {
  return `${run}-${kind}`;
}

/** The member of a BullMQ job that counts how often it was taken from a process that did not respond. */
export const takeoversField = 'stc';

/** The keys of one run; those of BullMQ as `QueueKeys` of BullMQ has them. */
export class RunKeys {
  readonly record: string;
  readonly #prefix: string;
  readonly #run: string;

  constructor(prefix: string, run: string) {
    this.#prefix = prefix;
    this.#run = run;
    this.record = recordPrefix(prefix) + run;
  }

  /** Hash: totals of the run. */
  get stats(): string {
    return `${this.record}:stats`;
  }

  /** Hash: bucket of the `Histogram` → number of responses. */
  get latency(): string {
    return `${this.record}:latency`;
  }

  /** Hash: the totals when the run was last resumed. */
  get resumed(): string {
    return `${this.record}:resumed`;
  }

  /** Hash: what the jobs of retries, which are removed at their end, have added to the totals. */
  get retryStats(): string {
    return `${this.record}:retry-stats`;
  }

  /** Hash: batch id → `RetryBatch`. */
  get retries(): string {
    return `${this.record}:retries`;
  }

  /** List of lines. */
  get deadLetters(): string {
    return `${this.record}:dead-letters`;
  }

  /** Hash: worker id → number of items and time. */
  get workers(): string {
    return `${this.record}:workers`;
  }

  /** Hash: URL index and kind → notice. */
  get notices(): string {
    return `${this.record}:notices`;
  }

  /** Hash: the time of the next free turn of the rate, in microseconds, and the last call of each client. */
  get bucket(): string {
    return `${this.record}:bucket`;
  }

  /** Pub/sub channel. */
  get messages(): string {
    return `${this.record}:messages`;
  }

  probe(url: number): string {
    return `${this.record}:probe:${url}`;
  }

  /** All keys of ours, without BullMQ's and those that expire by themselves. */
  get all(): readonly string[] {
    const { record, stats, latency, resumed, retryStats, retries } = this;
    return [
      ...[record, stats, latency, resumed, retryStats, retries],
      ...[this.deadLetters, this.workers, this.notices, this.bucket],
    ];
  }

  /** A key of a BullMQ queue: `wait`, `active`, `completed`, `failed`, `delayed`, `meta`. */
  queue(kind: ItemKind, name: string): string {
    return `${this.#prefix}:${queueName(this.#run, kind)}:${name}`;
  }

  /** A pattern that the keys of both BullMQ queues match, and maybe others. */
  get ofQueues(): string {
    return `${this.#prefix}:${this.#run}-r*`;
  }

  /** The hash of a BullMQ job. */
  job(kind: ItemKind, id: string): string {
    return this.queue(kind, id);
  }

  /** Holds the token of who works on the job. */
  lock(kind: ItemKind, id: string): string {
    return `${this.job(kind, id)}:lock`;
  }
}
