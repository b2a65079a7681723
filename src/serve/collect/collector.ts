import type { Clock } from '../../clock.js';
import { TurnBudget } from '../../web/turn-budget.js';
import type { Accept, AcceptDeletion, Accepted, Rejected, Source } from '../types.js';
import { deletionOf } from './deletion.js';
import { Document } from './document.js';
import { openBatch, openSingle, type Envelope } from './envelope.js';
import { eventOfCall, isRejected } from './event-of-call.js';
import { bytesPerCall, bytesPerTurn } from './limits.js';
import type { CallType } from './paths.js';
import { Refusal, type CallReason } from './refusal.js';
import { keyOfBody } from './write-key.js';

export interface CollectorOptions {
  /** Undefined for an unknown write key. */
  readonly findSource: (writeKey: string) => Source | undefined;
  readonly accept: Accept;
  readonly deletion: AcceptDeletion;
  readonly clock: Clock;
}

/** A request whose body has been received. */
export interface IncomingRequest {
  /** JSON text, inflated. */
  readonly body: Buffer;
  /** By the write key of the headers, which take precedence over the body. */
  readonly source: Source | undefined;
  /** The write key of the query; the body takes precedence. */
  readonly queryKey: string | undefined;
  /** One rejected event refuses the whole request. */
  readonly isStrict: boolean;
  /** When its body began to arrive; milliseconds since 1970. */
  readonly receivedAt: number;
}

/** Turns requests into events and stores them. */
export class Collector {
  /** Spreads requests over turns of the event loop, by their bytes and events. */
  readonly turns = new TurnBudget(bytesPerTurn);
  readonly #options: CollectorOptions;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /**
   * Resolves when all valid events of a request are durable.
   *
   * @param type Of a single call, from the path; undefined for a batch.
   * @throws Refusal when the request is refused, StateError when it cannot be stored
   */
  async collect(request: IncomingRequest, type?: CallType): Promise<void> {
    const document = new Document(request.body);
    const source = request.source ?? this.#sourceOf(document, request.queryKey);
    const envelope = type === undefined ? openBatch(document) : openSingle(document);
    this.turns.spend(envelope.calls.length * bytesPerCall);
    const { receivedAt, isStrict } = request;
    const { accepted, rejected, reasons } = eventsOfCalls({ envelope, source, type, receivedAt });
    const isRefused = isStrict && rejected.length > 0;
    await this.#options.accept({
      source,
      receivedAt,
      accepted: isRefused ? [] : accepted,
      rejected,
    });
    if (isRefused) throw strictly(reasons, envelope.calls.length);
  }

  /** Resolves when the requested deletion is durable. @throws as `collect` does */
  async collectDeletion(request: IncomingRequest): Promise<void> {
    const document = new Document(request.body);
    const source = request.source ?? this.#sourceOf(document, request.queryKey);
    const { receivedAt } = request;
    await this.#options.deletion({ source, receivedAt, ...deletionOf(document, receivedAt) });
  }

  hasSource(writeKey: string): boolean {
    return this.#options.findSource(writeKey) !== undefined;
  }

  /** The source of a write key. @throws Refusal when there is none */
  sourceFor(writeKey: string | undefined): Source {
    const source = writeKey === undefined ? undefined : this.#options.findSource(writeKey);
    if (source) return source;
    const what = writeKey === undefined ? 'the request has no write key' : 'no source has this key';
    throw new Refusal(401, 'invalid_write_key', `${what}; use the write key of a source`);
  }

  #sourceOf(document: Document, queryKey: string | undefined): Source {
    return this.sourceFor(keyOfBody(document.value) ?? queryKey);
  }
}

interface Verdicts {
  readonly accepted: Accepted[];
  readonly rejected: Rejected[];
  readonly reasons: CallReason[];
}

interface CallsOfRequest {
  readonly envelope: Envelope;
  readonly source: Source;
  readonly type: CallType | undefined;
  readonly receivedAt: number;
}

function eventsOfCalls({ envelope, source, type, receivedAt }: CallsOfRequest): Verdicts {
  const verdicts: Verdicts = { accepted: [], rejected: [], reasons: [] };
  envelope.calls.forEach((call, index) => {
    const origin = { file: source.name, line: index + 1, offset: 0, length: call.bytes.length };
    const verdict = eventOfCall(call, { envelope, type, receivedAt, origin });
    if (!isRejected(verdict)) verdicts.accepted.push(verdict);
    else {
      verdicts.rejected.push(verdict);
      verdicts.reasons.push({ index, code: verdict.code, message: verdict.message });
    }
  });
  return verdicts;
}

function strictly(reasons: readonly CallReason[], calls: number): Refusal {
  const message = `${reasons.length} of ${calls} events are not valid; none was accepted`;
  return new Refusal(400, 'invalid_events', message, { errors: reasons });
}
