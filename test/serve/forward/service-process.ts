import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { program } from '../../helpers/cli.js';

export interface ServiceProcess {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  /** The numbers of the events that it has told to be accepted. */
  readonly accepted: number[];
  /** Resolves with what it wrote to standard error. */
  readonly ended: Promise<string>;
}

/**
 * Starts a process that takes events numbered from `first` on, as fast as they are accepted, and
 * forwards them; or one that only forwards what is stored, and ends when nothing is left.
 */
export function startService(folder: string, url: string, first: number | null): ServiceProcess {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', source, JSON.stringify({ folder, url, first })],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const accepted: number[] = [];
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (text + chunk).split('\n');
    text = lines.pop()!;
    for (const line of lines) for (const n of line.split(' ')) accepted.push(Number(n));
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const ended = new Promise<string>((resolve) => child.on('close', () => resolve(errors)));
  return { child, accepted, ended };
}

const built = (file: string): string => pathToFileURL(join(program, '../../dist', file)).href;

/** What is accepted is told in one write that is over when it returns, as an answer to a client would. */
const source = `
import { writeSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { ServiceStore } from ${JSON.stringify(built('serve/store/service-store.js'))};
import { Forwarder } from ${JSON.stringify(built('serve/forward/forwarder.js'))};
import { eventOf } from ${JSON.stringify(built('serve/store/stored.js'))};
const { folder, url, first } = JSON.parse(process.argv.at(-1));
const store = await ServiceStore.open(folder);
const source = { name: 'web', writeKey: 'k', isEnabled: true, destinations: ['crm'] };
const destination = { name: 'crm', integrationName: 'Webhooks', isEnabled: true, allowPrivateNetworks: true, endpoints: [{ url }] };
const delivery = { retryDelaysMs: [300] };
const forwarder = new Forwarder({ store, routing: { sources: [source], destinations: [destination] }, delivery });
forwarder.start();
let n = first;
while (first !== null) {
  const numbers = Array.from({ length: 10 }, () => n++);
  const accepted = numbers.map((n) => {
    const messageId = 'm' + n;
    const text = JSON.stringify({ type: 'track', userId: 'u', event: 'E', messageId, properties: { n } });
    return { event: eventOf(Buffer.from(text), 'web'), stamp: { messageId, writesMessageId: false, timestamp: new Date().toISOString() } };
  });
  void forwarder.accept({ source, receivedAt: Date.now(), accepted, rejected: [] }).then(() => writeSync(1, numbers.join(' ') + '\\n'));
  await wait(2);
}
while (store.length('crm').waiting > 0) await wait(5);
await forwarder.stop();
store.close();
`;
