import { count, msText, percentText } from '../../output/numbers.js';
import type { VerdictCounts } from '../counts.js';
import type { Report } from '../report.js';
import { statusText } from '../words.js';
import { escapeHtml } from './escape.js';

/** Rows shown per table; the JSON report has them all. */
const shownRows = 20;

/** A table whose first column names the row. */
interface Table {
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly string[];
  /** On a narrow page, each row is a block of labeled values. */
  readonly stacks?: boolean;
  readonly rows: readonly (readonly string[])[];
}

/** Statuses, errors and attempt numbers, as far as there is something to say. */
export function responseTables(report: Report): string {
  const { attempts, statuses, errors, tries } = report;
  const numbers = (row: VerdictCounts): string[] => [
    count(row.attempts),
    percentText(row.attempts / attempts),
  ];
  const tables = [
    {
      id: 'statuses',
      caption: 'Statuses',
      columns: ['Status', 'Attempts', 'Share'],
      rows: statuses.map((row) => [statusText(row.status), ...numbers(row)]),
    },
    {
      id: 'errors',
      caption: 'Errors without a response',
      columns: ['Error', 'Attempts', 'Share'],
      rows: errors.map((row) => [row.error ?? 'others', ...numbers(row)]),
    },
    {
      id: 'attempts',
      caption: 'Attempts by number',
      columns: ['Attempt', 'Attempts', 'Delivered'],
      // With first attempts alone it would repeat what is said above.
      rows: (tries.length > 1 ? tries : []).map((row) => [
        row.attempt === null ? 'later' : String(row.attempt),
        count(row.attempts),
        percentText(row.delivered / row.attempts),
      ]),
    },
  ];
  const shown = tables.filter(({ rows }) => rows.length > 0);
  return `<div class="tables of-${shown.length}">${shown.map(tableHtml).join('\n')}</div>`;
}

/** One row per URL, if there are several. */
export function urlTable({ urls }: Report): string {
  if (urls.length < 2) return '';
  return tableHtml({
    id: 'urls',
    caption: 'Deliveries by URL',
    stacks: true,
    columns: ['URL', 'Attempts', 'First attempts', 'Delivered', 'To retry', 'Failed', 'p50', 'p95'],
    rows: urls.map((row) => [
      row.url ?? 'other URLs',
      ...[row.attempts, row.firstTries, row.delivered, row.retry, row.failed].map(count),
      msText(row.latencyMs.p50),
      msText(row.latencyMs.p95),
    ]),
  });
}

function tableHtml({ id, caption, columns, rows, stacks }: Table): string {
  const heading = `<h2 id="${id}">${caption}</h2>`;
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join('');
  const body = rows
    .slice(0, shownRows)
    .map((row) => rowHtml(row, columns))
    .join('\n');
  return `<section class="panel" aria-labelledby="${id}">${heading}
<div class="scroll" tabindex="0" role="region" aria-labelledby="${id}"><table${stacks ? ' class="stacks"' : ''} aria-labelledby="${id}"><thead><tr>${head}</tr></thead><tbody>
${body}
</tbody></table></div>${moreText(rows.length)}</section>`;
}

function rowHtml([name = '', ...values]: readonly string[], columns: readonly string[]): string {
  const cells = values.map(
    (value, i) => `<td data-label="${columns[i + 1]!}">${escapeHtml(value)}</td>`,
  );
  return `<tr><th scope="row">${escapeHtml(name)}</th>${cells.join('')}</tr>`;
}

function moreText(rows: number): string {
  const more = rows - shownRows;
  return more > 0 ? `<p class="note">and ${count(more)} more; report --json has them all</p>` : '';
}
