import type { Problem } from '../events/event.js';
import type { Input } from '../sources/input.js';
import { fileStart } from '../sources/lines.js';
import { reportFailure, type ReadOptions } from '../sources/read.js';
import { Source } from '../sources/source.js';
import { CsvRows } from './csv-rows.js';
import { NdjsonRows } from './ndjson-rows.js';
import type { ListOptions, Row, RowReader } from './row.js';

/**
 * Reads a list, NDJSON or CSV, plain or gzip, chunk by chunk. The format is known by the file name
 * extension; else it is NDJSON if the first character is a brace.
 *
 * @throws UsageError when CSV has no usable header; BrokenInputError, unless there is `onBroken`, when
 * the list is truncated (after its whole lines), and UsageError for another format.
 */
export async function* readRows(
  input: Input,
  list: ListOptions,
  options: Omit<ReadOptions, 'rest'> = {},
): AsyncGenerator<(Row | Problem)[]> {
  const source = new Source(input, fileStart, { ...options, accepts: ['csv'] });
  let start: Buffer = Buffer.alloc(0);
  let reader = readerByName(list);
  try {
    for (let chunk = await source.next(); chunk; chunk = await source.next()) {
      if (reader) {
        yield reader.push(chunk);
        continue;
      }
      start = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
      reader = readerByContent(list, start);
      if (start.length > maxStartBytes) reader ??= new NdjsonRows(list);
      if (reader) yield reader.push(start);
    }
    reader ??= new NdjsonRows(list);
    if (source.hasEnded) yield reader.end();
    reportFailure(source, input, reader.linesRead, options);
  } finally {
    await source.close();
  }
}

/** A list that begins with more whitespace than this is read as NDJSON, without buffering more of it. */
const maxStartBytes = 1024 * 1024;

const csvName = /\.csv(?:\.gz)?$/i;
const ndjsonName = /\.(?:ndjson|jsonl|json)(?:\.gz)?$/i;
/** `\s` includes the byte order mark. */
const firstCharacter = /\S/;

function readerByName(list: ListOptions): RowReader | undefined {
  if (csvName.test(list.file)) return new CsvRows(list);
  return ndjsonName.test(list.file) ? new NdjsonRows(list) : undefined;
}

/** Undefined while there is only whitespace. */
function readerByContent(list: ListOptions, start: Buffer): RowReader | undefined {
  const first = firstCharacter.exec(start.toString('utf8'))?.[0];
  if (first === undefined) return undefined;
  return first === '{' ? new NdjsonRows(list) : new CsvRows(list);
}
