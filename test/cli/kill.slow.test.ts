import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startFaulty } from '../helpers/faulty-import.js';
import { folderWith } from '../helpers/folder.js';
import {
  addsUp,
  deadLines,
  events,
  isBad,
  mixedLines,
  runImport,
  startImport,
  summaryOf,
  Witness,
} from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { seededRandom } from '../helpers/seed.js';

const inFlight = 64;
const commitGroup = 500;

let receiver: Receiver;
afterEach(() => receiver.close());

const isRefused = (n: number): boolean => n % 401 === 5;

const mixed = (count: number): string => `${mixedLines(count).join('\n')}\n`;

const deadOf = (count: number, isDead: (n: number) => boolean): number[] =>
  Array.from({ length: count }, (_, n) => n)
    .filter(isDead)
    .map((n) => n + 1);

/** The lines of a dead-letter file but for the piece that a crash has left. */
function wholeLines(path: string): { file: string; line: number }[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines
    .filter((line) => !line.endsWith('dead-let'))
    .map((line) => JSON.parse(line) as { file: string; line: number });
}

describe('evfwd import, killed', () => {
  it('loses nothing and doubles little at a webhook, whenever it is killed', async () => {
    const random = seededRandom();
    const count = 6_000;
    const kills = 12;
    const witness = new Witness();
    const later = new Set([1_000, 3_500, 3_501]);
    receiver = await startReceiver(
      witness.responding(([n]) => (isRefused(n!) ? 400 : later.delete(n!) ? 503 : 200)),
    );
    const cwd = folderWith({ 'e.ndjson': mixed(count) });
    const args = ['e.ndjson', '--url', receiver.url];
    let doubled = 0;
    for (let kill = 0; kill < kills; kill++) {
      const run = startImport(args, cwd);
      await receiver.atLeast(receiver.requests.length + 1 + random() * 450);
      const { stderr } = await run.stop('SIGKILL');
      expect(stderr).not.toMatch(/unexpected|Error/);
      expect(witness.doubled - doubled).toBeLessThanOrEqual(inFlight + commitGroup);
      doubled = witness.doubled;
    }
    const last = await runImport(args, cwd);
    const summary = summaryOf(last);
    expect(last.code).toBe(3);
    expect(summary).toMatchObject({ read: count, pending: 0, resumed: true });
    expect(addsUp(summary)).toBe(true);
    const isDead = (n: number): boolean => isBad(n) || isRefused(n);
    expect(witness.missing(count).filter((n) => !isDead(n))).toEqual([]);
    expect(deadLines(summary, cwd)).toEqual(deadOf(count, isDead));
    expect([...witness.ids.values()].every(({ size }) => size === 1)).toBe(true);
    expect([...witness.bodies.values()].every(({ size }) => size === 1)).toBe(true);
  });

  it('loses nothing at a collector, whenever it is killed', async () => {
    const random = seededRandom();
    const count = 40_000;
    const witness = new Witness();
    receiver = await startReceiver(
      witness.responding((_numbers, index) => (index === 3 ? 503 : index === 9 ? 400 : 200)),
    );
    const cwd = folderWith({ 'e.ndjson': mixed(count) });
    const args = ['e.ndjson', '--endpoint', receiver.url, '--write-key', 'k'];
    for (let kill = 0; kill < 6; kill++) {
      const run = startImport(args, cwd);
      await receiver.atLeast(receiver.requests.length + 1 + random() * 10);
      await run.stop('SIGKILL');
    }
    const summary = summaryOf(await runImport(args, cwd));
    expect(summary).toMatchObject({ read: count, pending: 0, resumed: true });
    expect(addsUp(summary)).toBe(true);
    const dead = deadLines(summary, cwd);
    const isDead = new Set(dead);
    expect(isDead.size).toBe(dead.length);
    expect(witness.missing(count).filter((n) => !isDead.has(n + 1))).toEqual([]);
    expect([...witness.ids.values()].every(({ size }) => size === 1)).toBe(true);
  });

  it('sends an event without a timestamp again under the same messageId', async () => {
    const witness = new Witness();
    receiver = await startReceiver(witness.responding(() => undefined));
    const text = '{"type":"track","userId":"u","event":"E","properties":{"n":0}}\n';
    const cwd = folderWith({ 'e.ndjson': text });
    for (let kill = 0; kill < 2; kill++) {
      const run = startImport(['e.ndjson', '--url', receiver.url], cwd);
      await receiver.atLeast(kill + 1);
      await run.stop('SIGKILL');
    }
    expect(witness.ids.get(0)?.size).toBe(1);
  });

  it('keeps lines that were open in mind when it is killed before it comes to them again', async () => {
    const count = 1_500;
    const witness = new Witness();
    let hangs = true;
    receiver = await startReceiver(
      witness.responding(([n]) => (hangs && n! % 50 === 0 ? undefined : 200)),
    );
    const cwd = folderWith({ 'e.ndjson': events(count) });
    const args = ['e.ndjson', '--url', receiver.url];
    const first = startImport(args, cwd);
    await receiver.atLeast(1_000);
    await first.stop('SIGKILL');
    hangs = false;
    const second = startImport([...args, '--rate', '100/s'], cwd);
    await receiver.atLeast(receiver.requests.length + 4);
    await second.stop('SIGTERM');
    const third = startImport([...args, '--rate', '100/s'], cwd);
    await receiver.atLeast(receiver.requests.length + 4);
    await third.stop('SIGKILL');
    const summary = summaryOf(await runImport(args, cwd));
    expect(summary).toMatchObject({ read: count, pending: 0, failed: 0 });
    expect(witness.missing(count)).toEqual([]);
  });

  it.each([
    ['committed', 1],
    ['committed', 2],
    ['dead-letters-written', 1],
  ] as const)(
    'keeps the dead letters of two imports in one file, one of which died: %s, time %i',
    async (step, time) => {
      const witness = new Witness();
      receiver = await startReceiver(witness.responding(([n]) => (isRefused(n!) ? 400 : 200)));
      const cwd = folderWith({ e: mixed(1_200), f: 'oops\nno\n' });
      const deadLetter = 'dead.ndjson';
      const faulty = startFaulty(['e'], receiver.url, { step, time }, cwd, { deadLetter });
      expect(await faulty.ended).toMatchObject({ signal: 'SIGKILL' });
      // As a crash in the middle of a write would leave it.
      if (step === 'committed') appendFileSync(join(cwd, deadLetter), '{"type":"dead-let');
      const other = ['--url', receiver.url, '--dead-letter', deadLetter];
      expect((await runImport(['f', ...other], cwd)).code).toBe(3);
      const summary = summaryOf(await runImport(['e', ...other], cwd));
      expect(summary).toMatchObject({ read: 1_200, pending: 0 });
      const isDead = (n: number): boolean => isBad(n) || isRefused(n);
      const deadLetters = wholeLines(join(cwd, deadLetter));
      const linesOf = (name: string) =>
        deadLetters.filter(({ file }) => file === name).map(({ line }) => line);
      expect(linesOf('e').sort((a, b) => a - b)).toEqual(deadOf(1_200, isDead));
      expect(linesOf('f')).toEqual([1, 2]);
    },
  );

  it.each([
    ['before', 1],
    ['before', 3],
    ['committed', 1],
    ['committed', 2],
    ['dead-letters-written', 1],
    ['dead-letters-written', 2],
  ] as const)('loses nothing when it dies at a commit: %s, time %i', async (step, time) => {
    const count = 1_200;
    const witness = new Witness();
    receiver = await startReceiver(witness.responding(([n]) => (isRefused(n!) ? 400 : 200)));
    const cwd = folderWith({ 'e.ndjson': mixed(count) });
    const faulty = startFaulty(['e.ndjson'], receiver.url, { step, time }, cwd);
    expect(await faulty.ended).toMatchObject({ signal: 'SIGKILL' });
    const summary = summaryOf(await runImport(['e.ndjson', '--url', receiver.url], cwd));
    const isDead = (n: number): boolean => isBad(n) || isRefused(n);
    expect(summary).toMatchObject({ read: count, pending: 0 });
    expect(addsUp(summary)).toBe(true);
    expect(witness.missing(count).filter((n) => !isDead(n))).toEqual([]);
    expect(deadLines(summary, cwd)).toEqual(deadOf(count, isDead));
    expect(witness.doubled).toBeLessThanOrEqual(inFlight + commitGroup);
  });
});
