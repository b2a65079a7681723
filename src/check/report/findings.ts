import { causes, type Cause } from '../causes.js';
import type { CheckReport, ReportedResult } from '../result.js';
import { groupOf } from '../check.js';

/** What is to be fixed: one check that did not pass, or several with one cause. */
export interface Finding {
  /** The worst one, whose command and response are shown. */
  readonly first: ReportedResult;
  /** All of them, failures first. */
  readonly results: readonly ReportedResult[];
  /** What a good endpoint does. */
  readonly title: string;
  readonly why: string;
  readonly fix: string;
}

/** Failures first, then warnings; those with one cause are one. */
export function findingsOf({ results }: Pick<CheckReport, 'results'>): Finding[] {
  const problems = problemsIn(results);
  const byCause = new Map<unknown, ReportedResult[]>();
  for (const result of problems) {
    const key = causeOf(result, problems) ?? result;
    byCause.set(key, [...(byCause.get(key) ?? []), result]);
  }
  return [...byCause.values()].map((own) => findingOf(own, problems));
}

/** What did not pass: failures first, then warnings. */
export function problemsIn(results: readonly ReportedResult[]): ReportedResult[] {
  return [
    ...results.filter(({ verdict }) => verdict === 'fail'),
    ...results.filter(({ verdict }) => verdict === 'warn'),
  ];
}

function findingOf(
  results: readonly ReportedResult[],
  problems: readonly ReportedResult[],
): Finding {
  const first = results[0]!;
  const shared = results.length > 1 ? causeOf(first, problems) : undefined;
  const { title, why, fix } = { ...first.check, ...shared };
  return { first, results, title, why, fix };
}

/** Where a signature is not compared at all, its time is not looked at either. */
function causeOf(
  { check }: ReportedResult,
  problems: readonly ReportedResult[],
): Cause | undefined {
  const verifiesNothing = problems.some((one) => one.check.id === 'sign.wrong-key');
  if (verifiesNothing && groupOf(check) === 'time') return causes.verification;
  return check.cause && causes[check.cause];
}

/** Several findings have the same fix in code, which is shown once: with this one. */
export function firstWithCode(findings: readonly Finding[], { first }: Finding): Finding {
  return findings.find((one) => one.first.check.snippet === first.check.snippet)!;
}

/** `sign.missing`, or `sign.missing and 3 more`. */
export function idsText({ first, results }: Finding): string {
  const more = results.length - 1;
  return more === 0 ? first.check.id : `${first.check.id} and ${more} more`;
}
