import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEachTest } from '../../helpers/after-each.js';
import type { Stats } from '../../../src/api/listen.js';
import { start } from '../../helpers/cli.js';

/** `evfwd listen` as its user starts it. */
export interface Listen {
  /** Without a path. */
  readonly url: string;
  readonly port: string;
  /** Posts a body; it is signed when the receiver has a secret, unless a signature is given. */
  readonly post: (
    body: string,
    headers?: Record<string, string>,
    path?: string,
  ) => Promise<Response>;
  /** Tracks an event of this name. */
  readonly track: (event: string, more?: string) => Promise<Response>;
  readonly stats: () => Promise<Stats>;
  readonly requests: () => Promise<
    { method: string; path: string; body?: string; headers: object }[]
  >;
  readonly stop: () => Promise<void>;
}

export const secret = 'shhh';

const running = new Set<Listen>();

/** Starts the built program on a free port; it is stopped after the test. */
export async function startListen(args: readonly string[] = [], isSigned = true): Promise<Listen> {
  const child = start(['listen', '--port', '0', '--json', ...args], {
    ...(isSigned && { env: { EVFWD_SECRET: secret } }),
  });
  const ended = once(child, 'close');
  const lines = createInterface(child.stdout);
  const [line] = (await once(lines, 'line')) as [string];
  const url = (JSON.parse(line) as { url: string }).url.replace(/\/$/, '');
  child.stderr.resume();
  const post: Listen['post'] = (body, headers = {}, path = '/hook') =>
    fetch(url + path, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        ...(isSigned && { 'x-signature': signed(body) }),
        ...headers,
      },
    });
  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`${url}/_evfwd/api/${path}`)).json();
  const listen: Listen = {
    url,
    port: new URL(url).port,
    post,
    track: (event, more = '') =>
      post(`{"type":"track","userId":"u1","event":${JSON.stringify(event)}${more}}`),
    stats: () => ask('stats') as Promise<Stats>,
    requests: async () => ((await ask('requests')) as { requests: never }).requests,
    stop: async () => {
      running.delete(listen);
      child.kill();
      await ended;
    },
  };
  running.add(listen);
  return listen;
}

export function signed(body: string): string {
  return createHmac('sha1', secret).update(body).digest('hex');
}

afterEachTest(async () => {
  await Promise.all([...running].map(({ stop }) => stop()));
});
