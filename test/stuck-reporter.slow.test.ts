import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { folderWith } from './helpers/folder.js';
import { spawnSync } from './helpers/run-sync.js';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A file may have no result for 15 seconds. */
const config = `export default {
  test: {
    globals: true,
    maxWorkers: 2,
    reporters: ['default', ['${join(root, 'test/helpers/stuck-reporter.ts')}', { limitMinutes: 0.25 }]],
  },
};`;

const slowTests = `for (const number of [1, 2, 3, 4, 5]) {
  it('waits ' + number, () => new Promise((resolve) => setTimeout(resolve, 4_000)));
}`;

describe('the reporter of stuck runs', () => {
  it('lets a run go on in which each file has results in time, or has ended', () => {
    const { status, stdout } = run({
      'long.test.js': slowTests,
      'short.test.js': "it('ends', () => {});",
    });
    expect(stdout).toMatch(/Tests +6 passed/);
    expect(status).toBe(0);
  });

  it.each([
    ['is busy in a test', "it('is busy', () => { for (;;); });"],
    ['is busy while it is imported', 'for (;;);'],
    [
      'waits for a process',
      "it('waits', () => process.getBuiltinModule('child_process').execSync('sleep 99'));",
    ],
  ])('kills a run whose file %s, and names the file', (_, stuck) => {
    const { signal, stdout } = run({ 'stuck.test.js': stuck, 'long.test.js': slowTests });
    expect(stdout).toMatch(/^stuck\.test\.js has had no result for 0\.25 minutes/m);
    expect(stdout).not.toContain('long.test.js has had no result');
    expect(signal).toBe('SIGKILL');
  });
});

function run(files: Record<string, string>) {
  const folder = folderWith({ ...files, 'vitest.config.mjs': config });
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  return spawnSync(process.execPath, [vitest, 'run', '--root', folder], {
    encoding: 'utf8',
    env: { ...process.env, VITEST: undefined, NO_COLOR: '1' },
  });
}
