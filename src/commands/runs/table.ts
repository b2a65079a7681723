import { fitted, widthOf } from '../../output/columns.js';
import { count } from '../../output/numbers.js';
import type { Paint } from '../../output/text.js';
import { ageText } from './age.js';
import { tableLayout, type Column, type SizedColumn } from './layout.js';
import { progressBar, type BarStyle } from './progress-bar.js';
import type { RunRow } from './row.js';
import { shareText } from '../../importer/shared/share-done.js';
import { statusColor } from './status.js';
import { uniqueLength } from './unique-length.js';

export interface TableStyle {
  readonly paint: Paint;
  readonly bar: BarStyle;
  /** Of the terminal; undefined for a stream without a width. */
  readonly columns: number | undefined;
}

/** A table of runs: a line with the titles, then one per run. */
export function runTable(rows: readonly RunRow[], style: TableStyle): string {
  const cells = rows.map(cellsOf);
  const { columns, gap } = tableLayout(columnsOf(rows, cells), style.columns);
  const titles = columns.map((column) => columnText(column.name, column));
  const lines = rows.map((row, i) => columns.map((column) => cell(row, cells[i]!, column, style)));
  return [titles.map((title) => style.paint.dim(title)), ...lines]
    .map((line) => line.join(gap))
    .join('\n');
}

/** From left to right; those with the lowest rank are left out first. */
const ranks = {
  run: Infinity,
  status: 6,
  progress: 3,
  done: 4,
  events: 5,
  rejected: 7,
  failed: 8,
  workers: 2,
  age: 1,
} as const;

type Name = keyof typeof ranks;
type Cells = Readonly<Record<Exclude<Name, 'progress'>, string>>;

const leftAligned: readonly Name[] = ['run', 'status', 'progress'];
const widestBar = 24;

function cellsOf(row: RunRow): Cells {
  return {
    run: row.id,
    status: row.status,
    done: shareText(row.share),
    events: count(row.read),
    rejected: count(row.rejected),
    failed: count(row.failed),
    workers: count(row.workers),
    age: ageText(row.ageMs),
  };
}

function columnsOf(rows: readonly RunRow[], cells: readonly Cells[]): Column<Name>[] {
  const names = Object.keys(ranks) as Name[];
  const shown = names.filter((name) => name !== 'rejected' || rows.some(hasRejected));
  return shown.map((name) => ({ name, rank: ranks[name], ...widthsOf(name, cells) }));
}

function hasRejected({ rejected }: RunRow): boolean {
  return rejected > 0;
}

function widthsOf(name: Name, cells: readonly Cells[]): Pick<Column<Name>, 'least' | 'most'> {
  if (name === 'progress') return { least: name.length, most: widestBar };
  const most = Math.max(name.length, ...cells.map((each) => widthOf(each[name])));
  if (name !== 'run') return { least: most, most };
  // An id can be used as long as its beginning is unique; the mark of the cut takes one more.
  const least = uniqueLength(cells.map(({ run }) => run)) + 1;
  return { least: Math.min(least, most), most };
}

function cell(
  row: RunRow,
  cells: Cells,
  column: SizedColumn<Name>,
  { paint, bar }: TableStyle,
): string {
  const { name, width } = column;
  const color = statusColor(row.status, paint);
  if (name === 'progress') {
    const { done, left } = progressBar(row.share, width, bar);
    return color(done) + paint.dim(left);
  }
  const text = columnText(cells[name], column);
  if (name === 'status') return color(text);
  const isFailure = (name === 'failed' || name === 'rejected') && row[name] > 0;
  return isFailure ? paint.red(text) : text;
}

function columnText(text: string, { name, width }: SizedColumn<Name>): string {
  return leftAligned.includes(name) ? fitted(text, width) : text.padStart(width);
}
