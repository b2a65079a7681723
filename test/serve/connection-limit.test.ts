import { maxOpenFiles } from '../../src/net/open-files.js';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { defaultMaxConnections } from '../../src/serve/connection-limit.js';
import { HttpServer } from '../../src/serve/http-server.js';
import { afterEachTest } from '../helpers/after-each.js';

const open: HttpServer[] = [];

afterEachTest(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    await server.close();
  }
});

async function limitedTo(maxConnections: number) {
  const handled: string[] = [];
  const notes: string[] = [];
  const server = new HttpServer({
    handler: ({ url }, response) => {
      handled.push(url!);
      response.end('taken');
    },
    onNote: (text) => notes.push(text),
    onRefused: () => undefined,
    maxConnections,
  });
  open.push(server);
  return { port: await server.listen('127.0.0.1', 0), handled, notes };
}

const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

async function answerTo(socket: Socket, path: string): Promise<string> {
  socket.write(request(path));
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  return bytes.toString();
}

it('a connection beyond the limit gets a 503 to its request, which is not handled', async () => {
  const { port, handled, notes } = await limitedTo(2);
  const kept = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
  for (const socket of kept) expect(await answerTo(socket, '/kept')).toMatch(/^HTTP\/1.1 200 /);
  const further = connect(port, '127.0.0.1');
  const closed = once(further, 'close');
  expect(await answerTo(further, '/further')).toMatch(
    /^HTTP\/1.1 503 [^]*\r\nRetry-After: 5\r\n[^]*"code":"too_many_connections"/,
  );
  await closed;
  expect([handled, notes]).toEqual([
    ['/kept', '/kept'],
    ['refused a connection: 2 are open (503)'],
  ]);
  // Those that are open are served on, and one that is closed makes room.
  expect(await answerTo(kept[0]!, '/again')).toMatch(/^HTTP\/1.1 200 /);
  kept[0]!.destroy();
  await expect
    .poll(async () => {
      const next = connect(port, '127.0.0.1');
      const answer = await answerTo(next, '/next');
      next.destroy();
      return answer;
    })
    .toMatch(/^HTTP\/1.1 200 /);
  kept[1]!.destroy();
});

it('a flood of connections beyond the limit is cut, and the others are served', async () => {
  const { port } = await limitedTo(1);
  const kept = connect(port, '127.0.0.1');
  await answerTo(kept, '/kept');
  const flood = Array.from({ length: 300 }, () => connect(port, '127.0.0.1'));
  const ends = flood.map(async (socket) => {
    let bytes = 0;
    socket.on('error', () => undefined).on('data', ({ length }: Buffer) => (bytes += length));
    await once(socket, 'close');
    return bytes > 0;
  });
  expect(await answerTo(kept, '/kept')).toMatch(/^HTTP\/1.1 200 /);
  const answered = (await Promise.all(ends)).filter((isAnswered) => isAnswered).length;
  expect(answered).toBeGreaterThan(0);
  kept.destroy();
});

it.each<[string, number]>([
  ['Max open files            1024                 524288               files     \n', 512],
  ['Max open files            1048576              1048576              files     \n', 10_000],
  ['Max open files            unlimited            unlimited            files     \n', 10_000],
  ['', 10_000],
])('the limit is half of the open files, and at most 10,000: %j', (limits, expected) => {
  expect(defaultMaxConnections(maxOpenFiles(limits))).toBe(expected);
});
