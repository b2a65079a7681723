import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEachTest } from '../../helpers/after-each.js';
import type { Overview } from '../../../src/api/serve.js';
import { start } from '../../helpers/cli.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';

/** How an endpoint behaves: the status that it answers, not at all, or it cannot be reached. */
export type Behaviour = number | 'hang' | 'refused';

/** A webhook endpoint of a test, which can change its mind. */
export interface Endpoint {
  behaviour: Behaviour;
  readonly receiver: Receiver;
}

/** `evfwd serve` as its user starts it. */
export interface Serve {
  /** Without a path. */
  readonly url: string;
  readonly endpoints: Readonly<Record<string, Endpoint>>;
  /** Sends an event of the source `web`, with its values; resolves to its messageId. */
  readonly track: (event: string, more?: Readonly<Record<string, unknown>>) => Promise<string>;
  /** Posts a body to a path of the collection API. */
  readonly post: (path: string, body: string, writeKey?: string) => Promise<Response>;
  readonly overview: () => Promise<Overview>;
  readonly stop: () => Promise<void>;
  /** Starts it again, on the same port and with the same state. */
  readonly restart: () => Promise<void>;
}

export interface ServeOptions {
  /** Of the destinations, by name, how their endpoints behave. Default: `crm` takes everything. */
  readonly destinations?: Readonly<Record<string, Behaviour>>;
  /** Whether there is a source `hooks` of any sender's requests, at `/in/hooks/*`, for the same destinations. */
  readonly raw?: boolean;
  /** Without the source `web`. */
  readonly only?: 'raw';
  /** What the page wants to be told first. */
  readonly token?: string;
}

export const writeKey = 'web-key';

const ended: (() => Promise<void>)[] = [];

function rawSource(destinations: string): string {
  const settings = 'scheme: github, secret: shhh, enforce: false';
  return `  hooks: { type: raw, path: '/in/hooks/*', ${settings}, destinations: [${destinations}] }`;
}

/** Starts the built program on a free port, with endpoints of its own; all end after the test. */
export async function startServe(options: ServeOptions = {}): Promise<Serve> {
  const { destinations = { crm: 200 }, raw = false, only, token } = options;
  const folder = await mkdtemp(join(tmpdir(), 'evfwd-page-'));
  const endpoints: Record<string, Endpoint> = {};
  const names = Object.keys(destinations).join(', ');
  const lines = [
    `sources:`,
    ...(only === 'raw' ? [] : [`  web: { writeKey: ${writeKey}, destinations: [${names}] }`]),
    ...(raw ? [rawSource(names)] : []),
    `destinations:`,
  ];
  for (const [name, behaviour] of Object.entries(destinations)) {
    const { endpoint, url } = await startEndpoint(behaviour);
    endpoints[name] = endpoint;
    const settings = `type: Webhooks, allowPrivateNetworks: true, sharedSecret: shhh`;
    lines.push(`  ${name}: { ${settings}, endpoints: [{ url: '${url}?secret=hidden' }] }`);
  }
  await writeFile(join(folder, 'evfwd.config.yaml'), `${lines.join('\n')}\n`);
  await writeFile(join(folder, 'token.txt'), token ?? '');
  const flags = token === undefined ? [] : ['--admin-token-file', 'token.txt'];
  let process = await started(folder, ['--port', '0', ...flags]);
  const { url } = process;
  const post: Serve['post'] = (path, body, key = writeKey) =>
    fetch(url + path, {
      method: 'POST',
      body,
      headers: { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
    });
  let sent = 0;
  ended.push(async () => {
    await process.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    url,
    endpoints,
    post,
    track: async (event, more = {}) => {
      const messageId = `message-${++sent}`;
      await post('/v1/track', JSON.stringify({ userId: 'u1', event, messageId, ...more }));
      return messageId;
    },
    overview: async () => (await fetch(`${url}/_evfwd/api/overview`)).json() as Promise<Overview>,
    stop: () => process.stop(),
    restart: async () => {
      process = await started(folder, ['--port', new URL(url).port, ...flags]);
    },
  };
}

async function started(folder: string, flags: readonly string[]) {
  const child = start(['serve', '--json', ...flags], { cwd: folder });
  const close = once(child, 'close');
  child.stderr.resume();
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url: url.replace(/\/$/, ''),
    stop: async () => {
      child.kill();
      await close;
    },
  };
}

async function startEndpoint(behaviour: Behaviour) {
  const state = { behaviour };
  const receiver = await startReceiver(() =>
    typeof state.behaviour === 'number' ? { status: state.behaviour } : undefined,
  );
  if (behaviour === 'refused') await receiver.close();
  else ended.push(() => receiver.close());
  const endpoint: Endpoint = Object.assign(state, { receiver });
  return { endpoint, url: receiver.url };
}

afterEachTest(async () => {
  for (const end of ended.splice(0).reverse()) await end();
});
