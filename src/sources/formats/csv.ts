import { isUtf8 } from 'node:buffer';
import { UsageError } from '../../errors.js';
import { lineTooLong, type Violation } from '../../events/rules.js';
import { maxLineBytes } from '../open-line.js';
import { columnsOf, type Columns } from './csv-columns.js';
import { writeObject } from './csv-object.js';
import { CsvReader, type CsvRecord } from './csv-records.js';
import { DecodedText } from './decoded-text.js';
import { rejectedLine } from './rejected-line.js';

export interface CsvFileOptions {
  readonly separator: ',' | ';' | '\t';
  /** The file, for messages. */
  readonly name: string;
  /** The names of the columns, if the file has no header. */
  readonly columns?: readonly string[];
  /** Default: true. Without, a quote is a character like any other. */
  readonly hasQuotes?: boolean;
}

/**
 * The records of a CSV file as NDJSON: one object for each, at the line where it begins. A record that
 * cannot become an object is a rejected line. An empty cell is no member, a quoted empty one is an empty text.
 *
 * @throws UsageError when the header cannot be used
 */
export async function* csvLines(
  chunks: AsyncIterable<Buffer>,
  options: CsvFileOptions,
): AsyncGenerator<Buffer> {
  const decoder = new CsvDecoder(options);
  try {
    for await (const chunk of chunks) {
      decoder.push(chunk);
      while (decoder.fill()) yield decoder.text.take();
    }
    decoder.end();
    while (decoder.fill()) yield decoder.text.take();
  } catch (error) {
    if (!(error instanceof UsageError) && decoder.text.length > 0) yield decoder.text.take();
    throw error;
  }
  if (decoder.text.length > 0) yield decoder.text.take();
}

class CsvDecoder {
  readonly text = new DecodedText();
  readonly #reader: CsvReader;
  readonly #name: string;
  #columns: Columns | undefined;

  constructor({ separator, name, columns, hasQuotes = true }: CsvFileOptions) {
    this.#reader = new CsvReader({ separator, hasQuotes, maxRecordBytes: maxLineBytes });
    this.#name = name;
    this.#columns = columns && columnsOf(columns, name);
  }

  push(chunk: Buffer): void {
    this.#reader.push(chunk);
  }

  end(): void {
    this.#reader.end();
  }

  /** Decodes until a chunk is full, or more bytes are needed; whether one is full. */
  fill(): boolean {
    for (;;) {
      if (!this.text.endLines(this.#reader.linesRead) || this.text.isFull) return true;
      const record = this.#reader.next();
      if (record) {
        // Blank lines before it.
        while (!this.text.endLines(record.line - 1));
        this.#decode(record);
      } else if (this.text.endLines(this.#reader.linesRead)) {
        return this.text.isFull;
      }
    }
  }

  #decode(record: CsvRecord): void {
    if (!this.#columns) {
      this.#columns = columnsOf(headerOf(record, this.#name), this.#name);
      return;
    }
    const violation =
      faultOf(record, this.#columns) ?? writeObject(this.text, record, this.#columns);
    if (violation) this.text.append(rejectedLine(violation, record.bytes));
  }
}

function headerOf({ bytes, fault, cells }: CsvRecord, name: string): string[] {
  if (!fault && isUtf8(bytes))
    return Array.from({ length: cells.count }, (_, i) => cells.text(i).trim());
  const { message } = fault ? faults[fault] : notUtf8;
  throw new UsageError(
    `${name}: the header cannot be read: ${message}; begin the file with a line of column names`,
    'csv_header',
  );
}

function faultOf(record: CsvRecord, { count }: Columns): Violation | undefined {
  const { fault, cells } = record;
  if (!record.isText && !isUtf8(record.bytes)) return notUtf8;
  if (fault) return faults[fault];
  return cells.count === count ? undefined : wrongCellCount(cells.count, count);
}

export const notUtf8: Violation = { code: 'not_utf8', message: 'the line is not valid UTF-8' };

export const badQuotes: Violation = {
  code: 'bad_quotes',
  message: 'a quote is not closed, or is followed by other text',
};

const faults = {
  bad_quotes: badQuotes,
  too_long: {
    code: lineTooLong,
    message: `the line has more than ${maxLineBytes} bytes, the limit. Split or shorten it`,
  },
};

export function wrongCellCount(found: number, expected: number): Violation {
  const message = `the line has ${found} cells, the header ${expected}; quote cells that contain separators`;
  return { code: 'wrong_cell_count', message };
}
