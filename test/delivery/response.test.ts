import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { AttemptResult, ResponseExcerpt } from '../../src/delivery/outcome.js';
import { reply, reset, startRawServer, thenEnd, type RawAnswer } from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { attemptsOf, sendNow, someEvent, webhooks } from '../helpers/webhooks.js';

/** What the outcome tells of a response that is written like this. */
async function responseTo(answer: RawAnswer): Promise<ResponseExcerpt | undefined> {
  const server = await startRawServer({ response: () => answer });
  const outcome = await webhooks(server.url).deliver(someEvent);
  return outcome.attempts[0]!.response;
}

const start = (status: number, headers: string): string =>
  `HTTP/1.1 ${status} No\r\n${headers}\r\n\r\n`;

describe('what a response said', () => {
  it('is its body, and the headers that help', async () => {
    const headers = { 'content-type': 'application/json', 'set-cookie': 'a=b' };
    expect(await responseTo(reply(400, headers, '{"error":"plan"}'))).toEqual({
      headers: { 'content-type': 'application/json' },
      body: '{"error":"plan"}',
    });
  });

  it.each([101, 302, 404, 410, 429, 500, 599, 600, 999])('is known of a %i', async (status) => {
    expect(await responseTo(reply(status, {}, 'why'))).toMatchObject({ headers: {} });
  });

  it.each([200, 204, 299])('is not kept of a %i', async (status) => {
    expect(await responseTo(reply(status, {}, status === 204 ? '' : 'fine'))).toBeUndefined();
  });

  it.each<[string, string, RawAnswer]>([
    ['in chunks', 'hello world', `${start(400, 'transfer-encoding: chunked')}6\r\nhello \r\n5\r\nworld\r\n0\r\n\r\n`],
    ['to the end of the connection', 'hello', thenEnd(`${start(400, 'a: b')}hello`)],
    ['without a body', '', start(400, 'content-length: 0')],
    ['that is shorter than it says', 'part', thenEnd(`${start(400, 'content-length: 9')}part`)],
    ['in chunks that break off', 'part', thenEnd(`${start(400, 'transfer-encoding: chunked')}9\r\npart`)],
    ['in chunks that become garbage', 'part', `${start(400, 'transfer-encoding: chunked')}4\r\npart\r\nZZ\r\n`],
    ['that ends in a reset', 'part', (socket: Socket) => socket.write(`${start(400, 'content-length: 9')}part`, () => setTimeout(() => reset(socket), 20))],
  ])('is the body %s', async (_title, body, answer) => {
    expect(await responseTo(answer)).toEqual({ headers: {}, body });
  }); // prettier-ignore

  it('is the first 4,096 bytes of a body that never ends', async () => {
    const response = await responseTo((socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write('x'.repeat(1_000)));
      };
      socket.write(start(400, 'a: b'));
      socket.on('drain', more);
      more();
    });
    expect(response).toEqual({ headers: {}, body: 'x'.repeat(4_096) });
  });

  it('is the body as it came when it is compressed, which is never inflated', async () => {
    const gzip = Buffer.from([0x1f, 0x8b, 8, 0]);
    const head = Buffer.from(start(400, 'content-encoding: gzip\r\ncontent-length: 4'));
    expect(await responseTo(Buffer.concat([head, gzip]))).toEqual({
      headers: { 'content-encoding': 'gzip' },
      bodyBase64: gzip.toString('base64'),
    });
  });

  it('leaves the connection good for the next request', async () => {
    const server = await startRawServer({ response: () => reply(400, {}, 'x'.repeat(9_000)) });
    const destination = webhooks(server.url, { concurrency: 1 });
    for (let i = 0; i < 3; i++) await destination.deliver(someEvent);
    expect([server.requests.length, server.sockets.length]).toEqual([3, 1]);
  });
});

