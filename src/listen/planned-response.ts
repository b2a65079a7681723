import type { Fault } from './fault.js';

/** The response to a request, decided before it is sent. */
export interface PlannedResponse {
  /** Null if the connection is reset or left hanging on purpose, or its sender has gone. */
  readonly status: number | null;
  /** The delay before it begins. */
  readonly delayMs: number;
  /**
   * `truncate`: sends half of the announced body, then closes the connection. `early`: responds while
   * the sender may still be sending, then closes the connection. `gone`: the sender did not wait for the app.
   */
  readonly kind: 'whole' | 'early' | 'truncate' | 'reset' | 'hang' | 'gone';
  /** Between two bytes of the body; 0 sends it at once. */
  readonly slowMs: number;
  /** Absent: the small JSON body that belongs to the status. */
  readonly content?: ResponseContent;
}

/** Headers and body of a response that are not those of the receiver itself. */
export interface ResponseContent {
  /** `receiver`: ours, too; of the others captures keep the body. */
  readonly by: 'receiver' | 'respond' | 'forward';
  /** In order, with duplicates; without those of one connection or one message. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** False for the beginning of a longer body of an app. */
  readonly isWhole: boolean;
}

/** A response of the receiver itself that says what is wrong. */
export function errorResponse(status: number, code: string, message: string): PlannedResponse {
  const headers = [['Content-Type', 'application/json']] as const;
  const body = Buffer.from(JSON.stringify({ error: { code, message } }));
  return { ...ok, status, content: { by: 'receiver', headers, body, isWhole: true } };
}

const ok: PlannedResponse = { status: 200, delayMs: 0, kind: 'whole', slowMs: 0 };

/** To a request for which there is no memory, whose sender may still be sending. */
export const busy: PlannedResponse = busyResponse();

export const tooLarge: PlannedResponse = { ...ok, status: 413, kind: 'early' };

function busyResponse(): PlannedResponse {
  const message = 'too many requests are being received or answered; send this one again later';
  const { content, ...rest } = errorResponse(503, 'busy', message);
  const headers = [...content!.headers, ['Retry-After', '1'] as const];
  return { ...rest, kind: 'early', content: { ...content!, headers } };
}

/** The response with this fault; a plain 200 without one. */
export function responseFor(fault: Fault | undefined): PlannedResponse {
  if (!fault) return ok;
  const { status = 200, delayMs = 0, slowMs = 0, ending = 'whole' } = fault;
  const isCut = ending === 'reset' || ending === 'hang';
  return { status: isCut ? null : status, delayMs, kind: ending, slowMs };
}

/**
 * The body of a response, in ASCII. Clients of collection APIs expect a JSON object with every status,
 * with `success`, or with `code` and `message`.
 */
export function responseBody(status: number): string {
  if (status < 400) return '{"success":true}';
  const [code, message] =
    status === 413
      ? ['payload_too_large', 'the body is larger than 1,048,576 bytes']
      : ['fault', `injected fault: status ${status}`];
  return JSON.stringify({ success: false, code, message, error: message });
}
