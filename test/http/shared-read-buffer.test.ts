import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { hasOpenssl, makeCertificates } from '../helpers/certificates.js';
import { startRawServer } from '../helpers/raw-server.js';
import { sendNow, webhooks } from '../helpers/webhooks.js';

it.each(['TCP', 'TLS'])(
  'responses that arrive in pieces at many sockets in turn are not mixed, over %s',
  async (kind) => {
    if (kind === 'TLS' && !hasOpenssl) return;
    const certificates = kind === 'TLS' ? makeCertificates() : undefined;
    const count = 16;
    const waiting: [id: string, socket: Socket][] = [];
    const server = await startRawServer({
      ...(certificates && { tls: certificates.good }),
      response:
        ({ body }) =>
        (socket) =>
          waiting.push([(JSON.parse(String(body)) as { messageId: string }).messageId, socket]),
    });
    const target = webhooks(server.url, {
      concurrency: count,
      ...(certificates && { ca: [certificates.ca] }),
    });
    const outcomes = Array.from({ length: count }, (_, n) => sendNow(target, `m${n}`));
    await server.arrived(count);
    const textOf = (id: string): string =>
      `HTTP/1.1 400 of ${id}\r\nX-Request-Id: ${id}\r\nContent-Length: ${100 + id.length}\r\n\r\n${id}${'.'.repeat(100)}`;
    // 7 bytes to each socket in turn, so that each piece follows one of another response.
    for (let at = 0; at < 200; at += 7) {
      for (const [id, socket] of waiting) socket.write(textOf(id).slice(at, at + 7));
      await nextTurn();
    }
    for (const [n, outcome] of (await Promise.all(outcomes)).entries()) {
      const { response } = outcome.attempts[0]!;
      expect(response?.body).toBe(`m${n}${'.'.repeat(100)}`);
      expect(response?.headers).toMatchObject({ 'x-request-id': `m${n}` });
    }
  },
);
