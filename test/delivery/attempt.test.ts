import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  byteByByte,
  reply,
  reset,
  startRawServer,
  thenEnd,
  type RawAnswer,
} from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { sendNow, someEvent, attemptsOf, attemptOnce, webhooks } from '../helpers/webhooks.js';

/** Long enough that no test comes near it, unless something hangs. */
const timeoutMs = 5_000;

async function attemptResponse(response: RawAnswer, timeLimitMs = timeoutMs): Promise<string> {
  const server = await startRawServer({ response: () => response });
  return attemptOnce(server.url, { timeoutMs: timeLimitMs });
}

/** Writes a text again and again, a packet a turn, until the other side closes. */
async function writeUntilClosed(socket: Socket, text: string): Promise<void> {
  while (!socket.destroyed && !socket.readableEnded) {
    socket.write(text);
    await nextTurn();
  }
}

/** The table of section 4 of the interface, in words of its own. */
function verdictFor(status: number): string {
  const isRetried = [408, 425, 429].includes(status) || (status >= 500 && status < 600);
  if (status >= 200 && status < 300) return 'delivered';
  return isRetried ? 'retry' : 'failed';
}

describe('every status', () => {
  const numbers = [99, 101, ...Array.from({ length: 800 }, (_, i) => i + 200)];

  it('from 99 to 999 gets the verdict of the table', async () => {
    const server = await startRawServer({
      response: ({ path }) => {
        const status = Number(path.slice(1));
        // Interim answers decide nothing: they have tests of their own.
        return status < 200 ? thenEnd(reply(path.slice(1))) : reply(status);
      },
    });
    const results: Record<number, string> = {};
    for (let i = 0; i < numbers.length; i += 50) {
      const some = numbers.slice(i, i + 50);
      await Promise.all(
        some.map(async (status) => {
          results[status] = await attemptOnce(new URL(`/${status}`, server.url).href, {
            timeoutMs,
          });
        }),
      );
    }
    const expected = numbers.map((status) => [status, `${status}: ${verdictFor(status)}`]);
    expect(results).toEqual(Object.fromEntries(expected));
  });

  it.each(['0', '7', '42', '99', '000', '099', '1000', '2000', '20000'])(
    'of another length, like %s, fails with that number',
    async (status) => {
      expect(await attemptResponse(thenEnd(reply(status)))).toBe(`${Number(status)}: failed`);
    },
  );

  it.each(['0200', '00404'])('of %s is none', async (status) => {
    expect(await attemptResponse(reply(status))).toBe('protocol: retry');
  });

  it.each(['99', '101', '200', '204', '301', '410', '429', '503', '600', '999'])(
    '%s is the same when it comes byte by byte',
    async (status) => {
      const script = byteByByte(reply(status));
      const response: RawAnswer = (socket) => void script(socket).then(() => socket.end());
      expect(await attemptResponse(response)).toBe(`${status}: ${verdictFor(Number(status))}`);
    },
  );
});

describe('an interim response', () => {
  const hello = 'HTTP/1.1 100 Continue\r\n\r\n';
  const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';

  it.each<[string, string]>([
    ['100', hello],
    ['100 with headers', 'HTTP/1.1 100 Continue\r\nx-a: b\r\n\r\n'],
    ['100 of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
    ['103', hints],
    ['100 and 100', hello + hello],
    ['100 and 103', hello + hints],
    ['103 and 100', hints + hello],
    ['102 without a reason', 'HTTP/1.1 102\r\n\r\n'],
  ])(
    '%s is passed over, whether the last one comes with it or after it',
    async (_title, interim) => {
      expect(await attemptResponse(interim + reply(200))).toBe('200: delivered');
      expect(await attemptResponse(byteByByte(interim + reply(200)))).toBe('200: delivered');
      expect(await attemptResponse(byteByByte(interim + reply(404)))).toBe('404: failed');
      expect(
        await attemptResponse((socket) => {
          socket.write(interim);
          setTimeout(() => socket.write(reply(204)), 20);
        }),
      ).toBe('204: delivered');
    },
  );

  it.each<[string, string]>([
    ['100', hello],
    ['half of 100', hello.slice(0, -2)],
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103', hints],
    ['199', 'HTTP/1.1 199 X\r\n\r\n'],
    ['100 and half a status line', `${hello}HTTP/1.1 20`],
    ['many', hello.repeat(999)],
  ])('%s as the last word decides nothing', async (_title, interim) => {
    expect(await attemptResponse(thenEnd(interim))).toBe('reset: retry');
    expect(await attemptResponse((socket) => socket.write(interim, () => reset(socket)))).toBe(
      'reset: retry',
    );
    expect(await attemptResponse(interim, 200)).toBe('timeout: retry');
  });

  it('that never is the last one ends with an error, whatever the deadline', async () => {
    const writing: Promise<void>[] = [];
    const server = await startRawServer({
      response: () => (socket) => writing.push(writeUntilClosed(socket, hello.repeat(10))),
    });
    const clock = new VirtualClock();
    expect(await attemptOnce(server.url, { clock })).toBe('protocol: retry');
    expect(clock.elapsedMs).toBe(0);
    await Promise.all(writing);
  });

  it('101 is no interim response, and fails', async () => {
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n';
    expect(await attemptResponse(thenEnd(upgrade))).toBe('101: failed');
    expect(await attemptResponse(upgrade)).toBe('101: failed');
  });

  it('leaves the connection good for the next event', async () => {
    const server = await startRawServer({ response: () => byteByByte(hello + reply(200)) });
    const destination = webhooks(server.url, { concurrency: 1 });
    for (let i = 0; i < 3; i++) {
      expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['200: delivered']);
    }
    expect(server.sockets.length).toBe(1);
  });
});

