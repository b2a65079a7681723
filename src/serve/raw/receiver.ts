import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../clock.js';
import { isHopByHop } from '../../http/header-rules.js';
import { Verification } from '../../receive/verification.js';
import { BodyReader } from '../../web/body-reader.js';
import { TurnBudget } from '../../web/turn-budget.js';
import { bytesPerTurn, maxReceivingBytes } from '../collect/limits.js';
import { bodyOf } from '../collect/receive.js';
import { Refusal, retryLater } from '../collect/refusal.js';
import type { Reply } from '../collect/reply.js';
import type { Accept, IngestBatch, Source } from '../types.js';
import { answerTo } from './answer.js';
import { deliveryIdOf } from './delivery-id.js';
import { notSigned } from './not-signed.js';
import type { FoundSource } from './paths.js';
import { RawRequest, type RawHead } from './raw-request.js';
import { repeatId } from './repeat-id.js';
import type { RawSource } from './source.js';

/** A body, as received. */
const maxBodyBytes = 1_048_576;
/** Of all requests that are being stored, so that a slow disk does not fill the memory. */
const maxStoringBytes = 64 * maxBodyBytes;

export interface RawReceiverOptions {
  readonly accept: Accept;
  readonly clock: Clock;
}

/** Takes the requests of sources of any sender: reads, verifies and stores each before it is answered. */
export class RawReceiver {
  readonly #options: RawReceiverOptions;
  readonly #bodies = new BodyReader({
    bodyBytes: maxBodyBytes,
    totalBytes: maxReceivingBytes,
    turns: new TurnBudget(bytesPerTurn),
  });
  /** Made once for each source, which is replaced when the configuration is read again. */
  readonly #verifications = new WeakMap<RawSource, Verification>();
  #storingBytes = 0;

  constructor(options: RawReceiverOptions) {
    this.#options = options;
  }

  /**
   * Resolves to the answer when the request is durable.
   * @throws Refusal when it is refused, StateError when it cannot be stored
   */
  async take(request: IncomingMessage, { source, sourcePathLength }: FoundSource): Promise<Reply> {
    const { clock } = this.#options;
    const raw = source.raw!;
    const receivedAt = clock.now();
    const [method, path] = [request.method!, request.url!];
    const { rawHeaders: headers } = request;
    const body = await bodyOf(this.#bodies, request, (problem) => bodyProblems[problem]);
    const received = { receivedAt, method, path, headers, body, isTooLarge: false };
    const checked = this.#verificationOf(source, raw).check(received);
    if (raw.enforce && checked.signature !== 'valid') throw notSigned(checked.reason);
    const { remoteAddress = null } = request.socket;
    const isTls = (request.socket as Partial<TLSSocket>).encrypted === true;
    const { signature, scheme, reason } = checked;
    const kept = withoutHopByHop(headers);
    // Members are named here: a spread for each request is seen in the rate.
    const head: RawHead = {
      method,
      path,
      sourcePathLength,
      headers: kept,
      remoteAddress,
      isTls,
      signature,
      scheme,
      reason,
    };
    const event = RawRequest.of(head, body, source.name);
    const known = deliveryIdOf(headers, checked, raw);
    const messageId = known
      ? repeatId(known.id, { header: known.header, method, path, sourcePathLength })
      : newId();
    const stamp = { messageId, writesMessageId: known === undefined };
    await this.#store({ source, receivedAt, accepted: [{ event, stamp }], rejected: [] }, event);
    return answerTo(raw.respond, received);
  }

  async #store(batch: IngestBatch, { bytes: { length } }: RawRequest): Promise<void> {
    if (this.#storingBytes + length > maxStoringBytes) throw bodyProblems.busy;
    this.#storingBytes += length;
    try {
      await this.#options.accept(batch);
    } finally {
      this.#storingBytes -= length;
    }
  }

  #verificationOf({ name }: Source, raw: RawSource): Verification {
    let verification = this.#verifications.get(raw);
    if (!verification) this.#verifications.set(raw, (verification = verificationOf(raw, name)));
    return verification;
  }
}

/** @throws UsageError for a secret that is not in the form of its scheme; `where` begins the message */
export function verificationOf(
  { scheme, secrets, enforce, own }: Omit<RawSource, 'path' | 'respond'>,
  where: string,
): Verification {
  const rules = secrets.length === 0 ? [] : [{ scheme, secrets, where }];
  const unverified = scheme === 'auto' ? undefined : scheme;
  return new Verification(rules, { own, unverified, judgesFuture: enforce });
}

/** Host stays: apps get it as X-Forwarded-Host. */
function withoutHopByHop(headers: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    if (isHost(name) || !isHopByHop(name, headers)) kept.push(name, headers[i + 1]!);
  }
  return kept;
}

function isHost(name: string): boolean {
  return name.length === 4 && name.toLowerCase() === 'host';
}

function newId(): string {
  // Node keeps random bytes for them; a call of the system for each request costs an eighth of its time.
  return `msg_${randomUUID().replaceAll('-', '')}`;
}

const bodyProblems = {
  too_large: new Refusal(413, 'payload_too_large', 'the body is larger than 1,048,576 bytes'),
  busy: new Refusal(
    503,
    'busy',
    'too many bodies are being received or stored; send it again later',
    {
      headers: retryLater,
    },
  ),
  aborted: new Refusal(400, 'aborted', 'the request was aborted before the end of its body'),
};
