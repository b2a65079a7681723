import type { QueuedRequest } from './attempt.js';
import { explainFailure } from './describe.js';
import type { EndpointQueue } from './endpoint-queue.js';
import type { AttemptResult, EndpointDeliveryState } from './outcome.js';

/**
 * `queued` in the lane for its turn, `active` in flight, `waiting` for a retry to come due,
 * `postponed` to be handed back.
 */
export type EndpointPhase = 'queued' | 'active' | 'waiting' | 'postponed' | 'delivered' | 'failed';

/** The delivery that a leg is a part of, which decides. */
export interface DeliveryOwner {
  /** What is posted, the same bytes at every try. */
  readonly body: Buffer;
  readonly signature: string | undefined;
  begin(endpointDelivery: EndpointDelivery): boolean;
  settle(endpointDelivery: EndpointDelivery, result: AttemptResult): void;
}

/** One URL's part in the delivery of one event. It is itself what is posted to the lane. */
export class EndpointDelivery implements QueuedRequest {
  readonly queue: EndpointQueue;
  readonly headers: readonly string[];
  previous: QueuedRequest | undefined = undefined;
  next: QueuedRequest | undefined = undefined;
  phase: EndpointPhase = 'queued';
  attempts = 0;
  /** When the first try began; milliseconds since 1970. */
  firstAt = 0;
  /** When it is due again; milliseconds since 1970. */
  dueAt: number | undefined = undefined;
  last: Pick<AttemptResult, 'status' | 'error' | 'verdict'> | undefined = undefined;
  cancelRetry: (() => void) | undefined = undefined;
  readonly #owner: DeliveryOwner;

  constructor(owner: DeliveryOwner, queue: EndpointQueue, headers: readonly string[]) {
    this.#owner = owner;
    this.queue = queue;
    this.headers = headers;
  }

  get body(): Buffer {
    return this.#owner.body;
  }

  get signature(): string | undefined {
    return this.#owner.signature;
  }

  get attempt(): number {
    return this.attempts + 1;
  }

  isWanted(): boolean {
    return this.phase === 'queued';
  }

  begin(): boolean {
    return this.#owner.begin(this);
  }

  done(result: AttemptResult): void {
    this.#owner.settle(this, result);
  }

  /**
   * Goes on as it was handed back; a URL that is gone is asked at once, for its answer is known.
   * `now` is in milliseconds since 1970.
   */
  restore(
    { attempts, firstAt, dueAt, status, error, isDelivered }: EndpointDeliveryState,
    now: number,
  ): void {
    this.attempts = attempts;
    this.firstAt = firstAt;
    this.dueAt = dueAt;
    if (attempts === 0) return;
    if (isDelivered) {
      this.phase = 'delivered';
      return;
    }
    this.last = { status, error, verdict: dueAt === undefined ? 'failed' : 'retry' };
    if (dueAt === undefined) this.phase = 'failed';
    else this.phase = dueAt <= now || this.queue.gone ? 'queued' : 'postponed';
  }

  /** How far it has come, to be handed back. */
  state(): EndpointDeliveryState {
    const { attempts, firstAt, last, phase, dueAt } = this;
    return {
      attempts,
      firstAt,
      status: last?.status ?? null,
      error: last?.error ?? null,
      ...(phase === 'postponed' && dueAt !== undefined && { dueAt }),
      ...(phase === 'delivered' && { isDelivered: true }),
    };
  }

  /** Why it has not delivered. */
  explain(): { code: string; message: string } {
    const { queue, last, attempts } = this;
    if (last)
      return explainFailure(queue.url, { status: last.status, error: last.error, attempts });
    return { code: 'interrupted', message: `${queue.url}: interrupted before it was sent` };
  }
}
