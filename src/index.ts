/// <reference types="node" preserve="true" />
/**
 * The public API of the library. It never prints, exits or reads the environment, but for `DEBUG`. What
 * these files export besides is marked as internal, which leaves it out of the types of the package.
 */
export { check } from './check/library.js';
export type {
  CheckOptions,
  CheckSummary,
  EndpointCheck,
  EndpointReport,
  Level,
  Vendor,
  Verdict as CheckVerdict,
} from './check/options.js';
export type { Clock, TimerOptions } from './clock.js';
export type { CallFields, Id } from './collector/call-fields.js';
export type { AliasCall, GroupCall, IdentifyCall, PageCall, TrackCall } from './collector/calls.js';
export type { ClientOptions } from './collector/client-options.js';
export { Client, type ClientCounts, type ClientEvents } from './collector/client.js';
export type {
  AttemptError,
  AttemptResult,
  FinalStatus,
  ResponseExcerpt,
  Verdict,
} from './delivery/outcome.js';
export type {
  DeliveredOutcome,
  FailedOutcome,
  MessageOutcome,
  Outcome,
  PendingOutcome,
  RejectedOutcome,
  SkippedOutcome,
} from './delivery/public-outcome.js';
export { EvfwdError, QueueFullError, UsageError, ValidationError } from './errors.js';
export type { EventInput } from './events/event-input.js';
export type { Event, EventType, Origin, Problem } from './events/event.js';
export { BrokenInputError } from './sources/broken-input.js';
export { readEvents } from './sources/read-events.js';
export type { ReadEventsOptions as ReadOptions } from './sources/read-options.js';
export type { Member } from './json/member.js';
export type { Forwarded, SignatureVerdict } from './api/received.js';
export { createReceiver } from './listen/library.js';
export type {
  Capture,
  CapturedResponse,
  Match,
  PathVerification,
  ReceivedCapture,
  ReceiverOptions,
  WaitOptions,
  WebhookReceiver,
} from './listen/webhook-receiver.js';
export {
  signRequest,
  verifyRequest,
  type ReceivedHeaderFields,
  type RequestVerification,
  type SignRequestOptions,
  type VerifyRequestOptions,
} from './sign/library.js';
export type { VerifyReason } from './sign/verify-reason.js';
export { sign, verify, type Bytes } from './sign/x-signature.js';
export type { BodyForm } from './webhook/body-form.js';
export type {
  Endpoint,
  EndpointAuth,
  EndpointFilter,
  EndpointSettings,
  StaticHeaders,
} from './webhook/endpoint.js';
export type { OAuth2Settings } from './delivery/oauth2-settings.js';
export type { WebhookDestinationOptions } from './webhook/options.js';
export { WebhookDestination } from './webhook/webhook-destination.js';
