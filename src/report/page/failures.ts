import { countOf } from '../../output/numbers.js';
import { responseLines } from '../../output/response-text.js';
import type { FailedDelivery } from '../failed-deliveries.js';
import { maxFailedDeliveries } from '../failed-deliveries.js';
import type { Report, StatusReport } from '../report.js';
import { deadLetterHint, resendCommand, resultText, statusText } from '../words.js';
import { escapeHtml } from './escape.js';

/**
 * What failed, why, and how to send it again; empty if nothing failed.
 *
 * @param deadLetters the dead-letter file of the import, where it is known
 */
export function failures(report: Report, deadLetters: string | undefined): string {
  const parts = [responseExamples(report), failedEvents(report, deadLetters)];
  return parts.filter((part) => part !== '').join('\n');
}

/** One example for each status that had a response to show. */
function responseExamples({ statuses }: Report): string {
  const examples = statuses
    .filter(({ example }) => example !== undefined && responseLines(example).some((line) => line))
    .slice(0, shownExamples);
  if (examples.length === 0) return '';
  return `<section class="panel" aria-labelledby="responses"><h2 id="responses">What the endpoint said</h2>
${examples.map(exampleHtml).join('\n')}</section>`;
}

const shownExamples = 20;

function exampleHtml({ status, example }: StatusReport): string {
  const text = responseLines(example!).map(escapeHtml).join('\n');
  return `<h3>${escapeHtml(statusText(status))}</h3><pre tabindex="0">${text}</pre>`;
}

function failedEvents(report: Report, deadLetters: string | undefined): string {
  const { failedDeliveries } = report;
  if (failedDeliveries.length === 0) return '';
  const shown = report.urls.length > 1 ? columns : columns.slice(0, -1);
  const limit =
    failedDeliveries.length < maxFailedDeliveries
      ? ''
      : ` These are the newest ${maxFailedDeliveries}.`;
  const hint = deadLetters === undefined ? deadLetterHint : foundHint;
  return `<section class="panel" aria-labelledby="failed"><h2 id="failed">Failed events</h2>
<p class="note">By what the endpoint responded.${limit} Events that were delivered later are left out; with several URLs, another one may have accepted the event.</p>
${groupsOf(failedDeliveries)
  .map((group) => groupHtml(group, shown))
  .join('\n')}
<p class="resend">Send them again:</p>
<pre tabindex="0">${escapeHtml(resendCommand(report, deadLetters))}</pre>
<p class="note">${escapeHtml(hint)}</p></section>`;
}

const foundHint =
  'Run it in the folder where the report was made; add the secret and other flags of the import.';

/** Events with the same result and response, the newest first; the group with the most events first. */
function groupsOf(failed: readonly FailedDelivery[]): FailedDelivery[][] {
  const groups = new Map<string, FailedDelivery[]>();
  for (const one of failed) {
    const key = JSON.stringify([resultText(one), one.said]);
    const group = groups.get(key);
    if (group) group.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

function groupHtml(group: readonly FailedDelivery[], shown: readonly string[]): string {
  const first = group[0]!;
  const head = shown.map((column) => `<th scope="col">${column}</th>`).join('');
  const said = first.said === null ? '' : `<p class="said">${escapeHtml(first.said)}</p>\n`;
  return `<div class="group"><h3>${escapeHtml(resultText(first))} <span>${countOf(group.length, 'event')}</span></h3>
${said}<details><summary>${group.length === 1 ? 'Message ID' : 'Message IDs'}</summary>
<div class="scroll tall"><table class="stacks text" aria-label="${escapeHtml(resultText(first))}"><thead><tr>${head}</tr></thead><tbody>
${group.map((failed) => rowHtml(failed, shown)).join('\n')}
</tbody></table></div></details></div>`;
}

const columns = ['Message ID', 'Attempt', 'Time (UTC)', 'URL'];

function rowHtml(
  { messageId, attempt, at, url }: FailedDelivery,
  shown: readonly string[],
): string {
  const time = at.slice(0, 19).replace('T', ' ');
  const values = [String(attempt), time, url];
  const cells = shown
    .slice(1)
    .map((column, i) => `<td data-label="${column}">${escapeHtml(values[i]!)}</td>`);
  return `<tr><th scope="row">${escapeHtml(messageId ?? '–')}</th>${cells.join('')}</tr>`;
}
