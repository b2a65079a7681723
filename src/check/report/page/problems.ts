import { escapeHtml } from '../../../report/page/escape.js';
import { recipes } from '../../recipes/index.js';
import { frameworks } from '../../recipes/recipe.js';
import type { CheckResult } from '../../result.js';
import { curlLines } from '../curl-lines.js';
import { firstOfRecipe } from '../groups.js';
import { receivedLines } from '../received.js';
import { marks, verdictNames, verdictText } from '../words.js';

const lineWidth = 84;

/** Each failure and warning; the code is that of the framework that is chosen above. */
export function problemsHtml(problems: readonly CheckResult[]): string {
  if (problems.length === 0) return '';
  return `<section aria-labelledby="problems">
<h2 id="problems">What to fix</h2>
${picks()}
<p class="picker"><span>Show the fix for</span>${frameworks.map((name, i) => `<label for="f${i}">${name}</label>`).join('')}</p>
<div class="problems">
${problems.map((result) => problemHtml(result, firstOfRecipe(problems, result))).join('\n')}
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

function problemHtml(result: CheckResult, first: CheckResult): string {
  const { check, verdict, message } = result;
  return `<article class="problem ${verdict}" id="${escapeHtml(check.id)}">
<header>${markHtml(verdict)}<div><h3>${escapeHtml(check.title)}</h3><p class="id">${escapeHtml(`${check.id} · ${verdictText(result)}`)}</p></div></header>
<p class="found">${escapeHtml(sentence(message))}</p>
<dl>
${sentHtml(result)}
${result.evidence ? row('Received', preHtml(receivedLines(result.evidence))) : ''}
${row('Why', escapeHtml(check.why))}
${row('Fix', escapeHtml(check.fix))}
${row('Code', codeHtml(result, first))}
</dl>
</article>`;
}

function sentHtml({ check, sharedCurl }: CheckResult): string {
  if (sharedCurl === undefined) return row('Sent', escapeHtml(sentence(check.sends)));
  return row('Sent', preHtml(curlLines(sharedCurl, lineWidth)));
}

function codeHtml({ check }: CheckResult, first: CheckResult): string {
  if (first.check !== check)
    return `as for <a href="#${escapeHtml(first.check.id)}">${escapeHtml(first.check.title)}</a>`;
  return frameworks
    .map(
      (name, i) =>
        `<div class="code f${i}"><b>${name}</b>${preHtml(recipes[check.recipe][name].split('\n'))}</div>`,
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
