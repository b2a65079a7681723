import { existsSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DistinctCounter, RepeatCounter } from '../../../src/commands/import/distinct.js';
import { folderWith } from '../../helpers/folder.js';
import { inProcess } from '../../helpers/in-process.js';
import { startReceiver } from '../../helpers/receiver.js';

const time = (day: number): string => `2026-01-0${day}T00:00:00.000Z`;

function event(id: number, more = ''): string {
  return `{"type":"track","event":"E","userId":"u${id % 2}","messageId":"m${id}","timestamp":"${time(id)}"${more}}\n`;
}

async function planning(files: Record<string, string | Buffer>, ...flags: string[]) {
  const receiver = await startReceiver();
  const cwd = folderWith(files);
  const names = Object.keys(files).filter((name) => name !== 'map.yaml');
  const result = await inProcess(
    ['import', ...names, '--url', receiver.url, '--plan', '--json', ...flags],
    { cwd },
  );
  expect(receiver.requests).toEqual([]);
  expect(existsSync(join(cwd, '.evfwd'))).toBe(false);
  await receiver.close();
  return { ...result, plan: JSON.parse(result.stdout) as Record<string, unknown> };
}

describe('import --plan', () => {
  it('says what would happen, sends nothing and leaves nothing behind', async () => {
    const page = event(3).replace('"track","event":"E"', '"page"');
    const { code, plan } = await planning({ 'a.ndjson': event(1) + event(2, ',"n":1.50') + page });
    expect(code).toBe(0);
    expect(plan).toMatchObject({
      ...{ type: 'plan', types: { track: 2, page: 1 }, rejected: 0, reasons: [] },
      ...{ first: time(1), last: time(3), users: 2, earlier: 0, seconds: null, warnings: [] },
      bytes: (event(1) + event(2, ',"n":1.50') + page).length - 3,
    });
    expect(plan.example).toContain('{"version":1,"type":"track","userId":"u1","messageId":"m1"');
  });

  it('counts what would be rejected, by its reason, and exits 3', async () => {
    const { code, plan } = await planning({ 'a.ndjson': `${event(1)}{}\nx\n{}\n` });
    expect(code).toBe(3);
    expect(plan).toMatchObject({
      rejected: 3,
      reasons: [
        { code: 'missing_type', count: 2 },
        { code: 'not_json', count: 1 },
      ],
    });
  });

  it('counts what is left after selection, map and steps', async () => {
    const csv = 'kind,who,when\nE,u1,2026-01-01T00:00:00Z\nF,u2,2026-01-02T00:00:00Z\n';
    const map = 'type: { const: track }\nevent: kind\nuserId: who\ntimestamp: when\n';
    const flags = ['--map', 'map.yaml', '--where', 'event=F', '--set', 'userId=x'];
    const { plan } = await planning({ 'a.csv': csv, 'map.yaml': map }, ...flags);
    expect(plan).toMatchObject({ types: { track: 1 }, users: 1, first: time(2) });
    expect(plan.example).toContain('"userId":"x"');
  });

  it.each([
    { flags: ['--rate', '2/s'], seconds: 1.5 },
    { flags: ['--speed', '10x'], seconds: (2 * 86_400) / 10 },
    { flags: ['--speed', 'max'], seconds: null },
  ])('says how long it takes: $flags', async ({ flags, seconds }) => {
    const { plan } = await planning({ 'a.ndjson': event(1) + event(2) + event(3) }, ...flags);
    expect(plan.seconds).toBe(seconds);
  });

  it('warns of what may surprise', async () => {
    const future = event(4).replace('2026', '2999');
    const lines = event(1) + event(1) + event(2).replace('"messageId":"m2",', '') + future;
    const { plan } = await planning({ 'a.ndjson': lines }, '--warn-older-than', '1d');
    expect(plan.warnings).toMatchObject([
      { code: 'future', count: 1 },
      { code: 'old', count: 3 },
      { code: 'no_message_id', count: 1 },
      { code: 'repeated_message_id', count: 1 },
    ]);
  });

  it('warns of a path of the map that no record has', async () => {
    const map = 'type: { const: track }\nevent: kind\nuserId: whom\nanonymousId: { const: a }\n';
    const files = { 'a.ndjson': '{"kind":"E","who":"u"}\n', 'map.yaml': map };
    const { plan } = await planning(files, '--map', 'map.yaml');
    expect(plan.warnings).toMatchObject([
      { code: 'no_message_id' },
      { code: 'unused_path', message: expect.stringContaining('no record has whom') as string },
    ]);
  });

  it('plans what can be read of a truncated file, and exits 3', async () => {
    const whole = gzipSync(Array.from({ length: 9 }, (_, i) => event(i + 1)).join(''));
    const { code, plan } = await planning({ 'a.gz': whole.subarray(0, -4) });
    expect(code).toBe(3);
    expect(plan).toMatchObject({ types: { track: 9 }, warnings: [{ code: 'broken_input' }] });
  });

  it('knows what an earlier run has delivered', async () => {
    const receiver = await startReceiver();
    const cwd = folderWith({ 'a.ndjson': event(1) + event(2) });
    const args = ['import', 'a.ndjson', '--url', receiver.url, '--json'];
    await inProcess(args, { cwd });
    const { stdout } = await inProcess([...args, '--plan'], { cwd });
    expect(JSON.parse(stdout)).toMatchObject({ earlier: 2, types: { track: 2 } });
    expect(receiver.requests).toHaveLength(2);
    await receiver.close();
  });
});

describe('a counter', () => {
  it.each([0, 1, 5_000, 300_000])('counts %i different texts within 0.2 %%', (texts) => {
    const counter = new DistinctCounter();
    for (let i = 0; i < texts; i++) for (let twice = 0; twice < 2; twice++) counter.add(`u${i}`);
    counter.add('');
    expect(Math.abs(counter.count - texts)).toBeLessThanOrEqual(texts > 200_000 ? texts / 500 : 0);
  });

  it('counts repeated texts', () => {
    const counter = new RepeatCounter();
    for (const text of ['a', 'b', 'a', 'a', 'c']) counter.add(text);
    expect(counter.repeats).toBe(2);
  });
});
