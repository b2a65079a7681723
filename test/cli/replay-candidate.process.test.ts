import { once } from 'node:events';
import { expect, it } from 'vitest';
import { cli, ended, start } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { plantedDifferences, startNoisyHandler } from '../helpers/noisy-handler.js';
import { captureFile } from '../replay/captures.js';

interface Line {
  readonly type: string;
  readonly path: string;
  readonly kind: string;
  readonly at: string;
  readonly count: number;
}

const requestsPerGroup = 40;

it('finds each difference of a handler with noise, and nothing else', async () => {
  const [baseline, candidate] = await Promise.all([startNoisyHandler(1), startNoisyHandler(2)]);
  const groups = Array.from({ length: plantedDifferences.length + 1 }, (_, i) => i);
  const numbers = Array.from({ length: requestsPerGroup }, (_, i) => 1000 + i);
  // Group 0 has no difference.
  const captures = numbers.flatMap((n) => groups.map((group) => ({ path: `/g${group}/${n}` })));
  const cwd = folderWith({ got: captureFile(...captures) });
  const args = ['replay', 'got', '--url', baseline, '--candidate', candidate, '--json'];
  const { code, stdout, stderr } = await cli(args, { cwd });
  expect(code, stderr).toBe(1);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const found = lines.slice(0, -1);
  expect(found.map(({ path, kind, at }) => `${path} ${kind} ${at}`).sort()).toEqual(
    [...plantedDifferences].sort(),
  );
  // Where the length of an array is random, a changed element can look like an added one.
  const isAlways = ({ path }: Line): boolean => path !== '/g13/{id}';
  for (const { count, path } of found.filter(isAlways)) {
    expect([path, count]).toEqual([path, requestsPerGroup]);
  }
  const most = captures.length - requestsPerGroup;
  const { requests, same, different, failed } = lines.at(-1) as unknown as Record<string, number>;
  expect([requests, failed]).toEqual([captures.length, 0]);
  expect(different).toBeLessThanOrEqual(most);
  expect(different).toBeGreaterThan(most - requestsPerGroup);
  expect(same).toBe(captures.length - different!);
});

it('reports what was compared when it is interrupted', async () => {
  const [baseline, candidate] = await Promise.all([startNoisyHandler(1), startNoisyHandler(2)]);
  const captures = Array.from({ length: 5_000 }, (_, n) => ({ path: `/g1/${n}` }));
  const cwd = folderWith({ got: captureFile(...captures) });
  const args = ['replay', 'got', '--url', baseline, '--candidate', candidate, '--rate', '100/s'];
  const child = start(args, { cwd });
  child.stdin.end();
  const all = ended(child);
  await once(child.stderr, 'data');
  // The rate has let some through by then.
  await fetch(`${candidate}/g1/1`);
  child.kill('SIGINT');
  const { code, stdout } = await all;
  expect(code).toBe(130);
  expect(stdout).toMatch(/^interrupted: not all requests were compared$/m);
  expect(stdout).toMatch(/^requests +\d/m);
});
