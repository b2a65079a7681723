import { isUtf8 } from 'node:buffer';
import { UsageError } from '../errors.js';
import type { Problem } from '../events/event.js';
import { isBlank, type Violation } from '../events/rules.js';
import { CsvSplitter, type Cell, type CsvRecord } from './csv-records.js';
import { checkRow } from './identify.js';
import {
  isMember,
  missingUserId,
  missingValue,
  userKey,
  type ListOptions,
  type Row,
  type RowReader,
} from './row.js';

/** The indexes of the cells that are used. */
interface Columns {
  readonly count: number;
  readonly userId: number;
  /** -1 if the list has no values. */
  readonly value: number;
}

/** Rows of CSV with a header: the column `userId`, and `value` if the list has values. */
export class CsvRows implements RowReader {
  readonly #options: ListOptions;
  readonly #splitter = new CsvSplitter();
  #columns: Columns | undefined;

  constructor(options: ListOptions) {
    this.#options = options;
  }

  get linesRead(): number {
    return this.#splitter.linesRead;
  }

  push(chunk: Buffer): (Row | Problem)[] {
    return this.#rows(this.#splitter.push(chunk));
  }

  /** @throws UsageError for a list without even a header. */
  end(): (Row | Problem)[] {
    const rows = this.#rows(this.#splitter.end());
    if (!this.#columns) throw noColumn(this.#options, 'userId', []);
    return rows;
  }

  #rows(records: readonly CsvRecord[]): (Row | Problem)[] {
    const rows: (Row | Problem)[] = [];
    for (const record of records) {
      if (this.#columns) rows.push(readRow(record, this.#columns, this.#options));
      else this.#columns = columnsOf(record, this.#options);
    }
    return rows;
  }
}

function columnsOf({ cells = [] }: CsvRecord, options: ListOptions): Columns {
  const names = cells.map(({ text }) => text.trim());
  const indexOf = (name: string): number => {
    const index = names.indexOf(name);
    if (index !== -1 && names.lastIndexOf(name) === index) return index;
    throw noColumn(options, name, names);
  };
  return {
    count: names.length,
    userId: indexOf('userId'),
    value: options.kind === 'trait' ? indexOf('value') : -1,
  };
}

/** How many characters of a wrong header the message shows. */
const shownHeader = 100;

function noColumn({ file }: ListOptions, name: string, names: readonly string[]): UsageError {
  const found = names.join(',').slice(0, shownHeader);
  const what = names.includes(name) ? `has two columns ${name}` : `has no column ${name}`;
  const header = names.length > 0 ? `the header "${found}"` : 'it';
  return new UsageError(
    `${file}: is read as CSV, but ${header} ${what}; begin it with a line of column names, separated by commas, that has ${name} once`,
    'csv_header',
  );
}

function readRow(record: CsvRecord, columns: Columns, options: ListOptions): Row | Problem {
  const { bytes, line, offset, cells } = record;
  const origin = { file: options.file, line, offset, length: bytes.length };
  const problem = ({ code, message }: Violation): Problem => {
    return { code, message, origin, bytes, isJson: false };
  };
  if (!isUtf8(bytes)) return problem(notUtf8);
  if (!cells) return problem(badQuotes);
  if (cells.length !== columns.count) return problem(wrongCells(cells.length, columns.count));
  const id = cells[columns.userId]!.text;
  if (isBlank(id)) return problem(missingUserId);
  const value = columns.value === -1 ? isMember : valueOf(cells[columns.value]!);
  if (!value) return problem(missingValue);
  const text = Buffer.from(JSON.stringify(id));
  const row = { user: userKey(id), id: text, value, origin, bytes, isJson: false };
  const unsendable = checkRow(options.property, row);
  return unsendable ? problem(unsendable) : row;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const boolean = /^(?:true|false)$/i;

/** Unquoted numbers and booleans keep their type; everything else is a string. */
function valueOf({ text, isQuoted }: Cell): Buffer | undefined {
  if (isQuoted) return Buffer.from(JSON.stringify(text));
  if (text === '') return undefined;
  if (jsonNumber.test(text)) return Buffer.from(text);
  return Buffer.from(boolean.test(text) ? text.toLowerCase() : JSON.stringify(text));
}

const notUtf8: Violation = { code: 'not_utf8', message: 'the line is not valid UTF-8' };

const badQuotes: Violation = {
  code: 'bad_quotes',
  message: 'a quote is not closed, or is followed by other text',
};

function wrongCells(found: number, expected: number): Violation {
  const message = `the line has ${found} cells, the header ${expected}; quote cells that contain commas`;
  return { code: 'wrong_cell_count', message };
}
