import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isHopByHop } from '../../src/http/header-rules.js';
import { isProblem } from '../../src/events/event.js';
import { captureLine } from '../../src/listen/capture.js';
import { baseUrl } from '../../src/replay/path.js';
import { captureItems } from '../../src/replay/parse-capture.js';
import { RequestTarget } from '../../src/replay/request-target.js';
import { runs } from '../helpers/property-runs.js';

interface Received {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

let received: Received[] = [];
const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    received.push({ request, body });
    response.end();
  });
});
let target: RequestTarget;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  target = new RequestTarget({
    compositions: [
      { base: baseUrl(`http://127.0.0.1:${port}`), added: [], dropped: new Set<string>() },
    ],
    ...{ signers: [], secrets: [], ca: [], concurrency: 1, timeoutMs: 5_000, retryWindowMs: 0 },
    ...{ allUrls: false, onDown: () => undefined, onAttempt: () => undefined },
    onCredentialsToOtherHost: () => undefined,
  });
});
afterAll(async () => {
  await target.close();
  server.close();
});

const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND');
const path = fc.stringMatching(/^\/[!-"$-~]{0,30}$/);
const value = fc.stringMatching(/^[!-~\x80-\xff]([ -~\x80-\xff]{0,10}[!-~\x80-\xff])?$/);
const headers = fc.array(fc.tuple(token, value), { maxLength: 5 });
const body = fc.uint8Array({ maxLength: 200 });

it('a recorded request arrives with the same method, path, headers and bytes', async () => {
  const items = captureItems([]);
  await fc.assert(
    fc.asyncProperty(method, path, headers, body, async (method, path, given, body) => {
      const kept = given.filter(([name]) => !isHopByHop(name, []) && name !== 'host');
      const line = captureLine({
        ...{ id: 'c', receivedAt: 0, method, path, headers: kept.flat() },
        ...{ body: Buffer.from(body), signature: 'unchecked', duplicateEvents: [] },
        response: { status: 200, delayMs: 0 },
      } as unknown as Parameters<typeof captureLine>[0]);
      const item = items.parseLine(Buffer.from(line), { file: '', line: 1, offset: 0, length: 0 });
      if (isProblem(item)) throw new Error(item.message);
      received = [];
      const stamp = { messageId: 'm', writesMessageId: true };
      const outcome = await new Promise<{ verdict: string }>((resolve) =>
        target.send({ event: item, stamp }, resolve),
      );
      expect(outcome).toMatchObject({ verdict: 'delivered' });
      const { request, body: arrived } = received[0]!;
      expect([request.method, request.url, [...arrived]]).toEqual([method, path, [...body]]);
      for (const [name] of kept) {
        const values = kept.filter((pair) => pair[0] === name).map((pair) => pair[1]);
        expect(request.headersDistinct[name]).toEqual(values);
      }
    }),
    { numRuns: runs(2_000, 100) },
  );
});
