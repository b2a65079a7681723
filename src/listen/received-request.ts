import type { SignatureVerdict } from '../api/listen.js';
import type { PlannedResponse } from './planned-response.js';
import type { Summary } from './notes.js';

/** A request as it came: read to its end, or refused for its size. */
export interface IncomingRequest {
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** When the first byte of the body came, of `performance.now()`. */
  readonly startedAt: number;
  readonly method: string;
  /** With its query, as it stood in the request line. */
  readonly path: string;
  /** Name, value, name, value, …, as they were spelled. */
  readonly headers: readonly string[];
  /** The bytes as they came; empty when there were too many. */
  readonly body: Buffer;
  /** Size of the body; of one that was too large, what it was said to be, or what had come. */
  readonly bytes: number;
  readonly isTooLarge: boolean;
}

/** A request with all that was found out and decided about it. */
export interface ReceivedRequest extends IncomingRequest {
  /** Unique over runs. */
  readonly id: string;
  /** From 1, in the order of arrival. */
  readonly sequence: number;
  readonly summary: Summary;
  readonly signature: SignatureVerdict;
  readonly response: PlannedResponse;
  /** The fault that fired, as it was written; null for none. */
  readonly fault: string | null;
  /** From the first byte of the body to the answer, in milliseconds. */
  readonly durationMs: number;
}
