import { documentHtml } from './document.js';
import { count, countOf, msText } from '../../output/numbers.js';
import type { Report } from '../report.js';
import * as words from '../words.js';
import { distributionFigure } from './distribution-figure.js';
import { escapeHtml } from './escape.js';
import { failures } from './failures.js';
import { latencyFigure } from './latency-figure.js';
import { rateFigure } from './rate-figure.js';
import { style } from './style.js';
import { responseTables, urlTable } from './tables.js';

/**
 * The report as one self-contained page without scripts.
 *
 * @param deadLetters the dead-letter file of the import, where it is known
 */
export function reportPage(report: Report, deadLetters?: string): string {
  const title = `${words.headline(report).number} · Delivery report`;
  return documentHtml(
    title,
    style,
    `<main>
${hero(report)}
${facts(report)}
${caveatsHtml(report)}${rateFigure(report)}
<div class="pair">
${distributionFigure(report)}
${latencyFigure(report)}
</div>
${responseTables(report)}
${urlTable(report)}
${failures(report, deadLetters)}
</main>
${footer(report)}`,
  );
}

function hero(report: Report): string {
  const { number, text } = words.headline(report);
  return `<h1>Delivery report</h1>
<p class="hero"><strong>${escapeHtml(number)}</strong> <span>${escapeHtml(text)}</span></p>
<p class="when">${escapeHtml(words.timeText(report))}${urlOf(report)}</p>`;
}

/** Several URLs have a table of their own. */
function urlOf({ urls }: Report): string {
  const [only, ...others] = urls;
  return others.length > 0 || only?.url == null ? '' : ` · ${escapeHtml(only.url)}`;
}

function facts(report: Report): string {
  const { attempts, attemptsPerSecond, retries, unresolved, latencyMs } = report;
  const pairs = {
    Attempts: count(attempts),
    Rate: words.rateText(attemptsPerSecond),
    Retries: count(retries),
    Failed: count(report.verdicts.failed),
    Unresolved: unresolved === null ? '–' : count(unresolved),
    'p50 latency': msText(latencyMs.p50),
    'p95 latency': msText(latencyMs.p95),
    'p99 latency': msText(latencyMs.p99),
  };
  const items = Object.entries(pairs).map(
    ([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<dl class="facts">${items.join('')}</dl>`;
}

function caveatsHtml(report: Report): string {
  return [...words.brokenInputTexts(report), ...words.leftOutTexts(report)]
    .map((text) => `<p class="caveat">${escapeHtml(text)}</p>\n`)
    .join('');
}

function footer({ files, lines }: Report): string {
  return `<footer>
<p>An attempt is one request with one event to one URL. Unresolved are first attempts that led to neither a delivery nor a final failure: the retry window ended, the run was interrupted, another URL accepted the event, or the log ends.</p>
<p>Made by evfwd from ${escapeHtml(files.join(', '))}, ${countOf(lines, 'line')}.</p>
</footer>`;
}
