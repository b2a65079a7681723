import type { FoundDifference } from '../../replay/candidate/findings.js';
import type { StoredValue } from '../../replay/candidate/stored-value.js';
import { exampleCurl, type CandidateReport } from './report.js';

/** A line for each difference, and one for the summary. Numbers keep their digits. */
export function candidateJson({ differences, candidate, summary }: CandidateReport): string[] {
  return [
    ...differences.map((difference) => differenceJson(difference, candidate)),
    JSON.stringify({ type: 'summary', ...summary }),
  ];
}

function differenceJson(
  { method, path, kind, at, baseline, candidate, count, example }: FoundDifference,
  url: string,
): string {
  const { file, line } = example;
  const before = JSON.stringify({ type: 'difference', method, path, kind, at });
  const after = JSON.stringify({ count, example: { file, line, curl: exampleCurl(example, url) } });
  const values = `"baseline":${valueJson(baseline)},"candidate":${valueJson(candidate)}`;
  return `${before.slice(0, -1)},${values},${after.slice(1)}`;
}

/** JSON as it was received; a text stands for what is no JSON, or too long. */
function valueJson(value: StoredValue | null): string {
  if (value === null) return 'null';
  return 'json' in value ? value.json : JSON.stringify(value.text);
}
