import { responseLines } from '../../output/response-text.js';
import type { FailedDelivery } from '../failed-deliveries.js';
import { maxFailedDeliveries } from '../failed-deliveries.js';
import type { Report, StatusReport } from '../report.js';
import { deadLetterHint, resendCommand, resultText, statusText } from '../words.js';
import { escapeHtml } from './escape.js';

/** What failed, why, and how to send it again; empty if nothing failed. */
export function failures(report: Report): string {
  return [responseExamples(report), failedEvents(report)].filter((part) => part !== '').join('\n');
}

/** One example for each status that had a response to show. */
function responseExamples({ statuses }: Report): string {
  const examples = statuses.filter(({ example }) => example !== undefined).slice(0, shownExamples);
  if (examples.length === 0) return '';
  return `<section class="panel" aria-labelledby="responses"><h2 id="responses">What the endpoint said</h2>
${examples.map(exampleHtml).join('\n')}</section>`;
}

const shownExamples = 20;

function exampleHtml({ status, example }: StatusReport): string {
  const text = responseLines(example!).map(escapeHtml).join('\n');
  return `<h3>${escapeHtml(statusText(status))}</h3><pre tabindex="0">${text}</pre>`;
}

function failedEvents(report: Report): string {
  const { failedDeliveries } = report;
  if (failedDeliveries.length === 0) return '';
  const shown = report.urls.length > 1 ? columns : columns.slice(0, -1);
  const head = shown.map((column) => `<th scope="col">${column}</th>`).join('');
  const limit =
    failedDeliveries.length < maxFailedDeliveries ? '' : `, the newest ${maxFailedDeliveries}`;
  return `<section class="panel" aria-labelledby="failed"><h2 id="failed">Failed events</h2>
<p class="note">Newest first${limit}. Events that were delivered later are left out; with several URLs, another one may have accepted the event.</p>
<div class="scroll tall" tabindex="0" role="region" aria-labelledby="failed"><table class="stacks text" aria-labelledby="failed"><thead><tr>${head}</tr></thead><tbody>
${failedDeliveries.map((failed) => rowHtml(failed, shown)).join('\n')}
</tbody></table></div>
<p class="resend">Send them again:</p>
<pre tabindex="0">${escapeHtml(resendCommand(report))}</pre>
<p class="note">${escapeHtml(deadLetterHint)}</p></section>`;
}

const columns = ['Message ID', 'Result', 'Response', 'Attempt', 'Time (UTC)', 'URL'];

function rowHtml(failed: FailedDelivery, shown: readonly string[]): string {
  const { messageId, said, attempt, at, url } = failed;
  const time = at.slice(0, 19).replace('T', ' ');
  const values = [resultText(failed), said ?? '–', String(attempt), time, url];
  const cells = shown
    .slice(1)
    .map((column, i) => `<td data-label="${column}">${escapeHtml(values[i]!)}</td>`);
  return `<tr><th scope="row">${escapeHtml(messageId ?? '–')}</th>${cells.join('')}</tr>`;
}
