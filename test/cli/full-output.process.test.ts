import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { program } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';

const attempt = JSON.stringify({
  ...{ type: 'attempt', at: '2026-01-01T00:00:00.000Z', messageId: 'm', url: 'http://h/' },
  ...{ attempt: 1, status: 200, error: null, verdict: 'delivered', durationMs: 1 },
});
const config = `
sources: { web: { writeKey: k, destinations: [crm] } }
destinations: { crm: { type: Webhooks, endpoints: [{ url: 'http://localhost:1/' }] } }
`;
const files = { bad: '{}\n', log: `${attempt}\n`, 'evfwd.config.yaml': config };
const refused = ['--url', 'http://127.0.0.1:1/', '--retry-window', '0s'];

const full = /^evfwd: standard output cannot be written: no space left on device \(ENOSPC\); .*\n$/;
const fullJson = /\{"error":\{"code":"output_not_written","message":".*ENOSPC.*"\}\}\n/;

it.runIf(process.platform === 'linux').each([
  [['--help'], full],
  [['--version'], full],
  [['help', 'send'], full],
  [['fixtures'], full],
  [['fixtures', 'history'], full],
  [['completion', 'fish'], full],
  [['validate', 'bad'], full],
  [['validate', 'bad', '--json'], fullJson],
  [['report', 'log'], full],
  [['sign', 'bad', '--secret-file', 'log'], full],
  [['verify-sig', 'bad', '--signature', 'x', '--secret-file', 'log'], full],
  [['send', '--fixture', 'track', ...refused], full],
  [['send', '--fixture', 'track', '--dry-run', ...refused], full],
  [['import', 'bad', '--json', ...refused], fullJson],
  [['listen', '--port', '0', '--json'], fullJson],
  [['serve', '--port', '0', '--json'], fullJson],
])('%j says in one line that standard output is full, and exits 6', async (args, expected) => {
  const { code, stderr } = await run(args, { stdout: '/dev/full' });
  expect(stderr).toMatch(expected);
  expect(stderr).not.toContain('at ');
  expect(code).toBe(6);
});

it.runIf(process.platform === 'linux').each([
  [['send'], 2],
  [['validate', 'bad'], 1],
  [['report', 'log', '-v'], 0],
])('%j exits as ever if standard error is full', async (args, expected) => {
  const { code } = await run(args, { stderr: '/dev/full' });
  expect(code).toBe(expected);
});

async function run(
  args: readonly string[],
  { stdout, stderr }: { stdout?: string; stderr?: string },
) {
  const file = (path: string | undefined) =>
    path === undefined ? ('pipe' as const) : openSync(path, 'w');
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folderWith(files),
    env: { PATH, HOME },
    stdio: ['ignore', file(stdout), file(stderr)],
  });
  child.stdout?.resume();
  const [errors, [code]] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ]);
  return { code: code as number, stderr: errors };
}
