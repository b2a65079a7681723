import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { receiving, running } from './serve-process.js';

const yaml = (url: string): string => `sources:
  hooks: { type: raw, scheme: auto, destinations: [app] }
destinations:
  app: { allowPrivateNetworks: true, endpoints: [{ url: '${url}' }] }
`;

const origin = (url: string): string => new URL(url).origin;

describe('a raw source', () => {
  it('loses nothing that was answered, when the process is killed right after it', async () => {
    const hanging = await receiving(() => undefined);
    const folder = folderWith({ 'evfwd.config.yaml': yaml(origin(hanging.url)) });
    const answered: string[] = [];
    for (let round = 0; round < 3; round++) {
      const served = await running(folder);
      let isKilled = false;
      const sending = Array.from({ length: 64 }, async (_, n) => {
        const body = `${round}-${n}`;
        const headers = { 'webhook-id': `id-${body}`, 'content-type': 'text/plain' };
        const sent = fetch(`${served.url}/in/hooks?n=${n}`, { method: 'POST', body, headers });
        const status = await sent.then((response) => response.status).catch(() => 0);
        if (status !== 200) return;
        answered.push(body);
        if (!isKilled && answered.length >= (round + 1) * 20) {
          isKilled = true;
          served.child.kill('SIGKILL');
        }
      });
      await Promise.all(sending);
      await served.stop('SIGKILL');
    }
    expect(answered.length).toBeGreaterThanOrEqual(60);
    const app = await receiving();
    writeFileSync(join(folder, 'evfwd.config.yaml'), yaml(origin(app.url)));
    const last = await running(folder);
    // Those of which the answer was lost may be there, too.
    const received = (): string[] => app.requests.map(({ body }) => body.toString());
    const isMissing = (body: string): boolean => !received().includes(body);
    while (answered.some(isMissing)) await app.atLeast(app.requests.length + 1);
    await last.stop('SIGTERM');
    expect(new Set(received()).size).toBe(received().length);
  });

  it('has dead letters that replay sends, unchanged', async () => {
    const refusing = await receiving(() => ({ status: 410 }));
    const folder = folderWith({ 'evfwd.config.yaml': yaml(origin(refusing.url)) });
    const served = await running(folder);
    const body = Buffer.from([0, 0xff, 0x0a, 0x7b]);
    await fetch(`${served.url}/in/hooks?a=%2F`, {
      method: 'PUT',
      headers: { 'x-kept': 'yes' },
      body,
    });
    const line = async (): Promise<string> =>
      (await fetch(`${served.url}/_evfwd/api/dead-letters.ndjson`)).text();
    let lines = await line();
    while (lines === '') lines = await line();
    writeFileSync(join(folder, 'dead.ndjson'), lines);
    const app = await receiving();
    const { code, stdout } = await cli(['replay', 'dead.ndjson', '--url', origin(app.url)], {
      cwd: folder,
    });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/delivered +1\n/)]);
    expect(app.requests[0]).toMatchObject({
      method: 'PUT',
      path: '/in/hooks?a=%2F',
      headers: { 'x-kept': 'yes' },
    });
    expect(app.requests[0]!.body).toEqual(body);
    expect(readFileSync(join(folder, 'dead.ndjson'), 'utf8')).toContain('"bodyBase64":"AP8Kew=="');
  });
});
