import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { cli, ended, start, type CliResult } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { startReceiver, type Answer, type Receiver } from '../helpers/receiver.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function receiving(answer: () => Answer | undefined = () => ({})): Promise<Receiver> {
  const receiver = await startReceiver(answer);
  cleanups.push(() => receiver.close());
  return receiver;
}

const ids = (receiver: Receiver): string[] =>
  receiver.json().map(({ messageId }: { messageId: string }) => messageId);

/** A configuration with a destination at this URL, and a variable for its write key. */
function configuration(url: string, more = ''): string {
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

interface Running {
  readonly child: ChildProcessWithoutNullStreams;
  readonly url: string;
  /** Resolves with the first line of the log, from now on, that has this in it. */
  readonly logs: (text: string) => Promise<string>;
  readonly stop: (signal: NodeJS.Signals) => Promise<CliResult>;
}

/** Starts `serve --json` in a folder with a configuration file; its port is a free one. */
async function running(folder: string, args: readonly string[] = []): Promise<Running> {
  const child = start(['serve', '--port', '0', '--json', ...args], {
    cwd: folder,
    env: { WEB_KEY: 'hush-key' },
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

function folderFor(receiver: Receiver): string {
  return folderWith({ 'evfwd.config.yaml': configuration(receiver.url) });
}

async function send(url: string, from: number, count = 1): Promise<number> {
  const batch = Array.from({ length: count }, (_, i) => ({
    ...{ type: 'track', userId: 'u1', event: 'E', messageId: `m${from + i}` },
  }));
  const body = JSON.stringify({ batch, writeKey: 'hush-key' });
  const answer = await fetch(`${url}/v1/batch`, { method: 'POST', body });
  await answer.text();
  return answer.status;
}

describe('serve', () => {
  it('says when it is ready, forwards, and ends in order at SIGTERM', async () => {
    const receiver = await receiving();
    const served = await running(folderFor(receiver), ['--verbose']);
    expect(await send(served.url, 0, 50)).toBe(200);
    await receiver.atLeast(50);
    const { code, stdout, stderr } = await served.stop('SIGTERM');
    expect(code).toBe(0);
    expect(stderr).toBe('');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.slice(1).every(({ type }) => type === 'log')).toBe(true);
    expect(lines.some((line) => 'messageId' in line)).toBe(true);
    expect(stdout).not.toContain('hush');
    expect(new Set(ids(receiver)).size).toBe(50);
  });

  it('waits for what is in flight, and keeps the rest for the next start', async () => {
    const slow = await receiving(() => undefined);
    const folder = folderFor(slow);
    const first = await running(folder);
    expect(await send(first.url, 0, 3)).toBe(200);
    await slow.atLeast(3);
    expect((await first.stop('SIGINT')).code).toBe(0);
    const alive = await receiving();
    writeFileSync(join(folder, 'evfwd.config.yaml'), configuration(alive.url));
    await running(folder);
    await alive.atLeast(3);
    expect(ids(alive).sort()).toEqual(['m0', 'm1', 'm2']);
  });

  it('ends at once at a second signal', async () => {
    const hanging = await receiving(() => undefined);
    const served = await running(folderFor(hanging));
    await send(served.url, 0);
    await hanging.atLeast(1);
    const stopping = served.logs('stopping');
    served.child.kill('SIGTERM');
    await stopping;
    expect((await served.stop('SIGINT')).code).toBe(130);
  });

  it('delivers every event that was answered 200, however often it is killed', async () => {
    const receiver = await receiving();
    const folder = folderFor(receiver);
    const answered: string[] = [];
    let next = 0;
    for (let round = 0; round < 6; round++) {
      const served = await running(folder);
      const end = once(served.child, 'close');
      const clients = Array.from({ length: 4 }, async () => {
        for (;;) {
          const from = (next += 20);
          const status = await send(served.url, from, 20).catch(() => undefined);
          if (status !== 200) return;
          for (let i = 0; i < 20; i++) answered.push(`m${from + i}`);
          if (answered.length >= 400 * (round + 1)) served.child.kill('SIGKILL');
        }
      });
      await Promise.all([...clients, end]);
    }
    const served = await running(folder);
    expect(answered.length).toBeGreaterThanOrEqual(2400);
    const missing = (): string[] => {
      const got = new Set(ids(receiver));
      return answered.filter((id) => !got.has(id));
    };
    for (let count = receiver.requests.length; missing().length > 0; count++) {
      await receiver.atLeast(count + 1);
    }
    expect((await served.stop('SIGTERM')).code).toBe(0);
  });

  it('reads its configuration again when the file changes, and at SIGHUP', async () => {
    const [one, two] = [await receiving(), await receiving()];
    const folder = folderFor(one);
    const file = join(folder, 'evfwd.config.yaml');
    const served = await running(folder);
    const reloaded = served.logs('configuration reloaded');
    writeFileSync(file, configuration(two.url));
    await reloaded;
    await send(served.url, 0);
    await two.atLeast(1);
    const refused = served.logs('configuration not reloaded');
    writeFileSync(file, configuration(two.url, 'sauces: {}\n'));
    expect(await refused).toMatch(/evfwd\.config\.yaml:9: sauces .*sources/);
    await send(served.url, 1);
    await two.atLeast(2);
    const again = served.logs('configuration reloaded');
    writeFileSync(file, configuration(one.url));
    served.child.kill('SIGHUP');
    await again;
    await send(served.url, 2);
    await one.atLeast(1);
    expect([ids(one), ids(two)]).toEqual([['m2'], ['m0', 'm1']]);
  });

  it('lets no second process at the same state', async () => {
    const folder = folderFor(await receiving());
    const { child } = await running(folder);
    const env = { WEB_KEY: 'k' };
    const second = await cli(['serve', '--port', '0'], { cwd: folder, env });
    expect(second.code).toBe(2);
    expect(second.stderr).toContain(`process ${child.pid}`);
  });

  it('needs a token for its operations page where others can reach it', async () => {
    const folder = folderFor(await receiving());
    const env = { WEB_KEY: 'k' };
    const open = await cli(['serve', '--host', '0.0.0.0', '--port', '0'], { cwd: folder, env });
    expect(open.code).toBe(2);
    expect(open.stderr).toMatch(/^evfwd: --host 0\.0\.0\.0: .*--admin-token-file\n$/);
    writeFileSync(join(folder, 'token.txt'), 'hush-token\n');
    const args = ['--host', '0.0.0.0', '--admin-token-file', 'token.txt'];
    const served = await running(folder, args);
    const overview = `${served.url}/_evfwd/api/overview`;
    expect((await fetch(overview)).status).toBe(401);
    const headers = { authorization: 'Bearer hush-token' };
    expect((await fetch(overview, { headers })).status).toBe(200);
  });

  it('names the line of a mistake, and ends with 2', async () => {
    const text = configuration('http://127.0.0.1:9/').replace('[crm]', '[cmr]');
    const folder = folderWith({ 'evfwd.config.yaml': text });
    const { code, stderr } = await cli(['serve'], { cwd: folder, env: { WEB_KEY: 'k' } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^evfwd: .*evfwd\.config\.yaml:2: .*nearest one is "crm"\n$/);
  });

  it('ends with 6 when its state cannot be written', async () => {
    const folder = folderFor(await receiving());
    writeFileSync(join(folder, 'taken'), '');
    const args = ['serve', '--port', '0', '--state-dir', 'taken/state'];
    const { code, stderr } = await cli(args, { cwd: folder, env: { WEB_KEY: 'k' } });
    expect(code).toBe(6);
    expect(stderr).toMatch(/^evfwd: .*taken.*--state-dir\n$/);
  });

  it('answers 503 when its state is gone, and ends with 6', async () => {
    const folder = folderFor(await receiving());
    const served = await running(folder);
    const end = once(served.child, 'exit');
    rmSync(join(folder, '.evfwd'), { recursive: true });
    expect(await send(served.url, 0)).toBe(503);
    expect((await fetch(`${served.url}/_evfwd/health`)).status).toBe(503);
    expect(await end).toEqual([6, null]);
  });
});
