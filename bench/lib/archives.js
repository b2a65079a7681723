import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { parquetWriteFile } from 'hyparquet-writer';
import { cached, eventFile, eventOf, writeLines } from './data.js';
import { runProgram } from './run-process.js';

const rowsPerGroup = 10_000;

/** The columns of the events of `eventOf`, all at the top: `context.ip`; `:=` has JSON in it. */
const columns = [
  ...['messageId', 'type', 'userId', 'timestamp', 'event', 'name', 'category'],
  ...['properties.orderId', 'properties.total:=', 'properties.currency', 'properties.products:='],
  ...['properties.url', 'properties.title', 'traits.email', 'traits.plan', 'traits.logins:='],
  ...['context.ip', 'context.locale', 'context.library:=', 'context.userAgent'],
];

/** The same events in each format, by its name; zstd only if it can be written here. */
export async function archives(count, { hasZstd }) {
  const ndjson = await eventFile(count);
  return {
    ndjson,
    csv: await cached(`events-1-${count}.csv`, (path) => writeLines(path, count + 1, csvLine)),
    json: await cached(`events-1-${count}.json`, (path) => writeArray(ndjson, path)),
    parquet: await cached(`events-1-${count}.parquet`, (path) => writeParquet(path, count)),
    gzip: await cached(`events-1-${count}.gz`, (path) =>
      pipeline(createReadStream(ndjson), createGzip(), createWriteStream(path)),
    ),
    ...(hasZstd && {
      zstd: await cached(`events-1-${count}.zst`, (path) =>
        runProgram('zstd', ['-q', '-f', ndjson, '-o', path]),
      ),
    }),
  };
}

function csvLine(line) {
  if (line === 0) return columns.join(',');
  const event = eventOf(line - 1);
  return columns.map((column) => cell(valueOf(event, column))).join(',');
}

function valueOf(event, column) {
  const isJson = column.endsWith(':=');
  const names = column.replace(':=', '').split('.');
  const value = names.reduce((object, name) => object?.[name], event);
  return value !== undefined && isJson ? JSON.stringify(value) : value;
}

function cell(value = '') {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The lines with commas between them. */
async function writeArray(ndjson, path) {
  const file = createWriteStream(path);
  let before = '[';
  for await (const chunk of createReadStream(ndjson, 'utf8')) {
    // A newline is written with what follows it, since none follows the last.
    const text = before + chunk.replace(/\n$/, '').replaceAll('\n', ',\n');
    before = chunk.endsWith('\n') ? ',\n' : '';
    if (!file.write(text)) await once(file, 'drain');
  }
  file.end(']');
  await once(file, 'finish');
}

function writeParquet(path, count) {
  const names = columns.map((column) => column.replace(':=', ''));
  const events = Array.from({ length: count }, (_, index) => eventOf(index));
  return parquetWriteFile({
    filename: path,
    columnData: columns.map((column, index) => ({
      name: names[index],
      data: events.map((event) => valueOf(event, column) ?? null),
      type: 'STRING',
    })),
    rowGroupSize: rowsPerGroup,
  });
}
