import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { ZipFile } from 'yazl';
import { afterEach, describe, expect, it } from 'vitest';
import { folderWith } from '../helpers/folder.js';
import { addsUp, runImport, startImport, summaryOf, Witness } from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { seededRandom } from '../helpers/seed.js';

const count = 3_000;
const inFlight = 64;
const commitGroup = 500;

let receiver: Receiver;
afterEach(() => receiver.close());

const time = '2026-01-01T00:00:00Z';
const numbers = Array.from({ length: count }, (_, n) => n);
const events = numbers.map(
  (n) =>
    `{"type":"track","event":"E","userId":"u${n}","messageId":"m${n}","timestamp":"${time}","properties":{"n":${n}}}`,
);

function csv(separator: string): string {
  const header = [
    'type',
    'event',
    'userId',
    'messageId',
    'timestamp',
    'properties.note',
    'properties.n:=',
  ];
  const rows = numbers.map((n) => [
    'track',
    'E',
    `u${n}`,
    `m${n}`,
    time,
    '"two\nlines"',
    String(n),
  ]);
  return [header, ...rows].map((cells) => `${cells.join(separator)}\n`).join('');
}

/** Records that a map makes two events of each. */
function batches(): string {
  const pairs = Array.from({ length: count / 2 }, (_, i) => events.slice(2 * i, 2 * i + 2));
  const lines = pairs.map(
    (pair) => `{"uuid":"x","user_id":"u","event_payload":{"batch":[${pair.join(',')}]}}\n`,
  );
  return lines.join('');
}

function parquet(): Buffer {
  const texts = { type: 'track', event: 'E', userId: 'u', messageId: 'm' };
  const columnData = Object.entries(texts).map(([name, text]) => ({
    name,
    data: numbers.map((n) => (text.length === 1 && name !== 'event' ? `${text}${n}` : text)),
    type: 'STRING' as const,
  }));
  const n = { name: 'n', data: numbers, type: 'INT32' as const };
  return Buffer.from(parquetWriteBuffer({ columnData: [...columnData, n], rowGroupSize: 700 }));
}

async function zip(): Promise<Buffer> {
  const file = new ZipFile();
  const half = count / 2;
  file.addBuffer(gzipSync(`${events.slice(0, half).join('\n')}\n`), 'b.json.gz');
  file.addBuffer(Buffer.from(`${events.slice(half).join('\n')}\n`), 'a.ndjson');
  file.end();
  return buffer(file.outputStream);
}

describe('an import of another format, killed', () => {
  it.each([
    ['a.csv', () => csv(','), []],
    ['a.csv.gz', () => gzipSync(csv(';')), []],
    ['a.json', () => `{"batch":[\n${events.join(',\n')}]}`, []],
    ['a.zip', zip, []],
    ['a.parquet', parquet, ['--map', 'map.yaml']],
    ['a.ndjson', () => `${events.join('\n')}\n`, ['--drop', 'context', '--set', 'context.app=x']],
    ['batches.ndjson', batches, ['--from', 'rudderstack']],
  ] as const)('loses nothing and doubles little: %s', async (name, content, flags) => {
    const random = seededRandom();
    const witness = new Witness();
    const later = new Set([700, 1_500, 1_501]);
    receiver = await startReceiver(
      witness.responding(([n]) => (n === 99 ? 400 : later.delete(n!) ? 503 : 200)),
    );
    const map =
      'type: type\nevent: event\nuserId: userId\nmessageId: messageId\nproperties: { n: n }\ntimestamp: { const: 2026-01-01T00:00:00Z }\n';
    const cwd = folderWith({ [name]: Buffer.from(await content()), 'map.yaml': map });
    const args = [name, '--url', receiver.url, ...flags];
    let doubled = 0;
    for (let kill = 0; kill < 4; kill++) {
      const run = startImport(args, cwd);
      await receiver.atLeast(receiver.requests.length + 1 + random() * 600);
      await run.stop('SIGKILL');
      expect(witness.doubled - doubled).toBeLessThanOrEqual(inFlight + commitGroup);
      doubled = witness.doubled;
    }
    const summary = summaryOf(await runImport(args, cwd));
    expect(summary).toMatchObject({ read: count, pending: 0, resumed: true });
    expect(addsUp(summary)).toBe(true);
    expect(witness.missing(count)).toEqual([99]);
    expect([...witness.ids.values()].every(({ size }) => size === 1)).toBe(true);
    expect([...witness.bodies.values()].every(({ size }) => size === 1)).toBe(true);
  });
});
