import { count, countOf } from '../../output/numbers.js';
import type { FoundDifference } from '../../replay/candidate/findings.js';
import { version } from '../../version.js';
import { documentHtml } from '../page/document.js';
import { escapeHtml } from '../page/escape.js';
import { style } from './page-style.js';
import {
  bodyNote,
  byGroup,
  exampleCurl,
  hiddenNote,
  valueText,
  type CandidateReport,
  type CandidateSummary,
} from './report.js';

/** The comparison as one self-contained page without scripts, to be handed to a colleague. */
export function candidatePage(report: CandidateReport): string {
  const { summary, candidate, notes, differences } = report;
  const groups = byGroup(differences.slice(0, shownDifferences));
  return documentHtml(
    `${headline(summary)} · ${candidate}`,
    style,
    `<main>
${hero(report)}
${facts(summary)}
${notes.map((note) => `<p class="caveat">${escapeHtml(sentence(note))}</p>`).join('\n')}
${groups.map((group) => groupHtml(group, report)).join('\n')}
${moreHtml(report)}
${unansweredHtml(report)}
${noiseHtml(report)}
</main>
${footer(report)}`,
  );
}

/** More than anybody reads; `--json` has them all. */
const shownDifferences = 500;

function moreHtml({ differences }: CandidateReport): string {
  const more = differences.length - shownDifferences;
  return more > 0 ? `<p class="note">and ${count(more)} more; --json has them all</p>` : '';
}

function headline({ requests, different, failed }: CandidateSummary): string {
  if (requests === 0) return 'No request was compared';
  if (different > 0) return `${count(different)} of ${countOf(requests, 'request')} differ`;
  if (failed === requests) return 'No request was answered by both';
  return `No difference in ${countOf(requests - failed, 'request')}`;
}

function hero({ summary, baseline, candidate, baselineRuns, files }: CandidateReport): string {
  const { requests, different } = summary;
  const shown = different > 0 ? different : summary.same;
  const [is, differs] = shown === 1 ? ['is', 'differs'] : ['are', 'differ'];
  const text = different > 0 ? differs : `${is} the same`;
  const runs = baselineRuns === 1 ? 'once' : 'twice';
  return `<h1>Two versions of a handler</h1>
<p class="hero"><strong>${count(shown)}</strong> <span>of ${countOf(requests, 'request')} ${text}</span></p>
<dl class="versions"><dt>Baseline</dt><dd>${escapeHtml(baseline)}</dd><dt>Candidate</dt><dd>${escapeHtml(candidate)}</dd></dl>
<p class="when">The requests of ${escapeHtml(files.join(', '))}, each sent ${runs} to the baseline and once to the candidate.</p>
${bar(summary)}`;
}

/** The counts as a bar; the numbers are below it. */
function bar({ same, different, failed }: CandidateSummary): string {
  const parts = Object.entries({ same, different, failed })
    .filter(([, requests]) => requests > 0)
    .map(([name, requests]) => `<i class="${name}" style="flex:${requests}"></i>`);
  return `<div class="bar" aria-hidden="true">${parts.join('')}</div>`;
}

function facts({ requests, same, different, failed, noise }: CandidateSummary): string {
  const pairs = {
    Requests: requests,
    Same: same,
    Different: different,
    Failed: failed,
    'Places of noise': noise,
  };
  const items = Object.entries(pairs).map(
    ([name, value]) => `<div><dt>${name}</dt><dd>${count(value)}</dd></div>`,
  );
  return `<dl class="facts">${items.join('')}</dl>`;
}

function groupHtml(group: readonly FoundDifference[], report: CandidateReport): string {
  const { method, path } = group[0]!;
  return `<section><h2><b>${escapeHtml(method)}</b>${escapeHtml(path)} <small>${countOf(group.length, 'difference')}</small></h2>
${group.map((difference) => differenceHtml(difference, report)).join('\n')}
</section>`;
}

function differenceHtml(
  { kind, at, baseline, candidate, count: requests, example }: FoundDifference,
  report: CandidateReport,
): string {
  const values = [baseline, candidate].map((value) => (value === null ? null : valueText(value)));
  const [one, other] = marked(values[0] ?? null, values[1] ?? null);
  const note = bodyNote(example);
  const command = escapeHtml(exampleCurl(example, report.candidate));
  return `<article class="difference"><header>${at === kind ? '' : `<span class="kind">${kind}</span>`}<h3>${escapeHtml(at)}</h3><span class="note">${countOf(requests, 'request')}</span></header>
<dl class="values"><div><dt>Baseline</dt><dd class="value old" tabindex="0">${one}</dd></div><div><dt>Candidate</dt><dd class="value new" tabindex="0">${other}</dd></div></dl>
<details><summary>First seen in ${escapeHtml(`${example.file}:${example.line}`)}, as curl</summary><pre tabindex="0">${command}</pre>${note === undefined ? '' : `<p class="note">${escapeHtml(note)}</p>`}</details></article>`;
}

/** Both values, with what differs between their common beginning and end marked. */
function marked(one: string | null, other: string | null): [string, string] {
  const none = '<span class="none">none</span>';
  if (one === null || other === null) {
    return [one === null ? none : escapeHtml(one), other === null ? none : escapeHtml(other)];
  }
  const [ones, others] = [Array.from(one), Array.from(other)];
  const most = Math.min(ones.length, others.length);
  let start = 0;
  while (start < most && ones[start] === others[start]) start++;
  let end = 0;
  while (end < most - start && ones.at(-1 - end) === others.at(-1 - end)) end++;
  return [markedPart(ones, start, end), markedPart(others, start, end)];
}

function markedPart(characters: readonly string[], start: number, end: number): string {
  const stop = characters.length - end;
  const part = (from: number, to: number): string =>
    escapeHtml(characters.slice(from, to).join(''));
  const middle = part(start, stop);
  const mark = middle === '' ? '' : `<mark>${middle}</mark>`;
  return `${part(0, start)}${mark}${part(stop, characters.length)}`;
}

function unansweredHtml({ unanswered }: CandidateReport): string {
  if (unanswered.length === 0) return '';
  const items = unanswered.map(
    ({ method, path, url, reason, count: requests, place }) =>
      `<article class="difference failed"><header><span class="kind">no answer</span><h3>${escapeHtml(`${method} ${path}`)}</h3><span class="note">${countOf(requests, 'request')}</span></header>
<p>${escapeHtml(`${url}: ${reason}`)}</p><p class="note">First seen in ${escapeHtml(place)}</p></article>`,
  );
  return `<section><h2>Not answered</h2>\n${items.join('\n')}\n</section>`;
}

function noiseHtml({ noise }: CandidateReport): string {
  if (noise.length === 0) return '';
  const items = noise.map(({ method, path, places }) => {
    const codes = places.map((place) => `<code>${escapeHtml(place)}</code>`).join('');
    return `<li><b>${escapeHtml(`${method} ${path}`)}</b><br>${codes}</li>`;
  });
  return `<section><h2>Noise</h2>
<p class="note">What differs between two responses of the baseline to the same request is not compared.</p>
<ul class="places">${items.join('\n')}</ul></section>`;
}

function footer({ differences }: CandidateReport): string {
  const hidden =
    differences.length > 0
      ? `<p>The values are those of the first example; ${hiddenNote}.</p>\n`
      : '';
  return `<footer>${hidden}<p>Made by evfwd ${version}.</p></footer>`;
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
