import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { PostgresServer } from '../helpers/postgres.js';
import { findPostgres } from '../helpers/find-postgres.js';

const files = 100_000;
const perFolder = 1_000;

/** The peak that the system counts for a process begins with that of its parent; this one does not. */
const peak = `
  const { readFileSync, writeFileSync } = require('node:fs');
  if (require('node:worker_threads').isMainThread) process.on('exit', () =>
    writeFileSync('peak', /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]));
`;

/** So many files of one event each, and their absolute paths in `list`. */
function manyFiles(): string {
  const cwd = folderWith({ 'peak.cjs': peak });
  const paths = Array.from({ length: files }, (_, n) =>
    join(cwd, `part-${Math.floor(n / perFolder)}`, `event-${String(n).padStart(6, '0')}.ndjson`),
  );
  for (const [n, path] of paths.entries()) {
    if (n % perFolder === 0) mkdirSync(join(path, '..'));
    writeFileSync(path, `{"type":"track","userId":"u","event":"E","messageId":"m${n}"}\n`);
  }
  writeFileSync(join(cwd, 'list'), paths.join('\n'));
  return cwd;
}

describe.runIf(process.platform === 'linux' && findPostgres() !== undefined)('a planner', () => {
  it(
    'stays below 200 MB with 100,000 files, also beside other runs of them',
    { timeout: 400_000 },
    async () => {
      const server = await PostgresServer.start();
      const cwd = manyFiles();
      const peaks: number[] = [];
      for (const port of [9, 10, 11, 9]) {
        const { code, stderr } = await cli(
          ['import', '--files-from', 'list', '--url', `http://127.0.0.1:${port}/hook`, '--detach'],
          { cwd, env: { EVFWD_STORE: server.url, NODE_OPTIONS: '--require ./peak.cjs' } },
        );
        expect(code, stderr).toBe(0);
        expect(stderr).toContain(peaks.length < 3 ? '100,000 parts' : 'joined run');
        peaks.push(Number(readFileSync(join(cwd, 'peak'), 'utf8')) / 1000);
      }
      expect(Math.max(...peaks)).toBeLessThan(200);
    },
  );
});
