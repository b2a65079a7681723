import { isUtf8 } from 'node:buffer';
import { UsageError } from '../errors.js';
import type { Problem } from '../events/event.js';
import { isBlank, type Violation } from '../events/rules.js';
import { badQuotes, notUtf8, wrongCellCount } from '../sources/formats/csv.js';
import { CsvReader, type CsvRecord } from '../sources/formats/csv-records.js';
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

/** The maximum length of a record. The event of a longer one could not be sent. */
const maxRecordBytes = 64 * 1024;

/** Rows of CSV with a header: the column `userId`, and `value` if the list has values. */
export class CsvRows implements RowReader {
  readonly #options: ListOptions;
  readonly #reader = new CsvReader({ maxRecordBytes });
  #columns: Columns | undefined;

  constructor(options: ListOptions) {
    this.#options = options;
  }

  get linesRead(): number {
    return this.#reader.linesRead;
  }

  push(chunk: Buffer): (Row | Problem)[] {
    this.#reader.push(chunk);
    return this.#rows();
  }

  /** @throws UsageError for a list without even a header. */
  end(): (Row | Problem)[] {
    this.#reader.end();
    const rows = this.#rows();
    if (!this.#columns) throw noColumn(this.#options, 'userId', []);
    return rows;
  }

  #rows(): (Row | Problem)[] {
    const rows: (Row | Problem)[] = [];
    for (let record = this.#reader.next(); record; record = this.#reader.next()) {
      if (this.#columns) rows.push(readRow(record, this.#columns, this.#options));
      else this.#columns = columnsOf(record, this.#options);
    }
    return rows;
  }
}

function columnsOf({ fault, cells }: CsvRecord, options: ListOptions): Columns {
  const count = fault ? 0 : cells.count;
  const names = Array.from({ length: count }, (_, i) => cells.text(i).trim());
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
  const { bytes, line, offset, fault, cells } = record;
  const origin = { file: options.file, line, offset, length: bytes.length };
  const problem = ({ code, message }: Violation): Problem => {
    return { code, message, origin, bytes, isJson: false };
  };
  if (!isUtf8(bytes)) return problem(notUtf8);
  if (fault) return problem(badQuotes);
  if (cells.count !== columns.count) return problem(wrongCellCount(cells.count, columns.count));
  const id = cells.text(columns.userId);
  if (isBlank(id)) return problem(missingUserId);
  const value =
    columns.value === -1
      ? isMember
      : valueOf(cells.text(columns.value), cells.isQuoted(columns.value));
  if (!value) return problem(missingValue);
  const text = Buffer.from(JSON.stringify(id));
  const row = { user: userKey(id), id: text, value, origin, bytes, isJson: false };
  const unsendable = checkRow(options.property, row);
  return unsendable ? problem(unsendable) : row;
}

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const boolean = /^(?:true|false)$/i;

/** Unquoted numbers and booleans keep their type; everything else is a string. */
function valueOf(text: string, isQuoted: boolean): Buffer | undefined {
  if (isQuoted) return Buffer.from(JSON.stringify(text));
  if (text === '') return undefined;
  if (jsonNumber.test(text)) return Buffer.from(text);
  return Buffer.from(boolean.test(text) ? text.toLowerCase() : JSON.stringify(text));
}
