import type { EventRecord } from './event-record.js';
import type { Routing } from './types.js';

/** An instance of a service that shares its store with others. Times are milliseconds since 1970. */
export interface Instance {
  readonly id: string;
  readonly startedAt: number;
  readonly lastSeen: number;
  readonly version: string;
  /** The same for instances with the same configuration file. */
  readonly configHash: string;
}

/** What instances that share a store know of each other. */
export interface Cluster {
  /** The label of metrics. */
  readonly name: string;
  readonly instances: () => readonly Instance[];
  /** Tells the others what this instance has as its configuration. */
  readonly configure: (routing: Routing) => void;
  /** What came of events at other instances, after this number. */
  readonly outcomesOfOthers: (
    after: number,
    limit: number,
  ) => Promise<{ readonly last: number; readonly entries: readonly EventRecord[] }>;
}
