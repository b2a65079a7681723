import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { event, events, runImport, startImport, summaryOf, Witness } from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';

let receiver: Receiver;
let witness: Witness;
let refuses: (n: number) => boolean;

beforeEach(async () => {
  witness = new Witness();
  refuses = () => false;
  receiver = await startReceiver(witness.responding(([n]) => (refuses(n!) ? 400 : 200)));
});
afterEach(() => receiver.close());

const importing = (cwd: string, ...more: string[]) =>
  inProcess(['import', 'e', '--url', receiver.url, ...more, '--json'], { cwd });

describe('evfwd import, run again', () => {
  it('sends nothing after its end, says so and exits as it ended', async () => {
    refuses = (n) => n === 4;
    const cwd = folderWith({ e: events(10) });
    const first = await importing(cwd);
    const deadLetters = readFileSync(join(cwd, summaryOf(first).deadLetter!), 'utf8');
    const again = await importing(cwd);
    expect([first.code, again.code]).toEqual([3, 3]);
    expect(again.stderr).toContain('already completed (9 delivered, 1 failed)');
    expect(summaryOf(again)).toMatchObject({
      ...{ read: 10, delivered: 0, skipped: 10, failed: 0 },
      earlier: { delivered: 9, rejected: 0, failed: 1 },
    });
    expect(receiver.requests).toHaveLength(10);
    expect(readFileSync(join(cwd, summaryOf(again).deadLetter!), 'utf8')).toBe(deadLetters);
  });

  it.each([
    ['starts over with --fresh', ['--fresh']],
    ['takes other options for another import', ['--ids', 'derive']],
    ['takes another state folder for another import', ['--state-dir', 'other']],
  ])('%s', async (_title, more) => {
    const cwd = folderWith({ e: events(5) });
    await importing(cwd);
    expect(summaryOf(await importing(cwd, ...more))).toMatchObject({
      delivered: 5,
      resumed: false,
    });
    expect(receiver.requests).toHaveLength(10);
  });

  it('forgets the dead letters of the import that --fresh starts over', async () => {
    refuses = (n) => n === 1;
    const cwd = folderWith({ e: events(3) });
    await importing(cwd);
    const { deadLetter } = summaryOf(await importing(cwd, '--fresh'));
    expect(readFileSync(join(cwd, deadLetter!), 'utf8').trim().split('\n')).toHaveLength(1);
  });

  it('sends the new lines of a file that has grown', async () => {
    const cwd = folderWith({ e: events(5) });
    await importing(cwd);
    appendFileSync(join(cwd, 'e'), events(4, 5));
    expect(summaryOf(await importing(cwd))).toMatchObject({ read: 9, delivered: 4, skipped: 5 });
    expect(witness.missing(9)).toEqual([]);
    expect(witness.doubled).toBe(0);
  });

  it('sends the new lines of a gzip file that got one more member', async () => {
    const cwd = folderWith({ e: gzipSync(events(5)) });
    await importing(cwd);
    appendFileSync(join(cwd, 'e'), gzipSync(events(4, 5)));
    expect(gunzipSync(readFileSync(join(cwd, 'e'))).toString()).toBe(events(9));
    expect(summaryOf(await importing(cwd))).toMatchObject({ read: 9, delivered: 4 });
    expect(witness.doubled).toBe(0);
  });

  it('sends a last line without a newline once', async () => {
    const cwd = folderWith({ e: events(3).trimEnd() });
    await importing(cwd);
    appendFileSync(join(cwd, 'e'), `\n${event(3)}\r\n`);
    expect(summaryOf(await importing(cwd))).toMatchObject({ read: 4, delivered: 1 });
    expect(witness.doubled).toBe(0);
  });

  it('sends a last line again that was truncated and is complete now', async () => {
    const [last] = [event(3)];
    const cwd = folderWith({ e: events(3) + last.slice(0, 30) });
    expect((await importing(cwd)).code).toBe(3);
    appendFileSync(join(cwd, 'e'), `${last.slice(30)}\n${event(4)}\n`);
    await importing(cwd);
    expect(witness.missing(5)).toEqual([]);
    expect(witness.doubled).toBe(0);
  });

  it.each(['plain', 'gzip'])('resumes in the second of two files (%s)', async (form) => {
    const pack = (text: string) => (form === 'gzip' ? gzipSync(text) : text);
    const cwd = folderWith({ a: pack(events(300)), b: pack(events(700, 300)) });
    const args = ['a', 'b', '--url', receiver.url, '--concurrency', '4'];
    for (const at of [200, 200, 300]) {
      const run = startImport(args, cwd);
      await receiver.atLeast(receiver.requests.length + at);
      await run.stop('SIGINT');
    }
    expect(summaryOf(await runImport(args, cwd))).toMatchObject({ read: 1_000, pending: 0 });
    expect(witness.missing(1_000)).toEqual([]);
    expect(witness.doubled).toBe(0);
  });

  it('keeps the ids of --ids new over all runs', async () => {
    const cwd = folderWith({ e: events(400) });
    const args = ['e', '--url', receiver.url, '--ids', 'new'];
    for (let kill = 0; kill < 2; kill++) {
      const run = startImport(args, cwd);
      await receiver.atLeast(receiver.requests.length + 60);
      await run.stop('SIGKILL');
    }
    await runImport(args, cwd);
    const ids = [...witness.ids.values()];
    expect(ids.every((set) => set.size === 1)).toBe(true);
    expect(new Set(ids.flatMap((set) => [...set])).size).toBe(400);
    await runImport([...args, '--fresh'], cwd);
    expect([...witness.ids.values()].every((set) => set.size === 2)).toBe(true);
  });

  it('goes on behind the events of a run with --limit, with the same limit or without it', async () => {
    const cwd = folderWith({ e: events(400) });
    const args = ['e', '--url', receiver.url];
    const limited = [...args, '--limit', '100'];
    const first = await runImport(limited, cwd);
    expect(summaryOf(first)).toMatchObject({ delivered: 100, pending: 0 });
    expect(first.stderr).toContain(
      '--limit 100 is reached; the same command sends the events after it',
    );
    expect(summaryOf(await runImport(limited, cwd))).toMatchObject({ delivered: 100 });
    expect(witness.missing(200)).toEqual([]);
    const last = await runImport(args, cwd);
    expect([summaryOf(last).delivered, last.stderr]).toEqual([
      200,
      expect.stringContaining('resuming after line 200 of e (49%)'),
    ]);
    expect(last.stderr).not.toContain('--limit');
    expect((await runImport(args, cwd)).stderr).toContain('already completed (400 delivered');
    expect(witness.doubled).toBe(0);
  });

  it('says no share of a gzip file, whose lines are counted in the inflated text', async () => {
    const cwd = folderWith({ 'e.gz': gzipSync(events(400)) });
    const args = ['e.gz', '--url', receiver.url];
    await runImport([...args, '--limit', '100'], cwd);
    const last = await runImport(args, cwd);
    expect(last.stderr).toMatch(/^resuming after line 100 of e\.gz$/m);
    expect(witness.doubled).toBe(0);
  });

  it('says once that standard input cannot be gone on with', async () => {
    const cwd = folderWith();
    const result = await cli(['import', '-', '--url', receiver.url], { cwd, stdin: events(3) });
    expect(result.stderr.match(/cannot be resumed/g)).toHaveLength(1);
    expect(result.stderr).toContain('importing standard input to');
    expect(witness.missing(3)).toEqual([]);
    expect(readdirSync(cwd)).toEqual([]);
  });
});
