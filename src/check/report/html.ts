import { documentHtml } from '../../report/page/document.js';
import { escapeHtml } from '../../report/page/escape.js';
import { version } from '../../version.js';
import { frameworks } from '../fixes/frameworks.js';
import type { CheckSummary } from '../options.js';
import type { ReportedResult } from '../result.js';
import { curlLines } from './evidence.js';
import { style } from './html-style.js';
import type { Finding, Report, ResultGroup } from './model.js';
import { countTexts, expectation, marks, verdictNames, verdictText } from './words.js';

/** The report as one self-contained page without scripts, to be handed to a colleague. */
export function htmlReport(report: Report): string {
  const { run, score, caveat, clientCertificate, groups, findings } = report;
  return documentHtml(
    `Score ${score} · Endpoint check of ${run.url}`,
    style,
    `<main>
${hero(report)}
${facts(run.summary)}
${caveat ? `<p class="caveat">${caveat.title}: ${escapeHtml(caveat.text)}.</p>\n` : ''}${clientCertificate?.isEnding ? `<p class="caveat">Warning: ${clientCertificate.text}.</p>\n` : ''}${findingsHtml(findings)}
<section aria-labelledby="checks"><h2 id="checks">All checks</h2>
${groups.map(groupHtml).join('\n')}
</section>
</main>
<footer><p>The score is the weight of what passed in the weight of what was judged: a required check counts 3, a recommended one 1. What does not apply is left out.</p>
<p>Made by evfwd ${version}.</p></footer>`,
  );
}

function hero({ run, headline, about }: Report): string {
  const { score } = run.summary;
  const number =
    score === null
      ? '<strong>–</strong> <b>no score</b>'
      : `<strong>${score}</strong> <b>of 100${run.interruptedOf === undefined ? '' : ' so far'}</b>`;
  return `<h1>Endpoint check</h1>
<p class="hero">${number}</p>
<p class="verdict">${escapeHtml(headline)}</p>
<p class="url">${escapeHtml(run.url)}</p>
<p class="when">${escapeHtml(about)}</p>
${bar(run.summary)}`;
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

function groupHtml({ name, counts, results }: ResultGroup): string {
  const verdict = shown.find(([each]) => counts[each] > 0)?.[0] ?? 'pass';
  return `<details><summary>${markHtml(verdict)}<b>${escapeHtml(name)}</b><span>${escapeHtml(countTexts(counts).join(', '))}</span></summary>
<ul class="checks">
${results.map(checkHtml).join('\n')}
</ul></details>`;
}

function checkHtml({ check, verdict, message }: ReportedResult): string {
  const isProblem = verdict === 'fail' || verdict === 'warn';
  const title = isProblem
    ? `<a href="#${escapeHtml(check.id)}">${escapeHtml(check.title)}</a>`
    : escapeHtml(check.title);
  return `<li>${markHtml(verdict)}<p>${title} <span class="id">${escapeHtml(check.id)}</span></p><p class="note">${escapeHtml(message)}</p></li>`;
}

const lineWidth = 84;

/** Each failure and warning; the code is that of the framework that is chosen above. */
function findingsHtml(findings: readonly Finding[]): string {
  if (findings.length === 0) return '';
  return `<section aria-labelledby="problems">
<h2 id="problems">What to fix</h2>
${picks()}
<p class="picker"><span>Show the fix for</span>${frameworks.map((name, i) => `<label for="f${i}">${name}</label>`).join('')}</p>
<div class="problems">
${findings.map(findingHtml).join('\n')}
</div>
</section>`;
}

function picks(): string {
  return frameworks
    .map(
      (name, i) =>
        `<input class="pick" type="radio" name="framework" id="f${i}" aria-label="${name}"${i === 0 ? ' checked' : ''}>`,
    )
    .join('');
}

function findingHtml(finding: Finding): string {
  const { first, results, title, why, fix, received } = finding;
  return `<article class="problem ${first.verdict}">
<header>${markHtml(first.verdict)}<h3>${escapeHtml(expectation(title))}</h3></header>
<dl>
${row('Found', allFoundHtml(results))}
${row('Fix', escapeHtml(fix))}
${row('Why', escapeHtml(why))}
${row('Code', codeHtml(finding))}
${sentHtml(first)}
${received.length > 0 ? row('Received', preHtml(received)) : ''}
</dl>
</article>`;
}

/** With more than these, the fix would be out of sight. */
const shownResults = 4;

/** What each check found; of many, the rest on demand. */
function allFoundHtml(results: readonly ReportedResult[]): string {
  const isMany = results.length > shownResults;
  const shownOnes = (isMany ? results.slice(0, shownResults - 1) : results).map(foundHtml);
  if (!isMany) return shownOnes.join('\n');
  const rest = results.slice(shownResults - 1);
  return `${shownOnes.join('\n')}
<details class="more"><summary>${rest.length} more</summary>
${rest.map(foundHtml).join('\n')}</details>`;
}

/** What one check found; its row in the table of all checks leads here. */
function foundHtml(result: ReportedResult): string {
  const { check, message } = result;
  return `<div class="found" id="${escapeHtml(check.id)}"><p>${escapeHtml(sentence(message))}</p><p class="id">${escapeHtml(`${check.id} · ${verdictText(result)}`)}</p></div>`;
}

function sentHtml({ check, sharedCurl }: ReportedResult): string {
  if (sharedCurl === undefined) return row('Sent', escapeHtml(sentence(check.sends)));
  return row('Sent', preHtml(curlLines(sharedCurl, lineWidth)));
}

function codeHtml({ code, codeOf }: Finding): string {
  if (codeOf)
    return `as for <a href="#${escapeHtml(codeOf.first.check.id)}">${escapeHtml(codeOf.title)}</a>`;
  return frameworks
    .map(
      (name, i) => `<div class="code f${i}"><b>${name}</b>${preHtml(code(name).split('\n'))}</div>`,
    )
    .join('');
}

function row(label: string, html: string): string {
  return `<dt>${label}</dt><dd>${html}</dd>`;
}

/** Lines as they are; a command may have newlines in one. */
function preHtml(given: readonly string[]): string {
  const lines = given.flatMap((line) => line.split('\n'));
  return `<pre tabindex="0">${lines.map(escapeHtml).join('\n')}</pre>`;
}

/** A message with a capital, unless its first word is a name like `p95`. */
function sentence(text: string): string {
  return text.replace(/^[a-z]+(?![\w.-])/, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}

function markHtml(verdict: ReportedResult['verdict']): string {
  return `<span class="mark ${verdict}" role="img" aria-label="${verdictNames[verdict]}">${marks[verdict]}</span>`;
}
