import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startEndpoint as startServer } from '../../check/helpers/endpoint.js';
import { cli, ended, start } from '../../helpers/cli.js';
import { folderWith } from '../../helpers/folder.js';

interface Line {
  readonly type: string;
  readonly id: string;
  readonly verdict: 'pass' | 'warn' | 'fail' | 'na' | 'info';
  readonly message: string;
}

const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

it('at Ctrl-C reports what was judged, writes its files and exits 130', async () => {
  const folder = folderWith();
  const junit = join(folder, 'check.xml');
  let reached: () => void;
  const half = new Promise<void>((resolve) => (reached = resolve));
  const { url, arrived } = await startServer(() => {
    if (arrived.length === 60) reached();
    return 204;
  });
  const child = start(['check', url, '--secret', 'topsecret', '--json', '--junit', junit]);
  await half;
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended(child);
  expect(code).toBe(130);
  expect(stderr).toContain('interrupted');
  const lines = linesOf(stdout);
  const { type, ...counts } = lines.at(-1) as unknown as Record<string, number | string>;
  expect(type).toBe('summary');
  const judged = lines.slice(0, -1);
  for (const verdict of ['pass', 'warn', 'fail', 'na', 'info'] as const)
    expect(counts[verdict]).toBe(judged.filter((line) => line.verdict === verdict).length);
  expect(judged.map(({ id }) => id)).toContain('accept.track');
  expect(judged.map(({ id }) => id)).not.toContain('load.parallel');
  expect(existsSync(junit)).toBe(true);
  expect(readFileSync(junit, 'utf8')).toContain('accept.track');
});

it('shows what was judged of an endpoint that goes away, and the rest as not judged', async () => {
  const { url, arrived, server } = await startServer(() => {
    if (arrived.length === 60) {
      server.close();
      server.closeAllConnections();
    }
    return 204;
  });
  const { code, stdout } = await cli(['check', url, '--json']);
  expect(code).toBe(2);
  const lines = linesOf(stdout).slice(0, -1);
  expect(lines.filter(({ verdict }) => verdict === 'fail')).toEqual([]);
  expect(lines.find(({ id }) => id === 'accept.track')!.verdict).toBe('pass');
  const load = lines.find(({ id }) => id === 'load.parallel')!;
  expect(load.verdict).toBe('na');
  expect(load.message).toContain('stopped responding');
});
