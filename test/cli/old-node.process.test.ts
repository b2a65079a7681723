import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { program } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { spawnSync } from '../helpers/run-sync.js';

const manifest = JSON.parse(readFileSync(join(program, '../../package.json'), 'utf8')) as {
  engines: { node: string };
};
const needed = manifest.engines.node.replace('>=', '');

it.each(['18.20.8', '20.18.0', '14.21.3'])(
  'Node %s is told in one line which version is needed',
  (version) => {
    const { status, stdout, stderr } = runAs(version, ['--version']);
    expect(stderr).toBe(`evfwd: Node.js ${version} is too old; use Node.js ${needed} or later\n`);
    expect([status, stdout]).toEqual([2, '']);
  },
);

it('tells it as JSON with --json', () => {
  const { status, stderr } = runAs('18.20.8', ['report', 'x', '--json']);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'old_node' } });
  expect(status).toBe(2);
});

it.each([needed, '22.0.0', '25.1.0'])('Node %s is new enough', (version) => {
  expect(runAs(version, ['--version']).status).toBe(0);
});

it('says in one line that a clone is not built yet', () => {
  const cwd = folderWith({ 'evfwd.cjs': readFileSync(program) });
  const { status, stderr } = spawnSync(process.execPath, [join(cwd, 'evfwd.cjs'), 'send'], {
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    2,
    'evfwd: the program is not built; run npm ci in its folder\n',
  ]);
});

it('can be parsed by a Node of any age', () => {
  const code = readFileSync(program, 'utf8').replaceAll(/^(#|\/\/).*$/gm, '');
  expect(code).not.toMatch(/\b(const|let|class|async|import)\b|=>|`|\?\.|\?\?|\.\.\./);
});

function runAs(version: string, args: readonly string[]) {
  const change = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  const cwd = folderWith({ 'version.cjs': change });
  const preload = ['--require', join(cwd, 'version.cjs')];
  return spawnSync(process.execPath, [...preload, program, ...args], { encoding: 'utf8' });
}
