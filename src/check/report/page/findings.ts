import { escapeHtml } from '../../../report/page/escape.js';
import { fixCode } from '../../fixes/handler.js';
import type { FixInput } from '../../fixes/input.js';
import { frameworks } from '../../fixes/frameworks.js';
import type { CheckResult } from '../../result.js';
import { curlLines } from '../curl-lines.js';
import { firstWithCode, type Finding } from '../findings.js';
import { receivedLines } from '../received.js';
import { marks, verdictNames, verdictText } from '../words.js';

const lineWidth = 84;

/** Each failure and warning; the code is that of the framework that is chosen above. */
export function findingsHtml(findings: readonly Finding[], fixes: FixInput): string {
  if (findings.length === 0) return '';
  return `<section aria-labelledby="problems">
<h2 id="problems">What to fix</h2>
${picks()}
<p class="picker"><span>Show the fix for</span>${frameworks.map((name, i) => `<label for="f${i}">${name}</label>`).join('')}</p>
<div class="problems">
${findings.map((finding) => findingHtml(finding, firstWithCode(findings, finding), fixes)).join('\n')}
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

function findingHtml(finding: Finding, shown: Finding, fixes: FixInput): string {
  const { first, title, why, fix } = finding;
  const { verdict, evidence } = first;
  return `<article class="problem ${verdict}">
<header>${markHtml(verdict)}<h3>${escapeHtml(title)}</h3></header>
${finding.results.map(foundHtml).join('\n')}
<dl>
${row('Fix', escapeHtml(fix))}
${row('Why', escapeHtml(why))}
${row('Code', codeHtml(finding, shown, fixes))}
${sentHtml(first)}
${evidence ? row('Received', preHtml(receivedLines(evidence))) : ''}
</dl>
</article>`;
}

/** What one check found; its row in the table of all checks leads here. */
function foundHtml(result: CheckResult): string {
  const { check, message } = result;
  return `<div class="found" id="${escapeHtml(check.id)}"><p>${escapeHtml(sentence(message))}</p><p class="id">${escapeHtml(`${check.id} · ${verdictText(result)}`)}</p></div>`;
}

function sentHtml({ check, sharedCurl }: CheckResult): string {
  if (sharedCurl === undefined) return row('Sent', escapeHtml(sentence(check.sends)));
  return row('Sent', preHtml(curlLines(sharedCurl, lineWidth)));
}

function codeHtml(finding: Finding, shown: Finding, fixes: FixInput): string {
  const { check } = shown.first;
  if (shown !== finding)
    return `as for <a href="#${escapeHtml(check.id)}">${escapeHtml(shown.title)}</a>`;
  return frameworks
    .map(
      (name, i) =>
        `<div class="code f${i}"><b>${name}</b>${preHtml(fixCode(check.snippet, name, fixes).split('\n'))}</div>`,
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

export function markHtml(verdict: CheckResult['verdict']): string {
  return `<span class="mark ${verdict}" role="img" aria-label="${verdictNames[verdict]}">${marks[verdict]}</span>`;
}
