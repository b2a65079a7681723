import type { EventType } from '../events/event.js';

/** The calls that a collector takes. */
export type CallType = Exclude<EventType, 'delete'>;

/** A user or group id. An empty or null one is none. */
export type Id = string | number | null;

/** What every call can hold. Other members are sent as well, as JSON. */
export interface CallFields {
  /** This or `anonymousId` is needed. */
  readonly userId?: Id;
  readonly anonymousId?: Id;
  /** When it happened: a Date, or ISO 8601 with zone. Default: now. */
  readonly timestamp?: Date | string;
  readonly context?: object;
  /** Destination's name → a boolean, or an object of options. */
  readonly integrations?: object;
  /** At most 100 characters. Default: a random one. */
  readonly messageId?: Id;
  readonly [member: string]: unknown;
}
