import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../clock.js';
import type { BodyReader } from './body-reader.js';
import type { Collector, Delivery } from './collector.js';
import { inflated } from './inflate.js';
import { keyOfHeaders, keyOfQuery } from './write-key.js';

/** Takes in a whole request. @throws Refusal */
export type Receive = (request: FastifyRequest) => Promise<Delivery>;

export function receiverOf(collector: Collector, bodies: BodyReader, clock: Clock): Receive {
  return async ({ raw, headers, query }) => {
    // A slow upload must not look like a client whose clock is wrong.
    const receivedAt = clock.now();
    const headerKey = keyOfHeaders(headers);
    // Whoever may not send is told so before sending much.
    const source = headerKey === undefined ? undefined : collector.sourceFor(headerKey);
    const body = inflated(await bodies.read(raw), headers['content-encoding']);
    return {
      body,
      source,
      queryKey: keyOfQuery(query),
      isStrict: headers['x-strict-mode'] === '1',
      receivedAt,
    };
  };
}
