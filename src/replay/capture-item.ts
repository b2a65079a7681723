import type { Event, EventType, Origin } from '../events/event.js';
import { recordedRequest, type RecordedRequest } from './recorded-request.js';

/**
 * A capture on its way through the pipeline, which was made for events: its bytes are the line, its time
 * is when the request was received, and it has no members. Nothing that a replay uses asks for its type.
 */
export class CaptureItem implements Event {
  readonly bytes: Buffer;
  readonly type = 'request' as EventType;
  readonly members = [];
  readonly origin: Origin;
  /** The id that it is sent with. */
  readonly givenId: string | undefined;
  readonly part = undefined;
  #request: RecordedRequest | undefined;

  /** @param bytes JSON text of a capture that `recordedRequest` can read, or of a line without a request */
  constructor(
    bytes: Buffer,
    origin: Origin,
    givenId: string | undefined,
    request?: RecordedRequest,
  ) {
    this.bytes = bytes;
    this.origin = origin;
    this.givenId = givenId;
    this.#request = request;
  }

  /** Whether it is a request: `listen --json` prints other lines, too. */
  get isRequest(): boolean {
    return this.givenId !== undefined;
  }

  get request(): RecordedRequest {
    return (this.#request ??= this.#parse());
  }

  get value(): Readonly<Record<string, unknown>> {
    const { receivedAt } = this.request;
    return receivedAt === undefined ? {} : { timestamp: new Date(receivedAt).toISOString() };
  }

  /** The constructor's caller has seen that it is one. */
  #parse(): RecordedRequest {
    const value = JSON.parse(this.bytes.toString('utf8')) as Record<string, unknown>;
    return recordedRequest(value) as RecordedRequest;
  }

  find(): undefined {
    return undefined;
  }

  release(): void {
    this.#request = undefined;
  }
}
