import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { reply, startRawServer, type RawAnswer } from '../helpers/raw-server.js';
import { someEvent, tries, webhooks } from '../helpers/webhooks.js';

const timeoutMs = 300;

/** The one place where the clock on the wall is the matter: 300 ms, and a wide margin above it. */
async function expectTimeout(url: string): Promise<void> {
  const destination = webhooks(url, { timeoutMs });
  const startedAt = performance.now();
  const outcome = await destination.deliver(someEvent);
  const elapsedMs = performance.now() - startedAt;
  expect(tries(outcome)).toEqual(['timeout: retry']);
  for (const ms of [elapsedMs, outcome.attempts[0]!.durationMs]) {
    expect(ms).toBeGreaterThan(290);
    expect(ms).toBeLessThan(450);
  }
}

/** Writes a byte every 20 ms, which is a lively connection that never gets anywhere. */
function dripping(text: string): RawAnswer {
  return (socket: Socket) => {
    let at = 0;
    const timer = setInterval(() => socket.write(text[at++ % text.length]!), 20);
    socket.on('close', () => clearInterval(timer));
  };
}

it.each<[string, RawAnswer]>([
  ['silence', undefined],
  ['a status line that drips', dripping(`HTTP/1.1 200 ${'O'.repeat(1000)}`)],
  ['half a status line', 'HTTP/1.1 200'],
  ['empty lines that drip', dripping('\r\n')],
])('the deadline is exact for %s', async (_title, answer) => {
  const server = await startRawServer({ answer: () => answer });
  await expectTimeout(server.url);
});

it('the deadline is exact when the connection stays open but nothing is read from it', async () => {
  const server = await startRawServer({ onConnection: (socket) => socket.pause() });
  await expectTimeout(server.url);
});

it('the deadline is exact for a TLS handshake that is never answered', async () => {
  const server = await startRawServer();
  await expectTimeout(server.url.replace('http:', 'https:'));
});

/** Listens, prints its port, and never comes to accept anybody. */
const busyServer = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    require('node:fs').writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

it.runIf(process.platform === 'linux')(
  'the deadline is exact when a server is too busy to accept connections',
  async () => {
    const child = spawn(process.execPath, ['-e', busyServer]);
    const [printed] = (await once(child.stdout, 'data')) as [Buffer];
    const port = Number(printed.toString());
    const crowd = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => 0));
    try {
      await once(crowd[0]!, 'connect');
      await expectTimeout(`http://127.0.0.1:${port}/hook`);
    } finally {
      for (const socket of crowd) socket.destroy();
      child.kill('SIGKILL');
    }
  },
);

it('a deadline of a month, longer than timers of Node can be, does not pass at once', async () => {
  const server = await startRawServer({
    answer: () => (socket: Socket) => setTimeout(() => socket.write(reply(200)), 20),
  });
  const destination = webhooks(server.url, { timeoutMs: 31 * 24 * 60 * 60 * 1000 });
  expect(tries(await destination.deliver(someEvent))).toEqual(['200: delivered']);
});
