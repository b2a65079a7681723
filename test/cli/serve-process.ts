import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { afterEachTest } from '../helpers/after-each.js';
import { ended, start, type CliResult } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import {
  startReceiver,
  type ReceivedRequest,
  type ReceiverResponse,
  type Receiver,
} from '../helpers/receiver.js';

const cleanups: (() => unknown)[] = [];
afterEachTest(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export async function receiving(
  response: (request: ReceivedRequest) => ReceiverResponse | undefined = () => ({}),
): Promise<Receiver> {
  const receiver = await startReceiver(response);
  cleanups.push(() => receiver.close());
  return receiver;
}

export const ids = (receiver: Receiver): string[] =>
  receiver.json().map(({ messageId }: { messageId: string }) => messageId);

/** A configuration with a destination at this URL, and a variable for its write key. */
export function configuration(url: string, more = ''): string {
  return `sources:
  web: { writeKey: \${WEB_KEY}, destinations: [crm] }
destinations:
  crm:
    type: Webhooks
    allowPrivateNetworks: true
    sharedSecret: hush-secret
    endpoints: [{ url: '${url}?token=hush-query' }]
${more}`;
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: string;
  /** Resolves with the first line of the log, from now on, that has this in it. */
  readonly logs: (text: string) => Promise<string>;
  readonly stop: (signal: NodeJS.Signals) => Promise<CliResult>;
}

/** Starts `serve --json` in a folder with a configuration file; its port is a free one. */
export async function running(
  folder: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const child = start(['serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    env: { WEB_KEY: 'hush-key', ...env },
  });
  const end = ended(child);
  cleanups.push(() => child.kill('SIGKILL') && end);
  const lines = createInterface({ input: child.stdout });
  const [first] = (await once(lines, 'line')) as [string];
  const { type, url } = JSON.parse(first) as { type: string; url: string };
  expect(type).toBe('ready');
  return {
    child,
    url,
    logs: (text) =>
      new Promise((resolve) => {
        lines.on('line', (line) => {
          if (line.includes(text)) resolve(line);
        });
      }),
    stop: (signal) => {
      child.kill(signal);
      return end;
    },
  };
}

export function folderFor(receiver: Receiver): string {
  return folderWith({ 'evfwd.config.yaml': configuration(receiver.url) });
}

export async function send(url: string, from: number, count = 1): Promise<number> {
  const batch = Array.from({ length: count }, (_, i) => ({
    ...{
      type: 'track',
      userId: 'u1',
      event: 'E',
      messageId: `m${from + i}`,
      properties: { n: from + i },
    },
  }));
  const body = JSON.stringify({ batch, writeKey: 'hush-key' });
  const response = await fetch(`${url}/v1/batch`, { method: 'POST', body });
  await response.text();
  return response.status;
}
