import { documentHtml } from '../../report/page/document.js';
import { escapeHtml } from '../../report/page/escape.js';
import { version } from '../../version.js';
import type { CheckReport, CheckResult } from '../result.js';
import { findingsOf } from './findings.js';
import { groupsOf, type ResultGroup } from './groups.js';
import { findingsHtml, markHtml } from './page/findings.js';
import { style } from './page/style.js';
import { caveat, countTexts, headline, runText, scoreText } from './words.js';
import type { CheckSummary } from '../options.js';

/** The report as one self-contained page without scripts, to be handed to a colleague. */
export function htmlReport(report: CheckReport): string {
  const title = `Score ${scoreText(report)} · Endpoint check of ${report.url}`;
  return documentHtml(
    title,
    style,
    `<main>
${hero(report)}
${facts(report.summary)}
${caveatHtml(report)}${findingsHtml(findingsOf(report), report.fixes)}
<section aria-labelledby="checks"><h2 id="checks">All checks</h2>
${groupsOf(report).map(groupHtml).join('\n')}
</section>
</main>
<footer><p>The score is the weight of what passed in the weight of what was judged: a required check counts 3, a recommended one 1. What does not apply is left out.</p>
<p>Made by evfwd ${version}.</p></footer>`,
  );
}

function hero(report: CheckReport): string {
  const { score } = report.summary;
  const number =
    score === null
      ? '<strong>–</strong> <b>no score</b>'
      : `<strong>${score}</strong> <b>of 100${report.interruptedOf === undefined ? '' : ' so far'}</b>`;
  return `<h1>Endpoint check</h1>
<p class="hero">${number}</p>
<p class="verdict">${escapeHtml(headline(report))}</p>
<p class="url">${escapeHtml(report.url)}</p>
<p class="when">${escapeHtml(runText(report))}</p>
${bar(report.summary)}`;
}

const shown = [
  ['fail', 'Failed'],
  ['warn', 'Warnings'],
  ['pass', 'Passed'],
  ['na', 'Not judged'],
  ['info', 'Information'],
] as const;

/** The counts as a bar; the numbers are below it. */
function bar(summary: CheckSummary): string {
  const parts = shown
    .filter(([verdict]) => summary[verdict] > 0)
    .map(([verdict]) => `<i class="${verdict}" style="flex:${summary[verdict]}"></i>`);
  return `<div class="bar" aria-hidden="true">${parts.join('')}</div>`;
}

function facts(summary: CheckSummary): string {
  const items = shown.map(
    ([verdict, name]) => `<div><dt>${name}</dt><dd>${summary[verdict]}</dd></div>`,
  );
  return `<dl class="facts">${items.join('')}</dl>`;
}

function caveatHtml(report: CheckReport): string {
  const [title, text] = caveat(report) ?? [];
  return text === undefined ? '' : `<p class="caveat">${title}: ${escapeHtml(text)}.</p>\n`;
}

function groupHtml({ name, counts, results }: ResultGroup): string {
  const verdict = shown.find(([each]) => counts[each] > 0)?.[0] ?? 'pass';
  return `<details><summary>${markHtml(verdict)}<b>${escapeHtml(name)}</b><span>${escapeHtml(countTexts(counts).join(', '))}</span></summary>
<ul class="checks">
${results.map(checkHtml).join('\n')}
</ul></details>`;
}

function checkHtml({ check, verdict, message }: CheckResult): string {
  const isProblem = verdict === 'fail' || verdict === 'warn';
  const title = isProblem
    ? `<a href="#${escapeHtml(check.id)}">${escapeHtml(check.title)}</a>`
    : escapeHtml(check.title);
  return `<li>${markHtml(verdict)}<p>${title} <span class="id">${escapeHtml(check.id)}</span></p><p class="note">${escapeHtml(message)}</p></li>`;
}
