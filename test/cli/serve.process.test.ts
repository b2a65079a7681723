import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, ended, start } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { configuration, folderFor, ids, receiving, running, send } from './serve-process.js';

/** A program that gets a signal as soon as it has written its ready line. */
const signalAtReadyLine = `
const { stdout } = process;
const write = stdout.write;
stdout.write = (text, ...rest) => {
  const isWritten = write.call(stdout, text, ...rest);
  if (String(text).includes('"ready"')) process.kill(process.pid, 'SIGTERM');
  return isWritten;
};`;

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
    expect(stdout).toContain('stopped; nothing is left to deliver');
    expect(stdout).not.toContain('hush');
    expect(new Set(ids(receiver)).size).toBe(50);
  });

  it('ends in order at a SIGTERM right after its ready line', async () => {
    const folder = folderFor(await receiving());
    writeFileSync(join(folder, 'signal.cjs'), signalAtReadyLine);
    const child = start(['serve', '--port', '0', '--json'], {
      cwd: folder,
      env: { WEB_KEY: 'hush-key', NODE_OPTIONS: '--require ./signal.cjs' },
    });
    const { code, stdout } = await ended(child);
    expect(stdout).toContain('stopped; nothing is left to deliver');
    expect(code).toBe(0);
  });

  it('waits for what is in flight, and keeps the rest for the next start', async () => {
    const slow = await receiving(() => undefined);
    const folder = folderFor(slow);
    const first = await running(folder);
    expect(await send(first.url, 0, 3)).toBe(200);
    await slow.atLeast(3);
    expect(await first.stop('SIGINT')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('stopped; 3 deliveries left for the next start') as string,
    });
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
    writeFileSync(join(folder, 'token.txt'), 'hush-token-of-operations\n');
    const args = ['--host', '0.0.0.0', '--admin-token-file', 'token.txt'];
    const served = await running(folder, args);
    const overview = `${served.url}/_evfwd/api/overview`;
    expect((await fetch(overview)).status).toBe(401);
    const headers = { authorization: 'Bearer hush-token-of-operations' };
    expect((await fetch(overview, { headers })).status).toBe(200);
  });

  it('refuses an admin token that can be guessed, without printing it', async () => {
    const folder = folderFor(await receiving());
    writeFileSync(join(folder, 'token.txt'), 'fifteen-letters\n');
    const args = ['serve', '--port', '0', '--admin-token-file', 'token.txt'];
    const { code, stderr } = await cli(args, { cwd: folder, env: { WEB_KEY: 'k' } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^evfwd: --admin-token-file token\.txt: .*at least 16 characters.*\n$/);
    expect(stderr).not.toContain('fifteen-letters');
  });

  it('warns at the start and at a reload of a destination at a private address', async () => {
    const text = configuration('http://127.0.0.1:9/').replace('allowPrivateNetworks: true', '');
    const folder = folderWith({ 'evfwd.config.yaml': text });
    const served = await running(folder);
    const warned = served.logs('destinations.crm.allowPrivateNetworks');
    served.child.kill('SIGHUP');
    expect(await warned).not.toContain('hush');
    const { stdout } = await served.stop('SIGTERM');
    const lines = stdout.split('\n').filter((line) => line.includes('private address'));
    expect(lines).toHaveLength(2);
  });

  it('names the line of a mistake, and ends with 2', async () => {
    const text = configuration('http://127.0.0.1:9/').replace('[crm]', '[cmr]');
    const folder = folderWith({ 'evfwd.config.yaml': text });
    const { code, stderr } = await cli(['serve'], { cwd: folder, env: { WEB_KEY: 'k' } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^evfwd: .*evfwd\.config\.yaml:2: .*did you mean "crm"\?\n$/);
  });

  it('ends with 6 when its state cannot be written', async () => {
    const folder = folderFor(await receiving());
    writeFileSync(join(folder, 'taken'), '');
    const args = ['serve', '--port', '0', '--state-dir', 'taken/state'];
    const { code, stderr } = await cli(args, { cwd: folder, env: { WEB_KEY: 'k' } });
    expect(code).toBe(6);
    expect(stderr).toMatch(
      /^evfwd: .*taken.*--state-dir, or use a store \(--store, EVFWD_STORE\)\n$/,
    );
  });

  it('responds with 503 when its state is gone, and exits 6', async () => {
    const folder = folderFor(await receiving());
    const served = await running(folder);
    const end = once(served.child, 'exit');
    rmSync(join(folder, '.evfwd'), { recursive: true });
    expect(await send(served.url, 0)).toBe(503);
    expect((await fetch(`${served.url}/_evfwd/health`)).status).toBe(503);
    expect(await end).toEqual([6, null]);
  });
});
