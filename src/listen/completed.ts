import { toMicroseconds } from '../duration.js';
import { keptRequestBytes, maxKeptResponseBytes } from './limits.js';
import { summaryOf } from './notes.js';
import type { PlannedResponse, ResponseContent } from './planned-response.js';
import type { ReceivedRequest } from './received-request.js';
import type { Answer, Exchange } from './stages/stage.js';

/**
 * A request with all that is known once its answer is decided, or has been forwarded. Ten thousand are
 * kept, so its headers are one text: a list of texts costs time whenever garbage is collected.
 */
export class CompletedRequest implements ReceivedRequest {
  readonly id;
  readonly sequence;
  readonly receivedAt;
  readonly startedAt;
  readonly method;
  readonly path;
  readonly body;
  readonly bytes;
  readonly isTooLarge;
  readonly summary;
  readonly signature;
  readonly scheme;
  readonly reason;
  readonly webhookId;
  readonly signedAt;
  readonly response;
  readonly forwarded;
  readonly isDuplicate;
  readonly duplicateEvents;
  readonly fault;
  readonly durationMs;
  readonly keptBytes;
  /** With a NUL between names and values, which HTTP does not allow in a header. */
  readonly #headers: string;

  constructor(
    { incoming, notes, checked }: Exchange,
    { response, fault, forwarded, isDuplicate, duplicateEvents }: Answer,
    { id, sequence }: Pick<ReceivedRequest, 'id' | 'sequence'>,
  ) {
    const durationMs = performance.now() - incoming.startedAt + response.delayMs;
    this.id = id;
    this.sequence = sequence;
    this.receivedAt = incoming.receivedAt;
    this.startedAt = incoming.startedAt;
    this.method = incoming.method;
    this.path = incoming.path;
    this.#headers = incoming.headers.join('\0');
    this.body = incoming.body;
    this.bytes = incoming.bytes;
    this.isTooLarge = incoming.isTooLarge;
    this.summary = summaryOf(notes, incoming.headers);
    this.signature = checked.signature;
    this.scheme = checked.scheme;
    this.reason = checked.reason;
    this.webhookId = checked.webhookId;
    this.signedAt = checked.signedAt;
    this.response = withoutRest(response);
    this.keptBytes = this.#size();
    this.forwarded = forwarded;
    this.isDuplicate = isDuplicate;
    this.duplicateEvents = duplicateEvents;
    this.fault = fault;
    this.durationMs = toMicroseconds(durationMs);
  }

  get headers(): readonly string[] {
    return this.#headers === '' ? [] : this.#headers.split('\0');
  }

  #size(): number {
    const { body, path, response } = this;
    const texts = this.#headers.length + path.length;
    return keptRequestBytes + body.length + texts + sizeOf(response.content);
  }
}

function sizeOf(content: ResponseContent | undefined): number {
  if (!content) return 0;
  let size = content.body.length;
  for (const [name, value] of content.headers) size += name.length + value.length;
  return size;
}

/** Thousands are kept: of a long body only the beginning, as a copy. */
function withoutRest(response: PlannedResponse): PlannedResponse {
  const { content } = response;
  if (!content || content.body.length <= maxKeptResponseBytes) return response;
  const body = Buffer.from(content.body.subarray(0, maxKeptResponseBytes));
  return { ...response, content: { ...content, body, isWhole: false } };
}
