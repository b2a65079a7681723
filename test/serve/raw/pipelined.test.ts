import { expect, it } from 'vitest';
import { startRawServer } from '../../helpers/raw-server.js';
import { serving } from '../serving.js';
import { relay, talk } from './relaying.js';

/** The statuses of the responses in an answer. */
function statuses(answer: string): string[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => status!);
}

const post = (path: string, more = ''): string =>
  `POST /in/hooks/${path} HTTP/1.1\r\nHost: h\r\n${more}\r\n`;

it.each([
  ['what is no request', `${post('a')}abc`, ['200', '400']],
  [
    'what is no request, after two',
    `${post('a')}${post('b')}${post('c')}abc`,
    ['200', '200', '200', '400'],
  ],
  ['too large headers', `${post('a')}${post('b', `X: ${'x'.repeat(20_000)}\r\n`)}`, ['200', '431']],
  ['a body after Connection: close', `${post('a', 'Connection: close\r\n')}abc`, ['200']],
  ['a body in HTTP/1.0', `POST /in/hooks/a HTTP/1.0\r\n\r\nabc`, ['200']],
  ['a tunnel', `${post('a')}CONNECT h:1 HTTP/1.1\r\nHost: h\r\n\r\n`, ['200', '405']],
])('a request that is taken is answered before %s on its connection', async (_, bytes, wanted) => {
  const app = await startRawServer();
  const { url } = await serving(await relay(app.url));
  expect(statuses(await talk(url, bytes))).toEqual(wanted);
  await app.arrived(wanted.filter((status) => status === '200').length);
});

it('a request that is taken is answered where its sender closes its side in the next one', async () => {
  const app = await startRawServer();
  const { url } = await serving(await relay(app.url));
  expect(statuses(await talk(url, `${post('a')}POST /in`, null))).toEqual(['200']);
});