describe('the status line decides', () => {
  it.each<[string, string, string]>([
    ['a bare status line, then the end', 'HTTP/1.1 200 OK\r\n', '200: delivered'],
    ['a broken header behind it', 'HTTP/1.1 200 OK\r\n(no header)\r\n\r\n', '200: delivered'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n', '200: delivered'],
    ['40 KB of headers', `HTTP/1.1 200 OK\r\na: ${'b'.repeat(40_000)}\r\n\r\n`, '200: delivered'],
    ['404 and a broken header', 'HTTP/1.1 404 No\r\n(no header)\r\n\r\n', '404: failed'],
    ['503 and a broken header', 'HTTP/1.1 503 No\r\n(no header)\r\n\r\n', '503: retry'],
    ['half a status line', 'HTTP/1.1 20', 'reset: retry'],
    ['a status line without its end', 'HTTP/1.1 200 OK', 'reset: retry'],
  ])('%s', async (_title, text, expected) => {
    expect(await attemptResponse(thenEnd(text))).toBe(expected);
    expect(
      await attemptResponse(
        (socket) => void byteByByte(text.slice(0, 60))(socket).then(() => socket.end()),
      ),
    ).toBe(expected);
  });

  it('when the headers never end, too', async () => {
    expect(await attemptResponse('HTTP/1.1 200 OK\r\nx-a: b\r\n', 200)).toBe('200: delivered');
    expect(await attemptResponse('HTTP/1.1 503 No\r\nx-a: b\r\n', 200)).toBe('503: retry');
    expect(await attemptResponse('HTTP/1.1 410 Gone\r\nx-a: b\r\n', 200)).toBe('410: failed');
  });
});

describe('what is no HTTP', () => {
  it.each<[string, string | Buffer]>([
    ['text', 'hello\r\n\r\n'],
    ['a greeting of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['random bytes', Buffer.from('00ff10e3a7b2c90d0a', 'hex')],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a negative status', 'HTTP/1.1 -200 OK\r\n\r\n'],
    ['another version', 'HTTP/3.7 200 OK\r\n\r\n'],
    ['a space too many', 'HTTP/1.1  200 OK\r\n\r\n'],
    ['space before it', '  HTTP/1.1 200 OK\r\n\r\n'],
    ['a request', 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'],
  ])('is called protocol and retried: %s', async (_title, bytes) => {
    expect(await attemptResponse(bytes)).toBe('protocol: retry');
  });
});

describe('a connection that ends without a response', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['reset', reset],
    ['closed', (socket) => socket.end()],
  ])('is called reset when it is %s at once', async (_title, end) => {
    const server = await startRawServer({ onConnection: end });
    expect(await attemptOnce(server.url)).toBe('reset: retry');
  });

  it.each<[string, (socket: Socket) => void]>([
    ['reset', reset],
    ['closed', (socket) => socket.end()],
  ])(
    'is called reset when it is %s after the request, which is not sent twice',
    async (_title, end) => {
      const server = await startRawServer({ response: () => end });
      expect(await attemptOnce(server.url)).toBe('reset: retry');
      expect(server.requests.length).toBe(1);
    },
  );

  it('is called refused when nobody listens', async () => {
    const server = await startRawServer();
    await server.close();
    expect(await attemptOnce(server.url)).toBe('refused: retry');
  });

  it('is called dns when there is no such host', async () => {
    expect(await attemptOnce('http://nobody.invalid/hook')).toBe('dns: retry');
  });
});

