import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../../helpers/cli.js';
import { folderWith } from '../../helpers/folder.js';
import { startReceiver } from '../../helpers/receiver.js';

const lines = (events: number): string =>
  Array.from(
    { length: events },
    (_, n) => `{"type":"track","event":"E","userId":"u","messageId":"m${n}"}\n`,
  ).join('');

async function planned(status: (body: string) => number, events: number, ...flags: string[]) {
  const receiver = await startReceiver(({ body }) => ({ status: status(body.toString()) }));
  const cwd = folderWith({ 'a.ndjson': lines(events) });
  const target = ['import', 'a.ndjson', '--url', receiver.url];
  const plan = await cli([...target, '--plan', '--json', ...flags], { cwd });
  const sent = receiver.requests.length;
  const after = await cli([...target, '--json'], { cwd });
  await receiver.close();
  const ids = receiver.requests.map(
    ({ body }) => (JSON.parse(body.toString()) as { messageId: string }).messageId,
  );
  return { cwd, plan, after, sent, ids };
}

describe('import --plan --probe', () => {
  it('sends the first events, says how long all take, and leaves them out of the import', async () => {
    const { plan, sent, ids, after, cwd } = await planned(
      () => 200,
      1_000,
      ...['--probe', '50', '--log', 'log'],
    );
    const found = JSON.parse(plan.stdout) as {
      seconds: number;
      probe: { eventsPerSecond: number };
    };
    expect([plan.code, sent]).toEqual([0, 50]);
    expect(found).toMatchObject({
      ...{ earlier: 0, types: { track: 1_000 } },
      probe: { sent: 50, delivered: 50, failed: 0, pending: 0 },
    });
    expect(found.seconds).toBeCloseTo(950 / found.probe.eventsPerSecond, 6);
    expect(readFileSync(join(cwd, 'log'), 'utf8').split('\n')).toHaveLength(51);
    expect(after.code).toBe(0);
    expect(ids).toHaveLength(1_000);
    expect(new Set(ids).size).toBe(1_000);
  });

  it('exits 3 where events fail, which the import then does not send again', async () => {
    const { plan, after, ids } = await planned(
      (body) => (body.includes('"m1"') ? 400 : 200),
      10,
      '--probe',
      '5',
    );
    expect(plan.code).toBe(3);
    expect(JSON.parse(plan.stdout)).toMatchObject({ probe: { sent: 5, delivered: 4, failed: 1 } });
    expect(ids).toHaveLength(10);
    expect(after.code).toBe(3);
  });

  it('prefers the rate that was asked for', async () => {
    const { plan } = await planned(() => 200, 1_000, '--probe', '10', '--rate', '99/s');
    expect(JSON.parse(plan.stdout)).toMatchObject({ seconds: 10 });
  });

  it('refuses a pipe, which can be read only once', async () => {
    const { code, stderr } = await cli(
      ['import', '-', '--url', 'http://127.0.0.1:9/', '--plan', '--probe', '5'],
      { stdin: lines(3) },
    );
    expect([code, stderr]).toMatchObject([2, expect.stringContaining('pass files')]);
  });
});
