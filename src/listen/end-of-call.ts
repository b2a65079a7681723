import type { FastifyReply } from 'fastify';

/** Aborted when the client has closed the connection. */
export function endOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => controller.abort());
  return controller.signal;
}
