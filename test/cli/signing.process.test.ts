import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { event, events, runImport, startImport, summaryOf } from '../helpers/process.js';
import type { Receiver } from '../helpers/receiver.js';
import { noteSendingThreads } from '../helpers/sending-threads.js';
import { cli } from '../helpers/cli.js';
import { standardSecret } from '../helpers/signing.js';
import { standardReceiver, type StandardReceiver } from '../helpers/standard-receiver.js';
import { running, send } from './serve-process.js';

const receivers: Receiver[] = [];
afterEach(() => Promise.all(receivers.splice(0).map((receiver) => receiver.close())));

/** Every third event is refused at first. */
async function receiving(fails = (n: number): boolean => n % 3 === 0): Promise<StandardReceiver> {
  const started = await standardReceiver(fails);
  receivers.push(started.receiver);
  return started;
}

const importTo = ({ receiver }: StandardReceiver, ...more: string[]): string[] => [
  ...['e', '--url', receiver.url, '--scheme', 'standard-webhooks', '--secret-file', 'secret'],
  ...more,
];

const folderOf = (lines: string): string => folderWith({ e: lines, secret: standardSecret });

/** All were accepted, and those that were refused at first came again: the same id and body, a new time. */
function expectSignedAnew({ attempts, refused }: StandardReceiver, count: number): void {
  expect(refused).toEqual([]);
  expect(attempts.size).toBe(count);
  for (const [n, list] of attempts) {
    expect(new Set(list.map(({ id }) => id))).toEqual(new Set([`m${n}`]));
    expect(new Set(list.map(({ body }) => body)).size).toBe(1);
    if (n % 3 !== 0) continue;
    expect(list.length).toBeGreaterThan(1);
    expect(list.at(-1)!.timestamp).toBeGreaterThan(list[0]!.timestamp);
  }
}

describe('an import that signs the time', () => {
  it('signs each attempt anew, with the same id and body', async () => {
    const target = await receiving();
    const result = await runImport(importTo(target), folderOf(events(30)));
    expect(summaryOf(result)).toMatchObject({ delivered: 30, retries: 10 });
    expectSignedAnew(target, 30);
  });

  it('does so in threads', async () => {
    const target = await receiving();
    // Two threads start from 8 MB on.
    const pad = `,"context":{"pad":"${'x'.repeat(30_000)}"}`;
    const lines = Array.from({ length: 300 }, (_, n) => `${event(n, pad)}\n`).join('');
    const cwd = folderOf(lines);
    const threads = noteSendingThreads(cwd);
    const args = ['import', ...importTo(target, '--threads', '2'), '--json'];
    const result = await cli(args, { cwd, env: threads.env });
    expect(summaryOf(result)).toMatchObject({ delivered: 300 });
    expect(threads.seen()).toHaveLength(2);
    expectSignedAnew(target, 300);
  });

  it('does so after it was killed', async () => {
    const target = await receiving();
    const cwd = folderOf(events(300));
    const first = startImport(importTo(target, '--rate', '200/s'), cwd);
    await target.receiver.atLeast(100);
    await first.stop('SIGKILL');
    const result = await runImport(importTo(target), cwd);
    expect(summaryOf(result)).toMatchObject({ resumed: true, failed: 0, pending: 0 });
    expectSignedAnew(target, 300);
  });

  it('can be continued with another secret, as in a rotation', async () => {
    const target = await receiving((n) => n === 2);
    const cwd = folderOf(events(3));
    const first = startImport(importTo(target), cwd);
    await target.receiver.atLeast(3);
    await first.stop('SIGTERM');
    writeFileSync(join(cwd, 'secret'), 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA');
    const { stderr, code } = await runImport(importTo(target), cwd);
    expect({ code, refused: target.refused.length }).toEqual({ code: 3, refused: 1 });
    expect(stderr).not.toContain('AAAAAA');
  });
});

describe('a destination of serve that signs the time', () => {
  it('signs each attempt anew, also after the service was killed', async () => {
    const target = await receiving();
    const folder = folderWith({
      'evfwd.config.yaml': `sources:
  web: { writeKey: hush-key, destinations: [crm] }
destinations:
  crm:
    type: Webhooks
    allowPrivateNetworks: true
    scheme: standard-webhooks
    sharedSecret: ${standardSecret}
    endpoints: [{ url: '${target.receiver.url}' }]
`,
    });
    const served = await running(folder);
    expect(await send(served.url, 0, 9)).toBe(200);
    await target.receiver.atLeast(9);
    await served.stop('SIGKILL');
    await running(folder);
    await target.accepted(9);
    expectSignedAnew(target, 9);
  });
});
