/// <reference types="node" preserve="true" />
/** The public API of the library. It never prints, exits or reads the environment. */
export type { CallFields, Id } from './collector/call-fields.js';
export {
  Client,
  type AliasCall,
  type ClientCounts,
  type ClientEvents,
  type ClientOptions,
  type GroupCall,
  type IdentifyCall,
  type MessageOutcome,
  type PageCall,
  type TrackCall,
} from './collector/client.js';
export type {
  AttemptError,
  AttemptResult,
  FinalStatus,
  Outcome,
  Verdict,
} from './delivery/outcome.js';
export { EvfwdError, QueueFullError, UsageError, ValidationError } from './errors.js';
export type { Event, EventType, Origin, Problem } from './events/event.js';
export type { EventInput } from './events/given.js';
export { BrokenInputError, readEvents, type ReadOptions } from './input/read.js';
export { sign, verify } from './sign/x-signature.js';
export { WebhookDestination, type WebhookDestinationOptions } from './webhook/destination.js';
export type { Endpoint, StaticHeaders } from './webhook/settings.js';
