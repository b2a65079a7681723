import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { adviceFor } from '../../../src/sources/formats/advice.js';
import { checkFormats } from '../../../src/sources/check-formats.js';
import { findInputs } from '../../../src/sources/find-inputs.js';
import { isProblem } from '../../../src/events/event.js';
import { readBatches } from '../../../src/sources/read.js';
import { readEvents } from '../../../src/sources/read-events.js';
import { inChunksOf } from '../../helpers/chunks.js';
import { trackWith } from '../../helpers/events.js';
import { folderWith } from '../../helpers/folder.js';

const event = trackWith('1');
const array = `[${event},${event}]`;
const pretty = JSON.stringify(JSON.parse(event), null, 2);

describe('a file of another format', () => {
  it.each([
    [
      'a.json',
      array,
      "is a JSON array, not NDJSON; convert it with: jq -c '.[]' a.json > a.ndjson",
    ],
    [
      'a.ndjson.gz',
      gzipSync(array),
      "is a JSON array, not NDJSON (inside gzip); convert it with: gzip -dc a.ndjson.gz | jq -c '.[]' > a.ndjson",
    ],
    ['a.ndjson', array, "convert it with: jq -c '.[]' a.ndjson > a-2.ndjson"],
    [
      "it's.zip",
      'PK\x03\x04',
      "is a zip archive; convert it with: unzip -p 'it'\\''s.zip' > 'it'\\''s.ndjson'",
    ],
    [
      'a.gz',
      gzipSync('PK\x03\x04'),
      'is a zip archive (inside gzip); unpack it to a file and pass that',
    ],
    [
      'a.gz',
      gzipSync(gzipSync(event)),
      'is compressed twice; convert it with: gzip -dc a.gz | gzip -dc > a.ndjson',
    ],
    [
      'a.csv',
      'userId,event\nu,e\n',
      'is CSV, not NDJSON; convert it to NDJSON, one event per line',
    ],
    [
      'a.har',
      '{"log":{"entries":[]}}',
      'a.har: is a HAR file, not NDJSON; send its requests with evfwd replay, or check them with evfwd verify-sig --requests',
    ],
  ])('is refused with the command that converts it: %s', async (name, content, message) => {
    const folder = folderWith({ [name]: content });
    const inputs = await findInputs([`${folder}/${name}`]);
    const error = (await checkFormats(inputs, { decodes: false }).catch(
      (reason: unknown) => reason,
    )) as Error;
    expect(error.message.replaceAll(`${folder}/`, '')).toContain(message);
    expect(error).toMatchObject({ exitCode: 2, code: 'unsupported_format' });
  });

  it('is refused before an event of the files before it, with all others by name', async () => {
    const folder = folderWith({ good: event, 'a.json': pretty, 'b.json': pretty });
    const paths = ['good', 'a.json', 'b.json'].map((name) => `${folder}/${name}`);
    const first = readEvents(paths).next();
    await expect(first).rejects.toThrow(
      /a\.json: is JSON over several lines.*; not event files either: \S+b\.json$/,
    );
  });

  it('is refused when it comes from a pipe, before an event of a file', async () => {
    const inputs = await findInputs([`${folderWith({ good: event })}/good`, '-']);
    const first = readBatches(inputs, {
      stdin: Readable.from(inChunksOf(7, Buffer.from(pretty))),
    }).next();
    await expect(first).rejects.toThrow(
      'standard input: is JSON over several lines, not NDJSON (one JSON object per line); pipe it through: jq -c .',
    );
  });

  it('is refused from a pipe that inflates to it', async () => {
    const first = readEvents('-', { stdin: Readable.from([gzipSync(pretty)]) }).next();
    await expect(first).rejects.toThrow('pipe it through: gzip -dc | jq -c .');
  });
});

describe('an event file', () => {
  it('is read from a pipe line by line, as soon as the first newline arrives', async () => {
    const stdin = new PassThrough();
    const reading = readEvents('-', { stdin });
    stdin.write(event.slice(0, 9));
    stdin.write(`${event.slice(9)}\n{"type":`);
    expect((await reading.next()).value).toMatchObject({ origin: { line: 1 } });
    await reading.return(undefined);
  });

  it('that begins with lines like those of another format has a problem for each', async () => {
    const stdin = Readable.from(inChunksOf(1, Buffer.from(`a,b\nc,d\n[]\n${event}\n`)));
    const items = [];
    for await (const item of readEvents('-', { stdin })) items.push(isProblem(item));
    expect(items).toEqual([true, true, true, false]);
  });
});

it('is converted with a command that takes its name for a file, also if it begins with a dash', () => {
  expect(adviceFor('zip', '-a.zip', false)).toContain('unzip -p ./-a.zip > ');
});