describe('a body that drips', () => {
  /** One byte is written at once; the rest never comes. */
  async function dripping(status: number, headers: string) {
    const server = await startRawServer({
      response: (_request, index) => (index === 0 ? `${start(status, headers)}x` : reply(200)),
    });
    const clock = new VirtualClock();
    const attempts: AttemptResult[] = [];
    const destination = webhooks(server.url, {
      ...{ clock, concurrency: 1, timeoutMs: 5_000 },
      onAttempt: (result) => attempts.push(result),
    });
    const outcome = sendNow(destination);
    // The time limit of the attempt, then that of its excerpt.
    await expect.poll(() => clock.backgroundWaits).toContain(1_000);
    return { server, clock, attempts, destination, outcome };
  }

  it.each(['content-length: 9', 'a: b'])(
    'is waited for one second, without a change of verdict and duration: %s',
    async (headers) => {
      const { clock, attempts, outcome } = await dripping(503, headers);
      clock.advance(999);
      await nextTurn();
      expect(attempts).toEqual([]);
      clock.advance(1);
      const { attempts: ended } = await outcome;
      expect(ended).toMatchObject([{ status: 503, error: null, verdict: 'retry', durationMs: 0 }]);
      expect(ended[0]!.response?.body).toBe('x');
    },
  );

  it('holds its connection no longer', async () => {
    const { clock, server, destination, outcome } = await dripping(400, 'content-length: 9');
    const second = sendNow(destination, 'm2');
    expect(server.requests.length).toBe(1);
    clock.advance(1_000);
    await outcome;
    expect(attemptsOf(await second)).toEqual(['200: delivered']);
    expect(server.sockets.length).toBe(2);
  });

  it('loses no outcome when the destination is closed', async () => {
    const { destination, outcome } = await dripping(400, 'content-length: 9');
    await destination.close();
    expect(attemptsOf(await outcome)).toEqual(['400: failed']);
  });

  it('does not delay a pause, which begins at the status line', async () => {
    const paused: (number | undefined)[] = [];
    const server = await startRawServer({
      response: () => `${start(429, 'retry-after: 60\r\ncontent-length: 9')}x`,
    });
    const clock = new VirtualClock();
    const destination = webhooks(server.url, {
      ...{ clock, retryWindowMs: 3_600_000 },
      onPause: (_url, untilMs) => paused.push(untilMs),
    });
    void sendNow(destination);
    await expect.poll(() => paused).toEqual([clock.now() + 60_000]);
    expect(clock.elapsedMs).toBe(0);
  });

  it('does not delay a 410, after which nothing more is sent', async () => {
    const server = await startRawServer({ response: () => `${start(410, 'content-length: 9')}x` });
    const clock = new VirtualClock();
    const destination = webhooks(server.url, { clock, concurrency: 1, disablesOnGone: true });
    const first = sendNow(destination);
    expect(attemptsOf(await sendNow(destination, 'm2'))).toEqual(['gone: failed']);
    clock.advance(1_000);
    expect(attemptsOf(await first)).toEqual(['410: failed']);
    expect(server.requests.length).toBe(1);
  });
});

describe('an endpoint that repeats the request', () => {
  const secrets = {
    shared: 'shared/"secret',
    query: 'query token',
    key: 'key-without-value',
    header: 'Bearer header-token',
  };

  it('gets none of our secrets into what is shown', async () => {
    const server = await startRawServer({
      response: ({ path, headers }) => {
        const echo = JSON.stringify({ path, headers, secret: secrets.shared });
        const decoded = decodeURIComponent(path);
        return reply(400, { 'x-request-id': `${headers.join()} ${decoded}` }, echo + decoded);
      },
    });
    const query = `token=${encodeURIComponent(secrets.query)}&${secrets.key}`;
    const destination = webhooks([], {
      endpoints: [{ url: `${server.url}?${query}`, headers: { 'X-Auth': secrets.header } }],
      sharedSecret: secrets.shared,
    });
    const text = JSON.stringify(await destination.deliver(someEvent));
    expect(text).toContain('***');
    expect(text).not.toMatch(/shared|query.{1,3}token|without-value|header-token/);
    expect(text).toContain('X-Auth');
  });
});
