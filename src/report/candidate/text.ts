import { count, countOf } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import type { Paint } from '../../output/text.js';
import type { FoundDifference } from '../../replay/candidate/findings.js';
import {
  bodyNote,
  byGroup,
  exampleCurl,
  hiddenNote,
  valueText,
  type CandidateReport,
} from './report.js';

/** The report for a terminal, a line an item. */
export function candidateText(report: CandidateReport, paint: Paint, isVerbose: boolean): string[] {
  const { differences, unanswered, noise, summary, notes } = report;
  const lines: string[] = [];
  for (const group of byGroup(differences)) {
    const { method, path } = group[0]!;
    lines.push(paint.bold(printable(`${method} ${path}`)));
    const shown = new Set<string>();
    for (const difference of group) {
      const place = placeOf(difference);
      lines.push(...differenceLines(difference, paint));
      // Once of a request that has several.
      if (!shown.has(place)) lines.push(...exampleLines(difference, report, paint));
      shown.add(place);
    }
  }
  for (const { method, path, url, reason, count: requests, place } of unanswered) {
    const what = `${method} ${path}: ${url} did not answer: ${reason}`;
    lines.push(
      `${paint.red(printable(what))}  ${countOf(requests, 'request')}, first ${printable(place)}`,
    );
  }
  if (isVerbose) {
    for (const { method, path, places } of noise) {
      lines.push(printable(`noise of ${method} ${path}: ${places.join(', ')}`));
    }
  }
  if (differences.length > 0) lines.push(paint.dim(hiddenNote));
  lines.push(...notes.map(printable));
  return [...lines, ...summaryLines(summary)];
}

function placeOf({ example: { file, line } }: FoundDifference): string {
  return `${file}:${line}`;
}

function differenceLines(difference: FoundDifference, paint: Paint): string[] {
  const { kind, at, baseline, candidate, count: requests } = difference;
  return [
    `  ${paint.yellow(kind)}  ${at === kind ? '' : `${printable(at)}  `}${countOf(requests, 'request')}, first ${printable(placeOf(difference))}`,
    `    baseline   ${printable(valueText(baseline))}`,
    `    candidate  ${printable(valueText(candidate))}`,
  ];
}

/** How to send the first of its requests again. */
function exampleLines(
  { example }: FoundDifference,
  { candidate: url }: CandidateReport,
  paint: Paint,
): string[] {
  const note = bodyNote(example);
  const texts = [exampleCurl(example, url), ...(note === undefined ? [] : [note])];
  return texts.map((text) => `    ${paint.dim(printable(text))}`);
}

function summaryLines({ requests, same, different, noise, failed }: CandidateReport['summary']) {
  const places = noise > 0 ? [`noise      ${countOf(noise, 'place')}`] : [];
  return [
    `requests   ${count(requests)}`,
    `same       ${count(same)}`,
    `different  ${count(different)}`,
    ...(failed > 0 ? [`failed     ${count(failed)}`] : []),
    ...places,
  ];
}
