import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { inProcess } from '../helpers/in-process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { afterEachTest } from '../helpers/after-each.js';

const receivers: Receiver[] = [];
afterEachTest(async () => {
  await Promise.all(receivers.splice(0).map((one) => one.close()));
});

async function receiver(status = 200): Promise<Receiver> {
  const started = await startReceiver(() => ({ status }));
  receivers.push(started);
  return started;
}

const typesAt = ({ json }: Receiver): string[] => json().map(({ type }) => type);

/** A folder with a profile `p` whose webhooks have these endpoints, as YAML in one line. */
function folderOf(endpoints: string, files: Record<string, string> = {}) {
  const config = `profiles:\n  p:\n    webhooks:\n      endpoints: ${endpoints}\n`;
  const cwd = folderWith({ 'c.yaml': config, ...files });
  const run = (...args: string[]) =>
    inProcess([...args, '--config', join(cwd, 'c.yaml'), '-p', 'p'], { cwd });
  return { cwd, run };
}

const order = ['track', '--event', 'Order Completed', '--user-id', 'u1', '-P', 'total:=120'];

const types = ['track', 'identify', 'page'] as const;

/** Lines of these types in turn; each is as long as asked for. */
function history(count: number, bytes = 0): string {
  const line = (i: number): string => {
    const type = types[i % 3]!;
    const name = type === 'track' ? { event: 'Order Completed' } : {};
    const pad = { context: { pad: 'x'.repeat(bytes) } };
    return `${JSON.stringify({ type, userId: `u${i}`, messageId: `m${i}`, ...name, ...pad })}\n`;
  };
  return Array.from({ length: count }, (_, i) => line(i)).join('');
}

describe('send to a profile whose endpoints have filters', () => {
  it('sends an event to those that want it, and says why the others do not get it', async () => {
    const [one, other] = [await receiver(), await receiver()];
    const { run } = folderOf(
      `[{ url: ${one.url}, events: ['Order *'], where: ['properties.total>=100'] }, { url: ${other.url}, types: [identify] }]`,
    );
    const { code, stderr } = await run('send', ...order);
    expect([code, stderr]).toEqual([0, `not sent to ${other.url}: its types are identify\n`]);
    expect([typesAt(one), typesAt(other)]).toEqual([['track'], []]);
  });

  it('exits 1 with one line where none wants it', async () => {
    const { url } = await receiver();
    const { run } = folderOf(`[{ url: ${url}, types: [identify] }]`);
    const { code, stdout, stderr } = await run('send', ...order);
    const message = 'no endpoint wants it: its types are identify';
    expect([code, stdout, stderr]).toEqual([1, '', `evfwd: not sent: ${message}\n`]);
    const json = await run('send', ...order, '--json');
    expect([json.code, JSON.parse(json.stdout)]).toEqual([
      1,
      expect.objectContaining({ delivered: false, code: 'not_wanted', message, attempts: [] }),
    ]);
    expect(receivers[0]!.requests).toEqual([]);
  });

  it('shows in a dry run the requests to those that want it, and why not to the others', async () => {
    const { run } = folderOf(
      `[{ url: 'http://127.0.0.1:9/a', types: [track] }, { url: 'http://127.0.0.1:9/b?k=hush', events: ['Cart'] }]`,
    );
    const shown = await run('send', ...order, '--dry-run');
    expect(shown.stdout.match(/^POST .*/gm)).toEqual(['POST http://127.0.0.1:9/a']);
    expect(shown.stderr).toBe('not sent to http://127.0.0.1:9/b: its events are Cart\n');
    const json = await run('send', ...order, '--dry-run', '--json');
    expect(JSON.parse(json.stdout.trim().split('\n')[1]!)).toEqual({
      ...{ type: 'skipped', url: 'http://127.0.0.1:9/b' },
      ...{ code: 'not_wanted', message: 'its events are Cart' },
    });
    const none = await run('send', 'page', '--user-id', 'u', '--dry-run');
    expect([none.code, none.stdout]).toEqual([1, '']);
  });

  it('retries the statuses of an endpoint: exit 5', async () => {
    const { url } = await receiver(403);
    const { run } = folderOf(`[{ url: ${url}, retryStatus: [403] }]`);
    expect((await run('send', ...order)).code).toBe(5);
  });

  it('takes the time of an endpoint, and --timeout before it', async () => {
    const silent = await startReceiver(() => undefined);
    receivers.push(silent);
    const { run } = folderOf(`[{ url: ${silent.url}, timeout: 100ms }]`);
    expect((await run('send', ...order)).stdout).toContain('timed out after 100 ms');
    const { stdout } = await run('send', ...order, '--timeout', '50ms');
    expect(stdout).toContain('timed out after 50 ms');
  });

  it('refuses an empty list with its line', async () => {
    const { run } = folderOf(`[{ url: 'http://127.0.0.1:9/', types: [] }]`);
    const { code, stderr } = await run('send', ...order);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^evfwd: .*c\.yaml:4: profiles\.p\.webhooks\.endpoints\[0\]\.types must not be empty.*\n$/,
      ),
    ]);
  });

  it('holds for bodies that are sent as they are', async () => {
    const [one, other] = [await receiver(), await receiver()];
    const { run } = folderOf(
      `[{ url: ${one.url}, where: ['action=opened'] }, { url: ${other.url}, types: [page] }]`,
      { 'push.json': '{"action":"closed"}', 'page.json': '{"type":"page","action":"opened"}' },
    );
    expect((await run('send', '--raw', 'push.json')).code).toBe(0);
    expect([one.requests.length, other.requests.length]).toEqual([0, 1]);
    const { stdout, stderr } = await run('send', '--raw', 'push.json', '--dry-run');
    expect(stdout.match(/^POST .*/gm)).toEqual([`POST ${other.url}`]);
    expect(stderr).toBe(`not sent to ${one.url}: its condition action=opened does not hold\n`);
  });
});

