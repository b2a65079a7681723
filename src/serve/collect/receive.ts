import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../clock.js';
import { BodyReader, type BodyEnd } from '../../web/body-reader.js';
import { inflated, InflateError, type InflateProblem } from '../../web/inflate.js';
import type { Collector, IncomingRequest } from './collector.js';
import { maxBodyBytes, maxReceivingBytes, maxWireBytes } from './limits.js';
import { Refusal, retryLater } from './refusal.js';
import { keyOfHeaders, keyOfQuery } from './write-key.js';

/** Reads a whole request. @throws Refusal */
export type Receive = (request: IncomingMessage, query: string) => Promise<IncomingRequest>;

export function receiverOf(collector: Collector, clock: Clock): Receive {
  const { turns } = collector;
  const bodies = new BodyReader({ bodyBytes: maxWireBytes, totalBytes: maxReceivingBytes, turns });
  return async (request, query) => {
    const { headers } = request;
    // A slow upload must not look like a client whose clock is wrong.
    const receivedAt = clock.now();
    const headerKey = keyOfHeaders(headers);
    // Refuses an unknown key before the body is read.
    const source = headerKey === undefined ? undefined : collector.sourceFor(headerKey);
    const received = await bodyOf(bodies, request, refusalOfBody);
    const body = decoded(received, headers['content-encoding']);
    if (body !== received) turns.spend(body.length - received.length);
    return {
      body,
      source,
      queryKey: keyOfQuery(query),
      isStrict: headers['x-strict-mode'] === '1',
      receivedAt,
    };
  };
}

/** Requests that the server has refused before their bodies had ended. */
const refusedEarly = new WeakMap<IncomingMessage, Refusal>();

/**
 * Notes why the server refuses a request whose body is being received: `bodyOf` rejects with this, and not with
 * `aborted`.
 */
export function noteEarlyRefusal(request: IncomingMessage, refusal: Refusal): void {
  refusedEarly.set(request, refusal);
}

type BodyProblem = NonNullable<BodyEnd['problem']>;

/**
 * Resolves to the whole body.
 *
 * @throws what `refusalOf` returns, or for an aborted request the refusal that was noted for it
 */
export function bodyOf(
  bodies: BodyReader,
  request: IncomingMessage,
  refusalOf: (problem: BodyProblem) => Refusal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    bodies.read(request, (end) => {
      if (end.problem === 'aborted') reject(refusedEarly.get(request) ?? refusalOf(end.problem));
      else if (end.problem) reject(refusalOf(end.problem));
      else resolve(end.body);
    });
  });
}

function refusalOfBody(problem: BodyProblem): Refusal {
  switch (problem) {
    case 'too_large':
      return tooLarge(maxWireBytes);
    case 'busy': {
      const message = 'too many bodies are being received; send it again later';
      return new Refusal(503, 'busy', message, { headers: retryLater });
    }
    case 'aborted':
      return new Refusal(400, 'aborted', 'the request was aborted before the end of its body');
  }
}

function decoded(body: Buffer, encoding: string | undefined): Buffer {
  try {
    return inflated(body, maxBodyBytes, encoding);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    throw refusalOfEncoding(error.problem, error.cause);
  }
}

function refusalOfEncoding(problem: InflateProblem, cause: unknown): Refusal {
  switch (problem) {
    case 'too_large':
      return tooLarge(maxBodyBytes);
    case 'damaged':
      return new Refusal(400, 'invalid_encoding', 'the compressed body is damaged', { cause });
    case 'unknown_encoding':
      return new Refusal(415, 'unknown_encoding', 'Content-Encoding must be gzip or deflate');
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(400, 'payload_too_large', `the body has more than ${maxBytes} bytes`);
}
