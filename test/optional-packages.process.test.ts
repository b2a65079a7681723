import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installPacked, root } from './helpers/installed-package.js';
import { hasStore } from './helpers/has-store.js';
import { spawnSync } from './helpers/run-sync.js';

const folder = mkdtempSync(join(tmpdir(), 'evfwd-optional-'));
const plain = join(folder, 'plain');
const events = join(folder, 'events.ndjson');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  peerDependencies: Record<string, string>;
  peerDependenciesMeta: Record<string, unknown>;
};

beforeAll(() => {
  mkdirSync(plain);
  installPacked(plain);
  const line = (index: number): string =>
    `{"type":"track","userId":"u","event":"E","messageId":"m${index}"}\n`;
  writeFileSync(events, Array.from({ length: 20 }, (_, index) => line(index)).join(''));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = (place: string): string => join(place, 'node_modules/evfwd/bin/evfwd.js');
const { PATH = '', HOME = '' } = process.env;

function evfwd(place: string, ...args: string[]) {
  const options = { cwd: place, env: { PATH, HOME }, encoding: 'utf8' } as const;
  return spawnSync(process.execPath, [program(place), ...args], options);
}

describe('a package without pg and pg-boss', () => {
  const store = ['--store', 'postgres://127.0.0.1:1/db'];

  it('does not have them installed by itself', () => {
    const isOptional = { optional: true };
    expect(manifest.peerDependenciesMeta).toEqual({ pg: isOptional, 'pg-boss': isOptional });
  });

  it.each([
    ['import', [events, '--url', 'http://localhost:1/']],
    ['worker', []],
    ['runs', []],
  ])('says in one line what %s --store needs', (command, args) => {
    const { status, stdout, stderr } = evfwd(plain, command, ...args, ...store);
    const needs = hasStore(process.versions.node)
      ? /^evfwd: .*npm install pg pg-boss.*\n$/
      : /^evfwd: .*needs Node\.js 22\.12 or newer.*\n$/;
    expect(stderr).toMatch(needs);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  });

  it.each(['import', 'worker', 'runs'])('has the help of %s', (command) => {
    const { status, stdout, stderr } = evfwd(plain, command, '--help');
    expect(stdout).toContain('--store');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});
