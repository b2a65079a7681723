import type { CallFields, Id } from './call-fields.js';

/** Who a user is. `userId` or `anonymousId` is needed. */
export interface IdentifyCall extends CallFields {
  readonly traits?: object;
}

/** What a user did. `userId` or `anonymousId` is needed. */
export interface TrackCall extends CallFields {
  /** The event name; not empty. */
  readonly event: string;
  readonly properties?: object;
}

/** A page or screen that a user looked at. `userId` or `anonymousId` is needed. */
export interface PageCall extends CallFields {
  readonly name?: string;
  readonly category?: string;
  readonly properties?: object;
}

/** The group that a user belongs to. `userId` or `anonymousId` is needed. */
export interface GroupCall extends CallFields {
  /** The id of the group; not empty. */
  readonly groupId: Id;
  readonly traits?: object;
}

/** Two ids of one user. */
export interface AliasCall extends CallFields {
  /** The id that stays. */
  readonly userId: Id;
  /** The id that was used before. */
  readonly previousId: Id;
}
