import { afterEach, describe, expect, it } from 'vitest';
import { start } from '../helpers/cli.js';
import { folderWith } from '../helpers/folder.js';
import { events, runImport, startImport, summaryOf, addsUp, Witness } from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { seededRandom } from '../helpers/seed.js';

let receiver: Receiver;
afterEach(() => receiver.close());

const count = 2_500;
/** Batches are large: of fewer events, nothing would be left after a few of them. */
const collected = 15_000;

async function prepared(
  size = count,
  statusOf?: (numbers: readonly number[], index: number) => number | undefined,
) {
  const witness = new Witness();
  receiver = await startReceiver(witness.responding(statusOf));
  const cwd = folderWith({ 'e.ndjson': events(size) });
  return { witness, cwd };
}

const toWebhook = (): string[] => ['e.ndjson', '--url', receiver.url];
const toCollector = (): string[] => [
  'e.ndjson',
  '--endpoint',
  receiver.url,
  '--write-key',
  'k',
  '--concurrency',
  '2',
];

describe('evfwd import, interrupted', () => {
  it.each([
    ['a webhook', toWebhook, count, 600],
    ['a webhook, in order', () => [...toWebhook(), '--ordered'], count, 600],
    ['a collector', toCollector, collected, 3],
  ])(
    'loses and doubles nothing at %s, by Ctrl-C or SIGTERM',
    async (_where, argsOf, size, most) => {
      const random = seededRandom();
      const later = new Set([100, 900]);
      const { witness, cwd } = await prepared(size, ([n]) => (later.delete(n!) ? 503 : 200));
      for (const [signal, code] of [
        ['SIGINT', 130],
        ['SIGTERM', 143],
        ['SIGINT', 130],
      ] as const) {
        const run = startImport(argsOf(), cwd);
        await receiver.atLeast(receiver.requests.length + 1 + random() * most);
        const stopped = await run.stop(signal);
        expect(stopped.code).toBe(code);
        expect(stopped.stderr).toContain('run the same command again to resume');
        expect(addsUp(summaryOf(stopped))).toBe(true);
      }
      const last = await runImport(argsOf(), cwd);
      expect(last.code).toBe(0);
      expect(last.stderr).toContain('resuming after line');
      expect(summaryOf(last)).toMatchObject({ read: size, failed: 0, pending: 0, resumed: true });
      expect(witness.missing(size)).toEqual([]);
      expect(witness.doubled).toBe(0);
    },
  );

  it('does not say that an import has ended which was interrupted', async () => {
    const { cwd } = await prepared();
    const run = startImport([...toWebhook(), '--rate', '50/s'], cwd);
    await receiver.atLeast(5);
    expect(summaryOf(await run.stop('SIGINT')).read).toBeLessThan(count);
    expect((await runImport(toWebhook(), cwd)).stderr).not.toContain('already completed');
  });

  it('quits at once at the second signal, and loses nothing', async () => {
    let hangs = true;
    const { witness, cwd } = await prepared(count, ([n]) => (hangs && n === 70 ? undefined : 200));
    const run = startImport(toWebhook(), cwd);
    await receiver.atLeast(500);
    run.child.kill('SIGINT');
    await new Promise<void>((resolve) =>
      run.child.stderr.on('data', (text: Buffer) => {
        if (text.includes('press Ctrl-C again')) resolve();
      }),
    );
    const stopped = await run.stop('SIGINT');
    expect(stopped.code).toBe(130);
    expect(stopped.stdout).not.toContain('summary');
    hangs = false;
    expect(summaryOf(await runImport(toWebhook(), cwd))).toMatchObject({ read: count, pending: 0 });
    expect(witness.missing(count)).toEqual([]);
  });

  it('leaves no trace at SIGHUP, and resumes in the next run', async () => {
    const { witness, cwd } = await prepared();
    const run = startImport(toWebhook(), cwd);
    await receiver.atLeast(500);
    const { stderr } = await run.stop('SIGHUP');
    expect(stderr).not.toMatch(/\bat .*\.js|Error/);
    expect(summaryOf(await runImport(toWebhook(), cwd))).toMatchObject({ read: count, pending: 0 });
    expect(witness.missing(count)).toEqual([]);
  });

  it('continues to its end when nobody reads its output', async () => {
    const { witness, cwd } = await prepared();
    const child = start(['import', ...toWebhook(), '--json'], { cwd });
    child.stdout.destroy();
    child.stderr.destroy();
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(0);
    expect(witness.missing(count)).toEqual([]);
    expect(witness.doubled).toBe(0);
  });
});
