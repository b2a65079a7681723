import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ZipFile } from 'yazl';
import { buffer } from 'node:stream/consumers';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { isProblem } from '../../../src/events/event.js';
import { checkFormats } from '../../../src/sources/check-formats.js';
import { findInputs } from '../../../src/sources/find-inputs.js';
import { isPlain } from '../../../src/sources/input.js';
import { readBatches } from '../../../src/sources/read.js';
import { folderWith } from '../../helpers/folder.js';

const ids = ['1', '2', '3'];
const events = ids.map((id) => `{"type":"track","event":"E","userId":"u","messageId":"${id}"}`);
const ndjson = `${events.join('\n')}\n`;
const array = `[\n${events.join(',\n')}\n]\n`;
const csv = ['type,event,userId,messageId', ...ids.map((id) => `track,E,u,${id}`)].join('\n');

function parquet(): Buffer {
  const column = (name: string, data: string[]) => ({ name, data, type: 'STRING' as const });
  const columnData = [
    column(
      'type',
      ids.map(() => 'track'),
    ),
    column(
      'event',
      ids.map(() => 'E'),
    ),
    column(
      'userId',
      ids.map(() => 'u'),
    ),
    column('messageId', ids),
  ];
  return Buffer.from(parquetWriteBuffer({ columnData }));
}

async function zip(entries: Record<string, Buffer | string>): Promise<Buffer> {
  const file = new ZipFile();
  for (const [name, content] of Object.entries(entries)) file.addBuffer(Buffer.from(content), name);
  file.end();
  return buffer(file.outputStream);
}

async function openAll(name: string, content: Buffer | string) {
  const folder = folderWith({ [name]: Buffer.from(content) });
  const inputs = await checkFormats(await findInputs([`${folder}/${name}`]));
  return { folder, inputs };
}

/** Where each event of a file stands, and its id: `a.csv:2 1`. */
async function placesIn(name: string, content: Buffer | string): Promise<string[]> {
  const { folder, inputs } = await openAll(name, content);
  const places: string[] = [];
  for await (const batch of readBatches(inputs)) {
    for (const item of batch) {
      const what = isProblem(item) ? item.code : String(item.value.messageId);
      places.push(`${item.origin.file.slice(folder.length + 1)}:${item.origin.line} ${what}`);
    }
  }
  return places;
}

describe('the events of a file', () => {
  it.each([
    ['NDJSON', ndjson, ['1', '2', '3']],
    ['a JSON array', array, ['2', '3', '4']],
    ['a JSON array on one line', `[${events.join(',')}]`, ['1', '2', '3']],
    [
      'an object with the events',
      `{"sentAt":"now","batch":[${events.join(',\n')}]}`,
      ['1', '2', '3'],
    ],
    [
      'an object on one long line',
      `{"batch":[${events.join(',')}],"pad":"${'x'.repeat(1_100_000)}"}`,
      ['1', '2', '3'],
    ],
    [
      'an object whose list comes late',
      `{"next":null,\n"page":{"n":[1]},"data":[${events.join(',\n')}],"pad":"${'x\\n'.repeat(30_000)}"\n}`,
      ['2', '3', '4'],
    ],
    ['CSV', csv, ['2', '3', '4']],
    ['CSV with semicolons', csv.replaceAll(',', ';'), ['2', '3', '4']],
    ['TSV', csv.replaceAll(',', '\t'), ['2', '3', '4']],
    ['Parquet', parquet(), ['1', '2', '3']],
    ['gzip of a JSON array', gzipSync(array), ['2', '3', '4']],
    ['gzip of CSV', gzipSync(csv), ['2', '3', '4']],
  ])('are those of %s, at its own lines', async (_, content, lines) => {
    const expected = ids.map((id, i) => `a:${lines[i]} ${id}`);
    expect(await placesIn('a', content)).toEqual(expected);
  });

  it('in a zip archive are those of its entries, in their order, gzip and CSV included', async () => {
    const archive = await zip({
      'b/late.json.gz': gzipSync(ndjson),
      'a.csv': csv,
      '__MACOSX/._a.csv': 'junk',
      '_x.ndjson': ndjson,
    });
    expect(await placesIn('a.zip', archive)).toEqual([
      ...ids.map((id, i) => `a.zip!/b/late.json.gz:${i + 1} ${id}`),
      ...ids.map((id, i) => `a.zip!/a.csv:${i + 2} ${id}`),
      ...ids.map((id, i) => `a.zip!/_x.ndjson:${i + 1} ${id}`),
    ]);
  });

  it('that is no table in one record has that as a problem, with its bytes', async () => {
    const { inputs } = await openAll('a.csv', `${csv}\ntrack,"E\ntrack,E,u,9,more\n`);
    const items = [];
    for await (const batch of readBatches(inputs)) items.push(...batch.filter(isProblem));
    expect(items).toMatchObject([
      { code: 'bad_quotes', bytes: Buffer.from('track,"E'), origin: { line: 5 }, isJson: false },
      { code: 'wrong_cell_count', bytes: Buffer.from('track,E,u,9,more'), origin: { line: 6 } },
    ]);
  });

  it('can be read from any line only where they are plain NDJSON', async () => {
    const contents = [ndjson, csv, array, gzipSync(ndjson), parquet()];
    const layouts = await Promise.all(
      contents.map(async (content) => (await openAll('a', content)).inputs.map(isPlain)),
    );
    expect(layouts.flat()).toEqual([true, false, false, false, false]);
    const { inputs } = await openAll('a', await zip({ a: ndjson }));
    expect(inputs.map(isPlain)).toEqual([false]);
  });

  it.each([
    ['is empty', {}, /a\.zip: has no files in it; check the archive$/],
    [
      'has only files of other kinds',
      { 'a.xml': '<?xml version="1.0"?><a/>' },
      /a\.zip!\/a\.xml: is XML/,
    ],
    ['has an archive', { 'b.zip': 'PK\x03\x04' }, /a\.zip!\/b\.zip: is a zip archive; unpack/],
  ])('a zip archive that %s is refused', async (_, entries, message) => {
    const opening = openAll('a.zip', await zip(entries));
    await expect(opening).rejects.toMatchObject({ exitCode: 2 });
    await expect(opening).rejects.toThrow(message);
  });
});

describe('a given format', () => {
  it.each([
    ['csv', 'type,event\ntrack,E', 1, 'missing_user'],
    ['json', '[{"type":"track"}]', 1, 'missing_user'],
    ['json', '{"data":[{"type":"track"}]}', 1, 'missing_user'],
    ['ndjson', array, 5, 'not_json'],
  ] as const)(
    '%s is that of the bytes, whatever they are',
    async (format, content, count, code) => {
      const folder = folderWith({ a: content });
      const found = await findInputs([`${folder}/a`], { given: { format } });
      const items = [];
      for await (const batch of readBatches(await checkFormats(found))) items.push(...batch);
      expect(items).toHaveLength(count);
      expect(items[0]).toMatchObject({ code });
    },
  );
});
