import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { AddressGuard } from '../../src/net/private-networks.js';
import {
  reply,
  startRawServer,
  type RawAnswer,
  type RawServerOptions,
} from '../helpers/raw-server.js';
import { VirtualClock } from '../helpers/virtual-clock.js';
import { someEvent, attemptsOf, webhooks } from '../helpers/webhooks.js';

const timeoutMs = 300;
const hour = 3_600_000;

/** The deadline passes exactly 300 ms after the start, whatever happens to the time of day. */
async function expectTimeout(
  url: string,
  reached: Promise<unknown>,
  guard?: AddressGuard,
): Promise<void> {
  const clock = new VirtualClock();
  const destination = webhooks(url, { timeoutMs, clock, ...(guard && { guard }) });
  const delivery = destination.deliver(someEvent);
  await reached;
  clock.set(-hour);
  clock.advance(200);
  clock.set(3 * hour);
  clock.advance(99);
  for (let i = 0; i < 10; i++) await nextTurn();
  expect(clock.backgroundWaits).toEqual([1]);
  clock.advance(1);
  const outcome = await delivery;
  expect(attemptsOf(outcome)).toEqual(['timeout: retry']);
  expect(outcome.attempts[0]!.durationMs).toBe(timeoutMs);
}

/** A server, and a promise that resolves when somebody has connected to it. */
async function connectedServer(onConnection: (socket: Socket) => unknown = () => undefined) {
  let connected!: () => void;
  const reached = new Promise<void>((resolve) => (connected = resolve));
  const options: RawServerOptions = {
    onConnection: (socket) => {
      onConnection(socket);
      connected();
    },
  };
  return { server: await startRawServer(options), reached };
}

/** Writes a byte a turn, which is a lively connection that never gets anywhere. */
function dripping(text: string): RawAnswer {
  return async (socket: Socket) => {
    for (let at = 0; !socket.destroyed; at++) {
      socket.write(text[at % text.length]!);
      await nextTurn();
    }
  };
}

it.each<[string, RawAnswer]>([
  ['silence', undefined],
  ['a status line that drips', dripping(`HTTP/1.1 200 ${'O'.repeat(10_000)}`)],
  ['half a status line', 'HTTP/1.1 200'],
  ['empty lines that drip', dripping('\r\n')],
  ['an interim response and silence', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
])('the deadline is exact for %s', async (_title, response) => {
  const server = await startRawServer({ response: () => response });
  await expectTimeout(server.url, server.arrived(1));
});

it('the deadline is exact when the connection stays open but nothing is read from it', async () => {
  const { server, reached } = await connectedServer((socket) => socket.pause());
  await expectTimeout(server.url, reached);
});

it('the deadline is exact for a TLS handshake that is never answered', async () => {
  const { server, reached } = await connectedServer();
  await expectTimeout(server.url.replace('http:', 'https:'), reached);
});

it('the deadline is exact for a name that is never found', async () => {
  let asked!: () => void;
  const reached = new Promise<void>((resolve) => (asked = resolve));
  const guard: AddressGuard = { lookup: () => asked(), refusal: () => undefined };
  await expectTimeout('http://nobody.invalid/hook', reached, guard);
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
      await expectTimeout(`http://127.0.0.1:${port}/hook`, nextTurn());
    } finally {
      for (const socket of crowd) socket.destroy();
      child.kill('SIGKILL');
    }
  },
);

it('the deadline passes by the clock of the system as well', async () => {
  const server = await startRawServer({ response: () => undefined });
  const destination = webhooks(server.url, { timeoutMs: 50 });
  const outcome = await destination.deliver(someEvent);
  expect(attemptsOf(outcome)).toEqual(['timeout: retry']);
  expect(outcome.attempts[0]!.durationMs).toBeGreaterThan(49);
});

it('a deadline of a month, longer than timers of Node can be, does not pass at once', async () => {
  const server = await startRawServer({
    response: () => (socket: Socket) => setTimeout(() => socket.write(reply(200)), 20),
  });
  const destination = webhooks(server.url, { timeoutMs: 31 * 24 * 60 * 60 * 1000 });
  expect(attemptsOf(await destination.deliver(someEvent))).toEqual(['200: delivered']);
});
