import type { IncomingRequest } from '../receive/incoming-request.js';
import type { Forwarded } from '../api/listen.js';
import type { PlannedResponse } from './planned-response.js';
import type { Summary } from './notes.js';
import type { CheckedSignature } from '../receive/checked-signature.js';

/** A request with its checks and its response. */
export interface ReceivedRequest extends IncomingRequest, CheckedSignature {
  /** Unique over runs. */
  readonly id: string;
  /** From 1, in the order of the responses. */
  readonly sequence: number;
  readonly summary: Summary;
  /** Of a forwarded request, what the app answered. */
  readonly response: PlannedResponse;
  /** How it was passed on to an app; null when it was not. */
  readonly forwarded: Forwarded | null;
  /** Whether it was recognized as a repeat, and answered as the first was. */
  readonly isDuplicate: boolean;
  /** Of a batch that is no repeat: the positions of the events that came before. */
  readonly duplicateEvents: readonly number[];
  /** The fault that fired, as it was written; null for none. */
  readonly fault: string | null;
  /** From the first byte of the body to the response, of a forwarded request to its end, in milliseconds. */
  readonly durationMs: number;
  /** What its body, headers, path and response take in memory, about. */
  readonly keptBytes: number;
}
