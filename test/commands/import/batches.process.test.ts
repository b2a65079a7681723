import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import {
  deadLines,
  events,
  runImport,
  startImport,
  summaryOf,
  Witness,
} from '../../helpers/process.js';
import { startReceiver, type Receiver } from '../../helpers/receiver.js';
import { seededRandom } from '../../helpers/seed.js';

const opened: Receiver[] = [];
afterEach(() => Promise.all(opened.splice(0).map((receiver) => receiver.close())));

async function scene(
  count: number,
  statusOf?: Parameters<Witness['responding']>[0],
  batch = '{ size: 100, maxBytes: 500KB, wait: 200ms }',
) {
  const witness = new Witness();
  const receiver = await startReceiver(witness.responding(statusOf));
  opened.push(receiver);
  const cwd = folderWith({
    'evfwd.config.yaml': `profiles:
  shop:
    webhooks:
      sharedSecret: s1
      batch: ${batch}
      endpoints: [{ url: ${receiver.url} }]
`,
    'history.ndjson': events(count),
  });
  return { witness, receiver, cwd };
}

const sizesOf = ({ requests }: Receiver): number[] =>
  requests.map(({ body }) => (JSON.parse(body.toString()) as unknown[]).length);

describe('an import into webhooks with batches', () => {
  it.each([['1'], ['3']])(
    'posts arrays that are signed as a whole, with --threads %s',
    async (threads) => {
      const { witness, receiver, cwd } = await scene(2_500);
      const args = ['history.ndjson', '--profile', 'shop', '--threads', threads];
      const result = await runImport(args, cwd);
      expect([result.code, summaryOf(result).delivered]).toEqual([0, 2_500]);
      expect(witness.accepted.size).toBe(2_500);
      expect(new Set(witness.accepted.values())).toEqual(new Set([1]));
      expect(Math.max(...sizesOf(receiver))).toBe(100);
      for (const { headers, body } of receiver.requests)
        expect(headers['x-signature']).toBe(createHmac('sha1', 's1').update(body).digest('hex'));
    },
  );

  it('has a dead letter for each event, also after halves of a batch were too large', async () => {
    const bad = [7, 250, 251];
    const { witness, receiver, cwd } = await scene(500, (numbers) =>
      numbers.length > 30 || numbers.some((n) => bad.includes(n)) ? 413 : 200,
    );
    const result = await runImport(['history.ndjson', '--profile', 'shop'], cwd);
    const summary = summaryOf(result);
    expect([result.code, summary.delivered, summary.failed]).toEqual([3, 497, 3]);
    expect(deadLines(summary, cwd)).toEqual(bad.map((n) => n + 1));
    const letters = readFileSync(join(cwd, summary.deadLetter!), 'utf8').trim().split('\n');
    for (const letter of letters.map((text) => JSON.parse(text) as object))
      expect(letter).toMatchObject({
        code: 'status_413',
        event: { messageId: expect.stringMatching(/^m(7|250|251)$/) as string },
      });
    expect(new Set(witness.accepted.values())).toEqual(new Set([1]));
    expect(Math.max(...sizesOf(receiver))).toBe(100);
  });

  it('loses no event over kills, and repeats no more than what was in flight', async () => {
    const random = seededRandom();
    const kills = 4;
    const { witness, receiver, cwd } = await scene(20_000, (_numbers, index) =>
      index % 60 === 3 ? 503 : 200,
    );
    const args = ['history.ndjson', '--profile', 'shop', '--concurrency', '4'];
    for (let kill = 0; kill < kills; kill++) {
      const { child, ended } = startImport(args, cwd);
      child.stdin.end();
      await Promise.race([
        receiver.atLeast(receiver.requests.length + 5 + Math.floor(30 * random())),
        ended,
      ]);
      child.kill('SIGKILL');
      await ended;
    }
    const result = await runImport(args, cwd);
    const { delivered, earlier } = summaryOf(result);
    expect([result.code, delivered + earlier.delivered]).toEqual([0, 20_000]);
    expect(witness.accepted.size).toBe(20_000);
  }, 120_000);

  it('is refused together with an order, by the line of the profile', async () => {
    const { cwd } = await scene(1);
    const args = ['import', 'history.ndjson', '--profile', 'shop', '--ordered'];
    const { code, stderr } = await inProcess(args, { cwd });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^evfwd: --ordered .*evfwd\.config\.yaml:2: profiles\.shop take batches/,
      ),
    ]);
  });

  it.each([
    ['{ size: 0 }', 'batch.size must be 1 or more'],
    ['{ size: 10001 }', 'batch.size must be at most 10000 events'],
    ['{ maxBytes: 500 }', 'batch.maxBytes must be a size, in quotes; use a unit, e.g. 500KB'],
    [
      '{ maxBytes: 5TB }',
      'batch.maxBytes must be a size; use a unit, e.g. 512B, 500KB, 2MB or 10GB',
    ],
    ['{ maxBytes: 500kb }', 'batch.maxBytes must be a size; write 500KB: units are B, KB'],
    ['{ maxBytes: 17MB }', 'batch.maxBytes must be at most 16MB'],
    ['{ wait: 2h }', 'batch.wait must be at most 1h'],
    ['{ wait: soon }', 'batch.wait must be a duration; use a unit'],
    ['{ count: 5 }', 'batch.count is not a known key'],
  ])('says what is wrong with a batch of %s', async (batch, message) => {
    const { cwd } = await scene(1, undefined, batch);
    const { code, stderr } = await inProcess(['import', 'history.ndjson', '-p', 'shop'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(`evfwd.config.yaml:5: profiles.shop.webhooks.${message}`);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('send to webhooks with batches', () => {
  it('posts an array of one event, at once', async () => {
    const { receiver, cwd } = await scene(1, undefined, '{ wait: 1h }');
    const args = ['send', 'track', '--user-id', 'u', '--event', 'E', '-p', 'shop'];
    const sent = await inProcess([...args, '-P', 'n=1'], { cwd });
    expect(sent.stderr).toBe('');
    expect([sent.code, sizesOf(receiver)]).toEqual([0, [1]]);
    const shown = await inProcess([...args, '--message-id', 'm1', '--dry-run'], { cwd });
    expect(shown.stdout.trim().split('\n').at(-1)).toMatch(/^\[\{"version":1,.*\}\]$/);
  });
});