describe('a redirect', () => {
  it.each([300, 301, 302, 303, 304, 307, 308])('%i is never followed', async (status) => {
    const goal = await startRawServer();
    const server = await startRawServer({ response: () => reply(status, { location: goal.url }) });
    expect(await attemptOnce(server.url)).toBe(`${status}: failed`);
    expect(server.requests.length).toBe(1);
    expect(goal.sockets.length).toBe(0);
  });
});

describe('the body of a response', () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunk = `400\r\n${'x'.repeat(1024)}\r\n`;

  /** Writes on and on, a packet a turn, and tells how many bytes went out before it was closed. */
  async function writeOn(socket: Socket, start: string): Promise<number> {
    socket.write(start);
    while (!socket.destroyed && !socket.readableEnded) {
      socket.write(chunk);
      await nextTurn();
    }
    return socket.bytesWritten;
  }

  it.each([200, 404, 500])(
    'that never ends is closed soon after 16 KB, status %i',
    async (status) => {
      const written: Promise<number>[] = [];
      const server = await startRawServer({
        response: () => (socket) =>
          written.push(writeOn(socket, head.replace('200', String(status)))),
      });
      expect(await attemptOnce(server.url, { timeoutMs: 30_000 })).toBe(
        `${status}: ${verdictFor(status)}`,
      );
      expect(await written[0]).toBeGreaterThan(16 * 1024);
      expect(await written[0]).toBeLessThan(128 * 1024);
    },
  );

  it.each<[string, string]>([
    ['in chunks', `${head}1\r\nx\r\n`],
    ['in chunks, none of which comes', head],
    ['of known length', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'],
  ])('that falls silent %s holds its connection for 100 ms, and nothing else', async (_, text) => {
    const server = await startRawServer({
      response: (_request, index) => (index === 0 ? text : reply(200)),
    });
    const clock = new VirtualClock();
    const destination = webhooks(server.url, { clock, timeoutMs, concurrency: 1 });
    const first = await sendNow(destination);
    expect([attemptsOf(first), first.attempts[0]!.durationMs]).toEqual([['200: delivered'], 0]);
    const second = sendNow(destination, 'm2');
    clock.advance(99);
    for (let i = 0; i < 10; i++) await nextTurn();
    expect([server.requests.length, server.sockets[0]!.readableEnded]).toEqual([1, false]);
    clock.advance(1);
    expect(attemptsOf(await second)).toEqual(['200: delivered']);
    expect(server.sockets.length).toBe(2);
  });

  it.each<[string, number, number, string]>([
    ['200', 100, 1, head],
    ['404', 1_000, 10, head.replace('200', '404')],
  ])(
    'that never ends is waited for once, then hardly: %s',
    async (_title, fullMs, briefMs, text) => {
      const server = await startRawServer({ response: () => text });
      const clock = new VirtualClock();
      const destination = webhooks(server.url, { clock, timeoutMs, concurrency: 1 });
      const outcomes = Array.from({ length: 20 }, (_, i) => sendNow(destination, `m${i}`));
      for (let i = 0; i < outcomes.length; i++) {
        await server.arrived(i + 1);
        const waitMs = i === 0 ? fullMs : briefMs;
        await expect.poll(() => clock.backgroundWaits).toContain(waitMs);
        clock.advance(waitMs);
      }
      await Promise.all(outcomes);
      expect(clock.elapsedMs).toBe(fullMs + 19 * briefMs);
      expect(server.sockets.length).toBe(20);
    },
  );

  it('that ends with its first packet costs no connection, though another did not end', async () => {
    const server = await startRawServer({
      response: (_request, index) => (index === 0 ? head : `${head}0\r\n\r\n`),
    });
    const clock = new VirtualClock();
    const destination = webhooks(server.url, { clock, timeoutMs, concurrency: 1 });
    const first = sendNow(destination);
    await expect.poll(() => clock.backgroundWaits).toContain(100);
    clock.advance(100);
    await first;
    for (let i = 0; i < 20; i++) await destination.deliver(someEvent);
    expect([server.sockets.length, clock.elapsedMs]).toEqual([2, 100]);
  });

  it('that comes in time keeps the connection', async () => {
    const sockets: Socket[] = [];
    const server = await startRawServer({
      response: () => (socket) => {
        sockets.push(socket);
        socket.write(head);
      },
    });
    const clock = new VirtualClock();
    const destination = webhooks(server.url, { clock, timeoutMs, concurrency: 1 });
    await sendNow(destination);
    const second = sendNow(destination, 'm2');
    clock.advance(99);
    sockets[0]!.write('0\r\n\r\n');
    expect(attemptsOf(await second)).toEqual(['200: delivered']);
    expect(server.sockets.length).toBe(1);
  });

  it.each<[string, string]>([
    ['without a length', 'HTTP/1.1 200 OK\r\n\r\n'],
    ['without a length, of HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n'],
    ['longer than 16 KB', 'HTTP/1.1 200 OK\r\ncontent-length: 16385\r\n\r\n'],
  ])('%s, on a connection that stays open, holds up nothing', async (_title, text) => {
    const server = await startRawServer({ response: () => text });
    const clock = new VirtualClock();
    const destination = webhooks(server.url, { clock, timeoutMs, concurrency: 64 });
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, () => destination.deliver(someEvent)),
    );
    expect(outcomes.every(({ verdict }) => verdict === 'delivered')).toBe(true);
    // Each has a connection of its own, and no time has passed.
    expect([server.sockets.length, clock.elapsedMs]).toEqual([1_000, 0]);
  });

  it.each([204, 304])('that follows a %i is not taken for the next answer', async (status) => {
    const used = new Set<number>();
    const server = await startRawServer({
      response: ({ connection }) => {
        // The body comes late: when the next request is on its way.
        if (used.has(connection)) return 'HTTP/1.1 500 No\r\n\r\n';
        used.add(connection);
        return `HTTP/1.1 ${status} No\r\ncontent-length: 19\r\n\r\n`;
      },
    });
    const destination = webhooks(server.url, { timeoutMs, concurrency: 1 });
    const outcomes = await Promise.all([1, 2, 3, 4, 5].map(() => sendNow(destination)));
    const verdict = `${status}: ${verdictFor(status)}`;
    expect(outcomes.flatMap(attemptsOf)).toEqual(Array(5).fill(verdict));
    expect([server.requests.length, server.sockets.length]).toEqual([5, 5]);
  });

  it('that ends where a read ends costs the connection, for more may have come', async () => {
    const start = 'HTTP/1.1 200 OK\r\ncontent-length: 8000\r\nx-fill: ';
    const text = `${start}${'x'.repeat(8_192 - 8_000 - 4 - start.length)}\r\n\r\n${'y'.repeat(8_000)}`;
    const server = await startRawServer({
      response: (_request, index) => (index === 0 ? text + reply(500) : reply(200)),
    });
    const destination = webhooks(server.url, { timeoutMs, concurrency: 1 });
    expect(text.length).toBe(8_192);
    const outcomes = await Promise.all([sendNow(destination), sendNow(destination, 'm2')]);
    expect(outcomes.map(attemptsOf)).toEqual([['200: delivered'], ['200: delivered']]);
    expect([server.requests.length, server.sockets.length]).toEqual([2, 2]);
  });

  it.each<[string, string]>([
    ['is cut off', `${head}400\r\nx`],
    ['is broken', `${head}(no length)\r\n`],
    ['is shorter than it says', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'],
  ])('changes nothing when it %s', async (_title, text) => {
    const server = await startRawServer({
      response: (_request, index) => (index === 0 ? thenEnd(text) : reply(200)),
    });
    const destination = webhooks(server.url, { timeoutMs, concurrency: 1 });
    expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['200: delivered']);
    expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['200: delivered']);
    expect(server.requests.length).toBe(2);
  });

  it('is never inflated', async () => {
    const bad = reply(200, { 'content-encoding': 'gzip' }, 'this is no gzip');
    const server = await startRawServer({ response: () => bad });
    const destination = webhooks(server.url, { timeoutMs, concurrency: 1 });
    for (let i = 0; i < 2; i++) {
      expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['200: delivered']);
    }
    expect(server.sockets.length).toBe(1);
  });
});

describe('a Retry-After', () => {
  const attemptsOf = async (status: number, value: string) => {
    const server = await startRawServer({
      response: () => reply(status, { 'retry-after': value }),
    });
    const destination = webhooks(server.url, { clock: new VirtualClock() });
    return (await destination.deliver(someEvent)).attempts[0]!;
  };

  it.each([408, 425, 429, 500, 503])('of a %i is told in milliseconds', async (status) => {
    expect((await attemptsOf(status, '7')).retryAfterMs).toBe(7_000);
  });

  it.each([200, 301, 400, 404, 410])(
    'of a %i, which is not retried, means nothing',
    async (status) => {
      expect(await attemptsOf(status, '7')).not.toHaveProperty('retryAfterMs');
    },
  );

  it('that is a date is told as the time until then', async () => {
    const date = new Date(new VirtualClock().now() + 100_000).toUTCString();
    expect((await attemptsOf(429, date)).retryAfterMs).toBe(100_000);
  });
});