describe('import to a profile whose endpoints have filters', () => {
  it.each([
    ['one thread', 60, 0, [] as string[]],
    ['threads', 1_200, 8_000, ['--threads', '2']],
  ])(
    'sends each URL what it wants in %s, and counts what none wants',
    async (_what, count, bytes, flags) => {
      const [one, other] = [await receiver(), await receiver()];
      const { run } = folderOf(
        `[{ url: ${one.url}, types: [track], concurrency: 4 }, { url: ${other.url}, types: [identify] }]`,
        { 'h.ndjson': history(count, bytes) },
      );
      const { code, stdout } = await run('import', 'h.ndjson', '--all-urls', '--json', ...flags);
      const share = count / 3;
      expect([code, JSON.parse(stdout.trim().split('\n').at(-1)!)]).toMatchObject([
        0,
        {
          ...{ read: count, delivered: 2 * share, skipped: share, failed: 0 },
          skippedBy: { filter: 0, integrations: 0, endpoints: share, earlier: 0 },
          urls: [
            { delivered: share, failed: 0 },
            { delivered: share, failed: 0 },
          ],
        },
      ]);
      expect([new Set(typesAt(one)), new Set(typesAt(other))]).toEqual([
        new Set(['track']),
        new Set(['identify']),
      ]);
      expect([one.requests.length, other.requests.length]).toEqual([share, share]);
    },
  );

  it('says so in the summary, and in the plan before', async () => {
    const [one, other] = [await receiver(), await receiver()];
    const { run } = folderOf(
      `[{ url: ${one.url}, types: [track] }, { url: ${other.url}, types: [track, identify] }]`,
      { 'h.ndjson': history(6) },
    );
    const plan = await run('import', 'h.ndjson', '--plan');
    expect(plan.stdout).toContain('unwanted   2 (no endpoint wants them)\n');
    expect(plan.stdout).toContain(`  ${one.url}  2 events\n  ${other.url}  4 events\n`);
    const json = JSON.parse((await run('import', 'h.ndjson', '--plan', '--json')).stdout);
    expect(json).toMatchObject({ unwanted: 2, endpoints: [{ events: 2 }, { events: 4 }] });
    const { stdout } = await run('import', 'h.ndjson');
    expect(stdout).toContain('skipped    2  (2 wanted by no endpoint)\n');
  });

  it('is another import with other filters, and the same one with another rate', async () => {
    const { url } = await receiver();
    const { cwd, run } = folderOf(`[{ url: ${url}, types: [track] }]`, { 'h.ndjson': history(6) });
    const again = (endpoint: string) => {
      const config = `profiles:\n  p:\n    webhooks:\n      endpoints: [{ url: ${url}, ${endpoint} }]\n`;
      const path = join(folderWith({ 'd.yaml': config }), 'd.yaml');
      return inProcess(['import', 'h.ndjson', '--config', path, '-p', 'p'], { cwd });
    };
    await run('import', 'h.ndjson');
    expect((await again('types: [track], rate: 900/s')).stdout).toMatch(/delivered +0\n/);
    expect((await again('types: [identify]')).stdout).toMatch(/delivered +2\n/);
    expect(typesAt(receivers[0]!)).toEqual(['track', 'track', 'identify', 'identify']);
  });
});
