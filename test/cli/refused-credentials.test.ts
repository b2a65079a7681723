import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess as cli } from '../helpers/in-process.js';
import type { Receiver } from '../helpers/receiver.js';
import { startApi, startTokenServer } from '../helpers/token-server.js';

const count = 300;
const numbers = Array.from({ length: count }, (_, n) => n);
const lines = (line: (n: number) => object): string =>
  numbers.map((n) => `${JSON.stringify(line(n))}\n`).join('');

const files = {
  'h.ndjson': lines((n) => ({ type: 'track', event: 'E', userId: 'u', messageId: `m${n}` })),
  'got.ndjson': lines((n) => ({
    ...{ type: 'request', method: 'POST', path: '/hook', headers: {} },
    body: `{"messageId":"m${n}"}`,
  })),
  'list.ndjson': lines((n) => ({ userId: `u${n}` })),
};

const commands: Readonly<Record<string, readonly string[]>> = {
  import: ['import', 'h.ndjson'],
  'import with no retry window': ['import', 'h.ndjson', '--retry-window', '0s'],
  'import --ordered': ['import', 'h.ndjson', '--ordered'],
  replay: ['replay', 'got.ndjson'],
  audience: ['audience', 'sync', '--name', 'A', '--members', 'list.ndjson'],
};

const idOf = (body: string): unknown => {
  const { messageId, userId } = JSON.parse(body) as { messageId?: string; userId?: string };
  return userId === 'u' || userId === undefined ? messageId : userId;
};

it.each(Object.entries(commands))(
  'credentials that are refused in the middle end %s with 3, and all that is left can be resumed',
  async (_, args) => {
    let isRefused = true;
    const tokens = await startTokenServer((call) =>
      call > 1 && isRefused
        ? { status: 401, body: { error: 'invalid_client' } }
        : { body: { access_token: isRefused ? 'first' : 'last' } },
    );
    const accepted: unknown[] = [];
    const api: Receiver = await startApi((token) => {
      const isAccepted = token === 'last' || accepted.length < 50;
      if (isAccepted) accepted.push(idOf(api.requests.at(-1)!.body.toString()));
      return isAccepted;
    });
    const cwd = folderWith(files);
    const configure = (secret: string): void => {
      const auth = `{ oauth2: { tokenUrl: "${tokens.url}", clientId: app, clientSecret: ${secret} } }`;
      const profile = `profiles:\n  p:\n    webhooks:\n      endpoints:\n        - url: ${api.url}\n          auth: ${auth}\n`;
      writeFileSync(join(cwd, 'evfwd.config.yaml'), profile);
    };
    configure('hunter2');
    const typed = [...args, '--config', join(cwd, 'evfwd.config.yaml'), '--profile', 'p', '--json'];
    const run = () =>
      cli(
        [...typed, '--state-dir', join(cwd, 'state')].map((word) =>
          word.endsWith('.ndjson') ? join(cwd, word) : word,
        ),
      );
    const stopped = await run();
    expect(stopped.code, stopped.stderr).toBe(3);
    const reason = `profiles.p: auth.oauth2 of ${api.url}: the token endpoint ${tokens.url} refuses clientId or clientSecret (invalid_client); check them`;
    const said = stopped.stderr.split('\n').filter((line) => line.includes('invalid_client'));
    expect(said).toEqual([
      expect.stringMatching(/^stopping: /) as unknown,
      expect.stringMatching(/^stopped: .*; the rest is pending$/) as unknown,
    ]);
    for (const line of said) expect(line).toContain(reason);
    const summary = JSON.parse(stopped.stdout.trim().split('\n').at(-1)!) as object;
    expect(summary).toMatchObject({ delivered: 50, failed: 0, deadLetter: null });
    expect(summary).toHaveProperty('stopped', expect.stringContaining(reason));
    expect(stopped.stdout + stopped.stderr).not.toContain('hunter2');

    isRefused = false;
    configure('corrected');
    const resumed = await run();
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(accepted).toHaveLength(count);
    expect(new Set(accepted).size).toBe(count);
    await api.close();
  },
);
