import type { Fault } from './fault.js';

/** What a request is answered, decided before the answer goes out. */
export interface PlannedResponse {
  /** Null when the connection is cut or left hanging on purpose. */
  readonly status: number | null;
  /** How long it waits before it begins. */
  readonly delayMs: number;
  /**
   * `truncate`: half of the announced body, then the connection ends. `early`: while the sender may
   * still be sending, then the connection ends.
   */
  readonly kind: 'whole' | 'early' | 'truncate' | 'reset' | 'hang';
  /** Between two bytes of the body; 0 sends it at once. */
  readonly slowMs: number;
}

const taken: PlannedResponse = { status: 200, delayMs: 0, kind: 'whole', slowMs: 0 };

export const tooLarge: PlannedResponse = { ...taken, status: 413, kind: 'early' };

/** The answer to a request that this fault has struck; a plain 200 without one. */
export function responseFor(fault: Fault | undefined): PlannedResponse {
  if (!fault) return taken;
  const { status = 200, delayMs = 0, slowMs = 0, ending = 'whole' } = fault;
  const isCut = ending === 'reset' || ending === 'hang';
  return { status: isCut ? null : status, delayMs, kind: ending, slowMs };
}

/**
 * The body of an answer, in ASCII. Clients of collection APIs want a JSON object from every status, with
 * `success`, or with `code` and `message`.
 */
export function responseBody(status: number): string {
  if (status < 400) return '{"success":true}';
  const [code, message] =
    status === 413
      ? ['payload_too_large', 'the body is larger than 1,048,576 bytes']
      : ['fault', `a fault of this receiver: status ${status}`];
  return JSON.stringify({ success: false, code, message, error: message });
}
