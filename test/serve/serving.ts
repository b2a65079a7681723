import { expect } from 'vitest';
import { signingBy } from '../helpers/signing.js';
import { afterEachTest } from '../helpers/after-each.js';
import type { Log } from '../../src/serve/log.js';
import { Service, type ServiceOptions } from '../../src/serve/service.js';
import type { Destination, Routing, Source } from '../../src/serve/types.js';
import { folderWith } from '../helpers/folder.js';

/** A service on a free port of loopback; it is stopped after the test. */
export interface Serving {
  readonly service: Service;
  readonly url: string;
  readonly stateDir: string;
  /** Lines of the log, `level message {fields}`. */
  readonly logged: readonly string[];
  /** Applies another routing. */
  readonly reroute: (routing: Routing | Error) => Promise<void>;
  /** Posts a batch with the write key of `web`, or another one. */
  readonly send: (events: readonly object[], writeKey?: string) => Promise<Response>;
  /** Calls the operations API. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests inspect any response
  readonly api: (path: string, init?: RequestInit) => Promise<any>;
  readonly stop: () => Promise<unknown>;
}

const open: Serving[] = [];

export async function serving(
  first: Routing,
  options: Partial<ServiceOptions> = {},
): Promise<Serving> {
  let routing: Routing | Error = first;
  const logged: string[] = [];
  const stateDir = options.stateDir ?? folderWith();
  const service = await Service.start({
    host: '127.0.0.1',
    port: 0,
    log: logTo(logged),
    pageFolder: '/nowhere',
    readRouting: () =>
      routing instanceof Error ? Promise.reject(routing) : Promise.resolve(routing),
    ...options,
    stateDir,
  });
  const { url } = service;
  let stopped: Promise<unknown> | undefined;
  const started: Serving = {
    service,
    url,
    stateDir,
    logged,
    reroute: (next) => {
      routing = next;
      return service.reload();
    },
    send: (batch, writeKey = 'k-web') =>
      fetch(`${url}/v1/batch`, { method: 'POST', body: JSON.stringify({ batch, writeKey }) }),
    api: async (path, init) => (await fetch(`${url}/_evfwd/api/${path}`, init)).json(),
    stop: () => (stopped ??= service.stop()),
  };
  open.push(started);
  return started;
}

afterEachTest(async () => {
  await Promise.all(open.splice(0).map(({ stop }) => stop()));
});

/** A log that writes to these lines. */
export function logTo(lines: string[]): Log {
  const at =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push(`${level} ${message} ${JSON.stringify(fields)}`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export function source(name: string, more: Partial<Source> = {}): Source {
  return { name, writeKey: `k-${name}`, isEnabled: true, destinations: ['crm'], ...more };
}

/** A signed destination that may be on this machine. */
export function destination(
  name: string,
  url: string,
  more: Partial<Destination> = {},
): Destination {
  return {
    name,
    integrationName: 'Webhooks',
    isEnabled: true,
    allowPrivateNetworks: true,
    signing: signingBy('x-signature', 's3'),
    endpoints: [{ url }],
    ...more,
  };
}

/** The source `web` with one destination, `crm`. */
export function simple(url: string, more: Partial<Destination> = {}): Routing {
  return { sources: [source('web')], destinations: [destination('crm', url, more)] };
}

export function json(method: string, body: unknown): RequestInit {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

export function track(n: number, more: object = {}): object {
  const timestamp = '2026-01-01T00:00:00.000Z';
  return { type: 'track', userId: `u${n}`, event: `E${n}`, messageId: `m${n}`, timestamp, ...more };
}

/** Polls until the condition is met, for conditions without an event of their own. */
export async function until<T>(ask: () => Promise<T>, isMet: (response: T) => boolean): Promise<T> {
  for (;;) {
    const response = await ask();
    if (isMet(response)) return response;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Resolves when nothing waits for the first destination, also no retry of an attempt that a busy machine let time out. */
export async function drained({ api }: Pick<Serving, 'api'>): Promise<void> {
  await expect
    .poll(async () => (await api('overview')).destinations[0])
    .toMatchObject({ queued: 0, retrying: 0 });
}
