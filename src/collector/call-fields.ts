import type { EventType } from '../events/event.js';

/**
 * The calls that a collector accepts.
 * @internal
 */
export type CallType = Exclude<EventType, 'delete'>;

/** A user or group id. An empty or null one counts as missing. */
export type Id = string | number | null;

/** The members that every call can have. Other members are sent as well, as JSON. */
export interface CallFields {
  /** This or `anonymousId` is needed. */
  readonly userId?: Id;
  readonly anonymousId?: Id;
  /** When it happened: a Date, or ISO 8601 with zone. Default: now. */
  readonly timestamp?: Date | string;
  /** Where it happened: app, device, page, library, … */
  readonly context?: object;
  /** Name of a destination → a boolean, or an object of options. */
  readonly integrations?: object;
  /** At most 100 characters. Default: a random one. */
  readonly messageId?: Id;
  readonly [member: string]: unknown;
}
