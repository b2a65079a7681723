import { countOf, durationText } from '../../output/numbers.js';
import { causes, type Cause } from '../causes.js';
import { groupOf } from '../check.js';
import { daysText } from '../connection/certificate.js';
import { fixCode } from '../fixes/handler.js';
import type { Framework } from '../fixes/frameworks.js';
import type { Verdict } from '../options.js';
import { countsOf, type CheckReport, type ReportedResult } from '../result.js';
import { rateText } from '../statistics.js';
import { receivedLines } from './evidence.js';
import { countTexts } from './words.js';

/** What every format says of a run, in plain text; a format adds its markup. */
export interface Report {
  readonly run: CheckReport;
  /** The whole run in one sentence. */
  readonly headline: string;
  /** `92 of 100`, with `so far` after an interruption, or `none`. */
  readonly score: string;
  /** `1 failed, 2 warnings, 50 passed` */
  readonly counts: string;
  /** `63 checks in 12 s`, with the scheme and the time at which the run began. */
  readonly about: string;
  readonly caveat?: Caveat | undefined;
  /** Undefined if none was sent. */
  readonly clientCertificate?: ClientCertificateNote | undefined;
  readonly groups: readonly ResultGroup[];
  /** Failures first, then warnings. */
  readonly findings: readonly Finding[];
}

/** What limits the meaning of the whole report. */
export interface Caveat {
  readonly title: string;
  /** A sentence without a period. */
  readonly text: string;
}

/** How long the client certificate is valid: it is no part of the score, which is about the endpoint. */
export interface ClientCertificateNote {
  /** Whole days; 0 or less if it has expired. */
  readonly daysLeft: number;
  /** Milliseconds since 1970. */
  readonly end: number;
  /** Whether it should have been renewed. */
  readonly isEnding: boolean;
  /** A sentence without a period. */
  readonly text: string;
}

/** The results of one group, in the order of the report. */
export interface ResultGroup {
  readonly name: string;
  readonly results: readonly ReportedResult[];
  readonly counts: Readonly<Record<Verdict, number>>;
}

/** What is to be fixed: one check that did not pass, or several with one cause. */
export interface Finding {
  /** The worst one, whose command and response are shown. */
  readonly first: ReportedResult;
  /** All of them, failures first. */
  readonly results: readonly ReportedResult[];
  /** `sign.missing`, or `sign.missing and 3 more`. */
  readonly ids: string;
  /** What a good endpoint does. */
  readonly title: string;
  readonly why: string;
  readonly fix: string;
  /** What came back of the request of the first one. */
  readonly received: readonly string[];
  /** The earlier finding whose fix in code is the same, where it is shown; undefined if it is shown here. */
  readonly codeOf?: Finding | undefined;
  readonly code: (framework: Framework) => string;
}

export function reportModel(run: CheckReport): Report {
  const findings = findingsOf(run);
  return {
    run,
    headline: headlineOf(run, findings),
    score: scoreOf(run),
    counts: countTexts(run.summary).join(', '),
    about: aboutOf(run),
    caveat: caveatOf(run),
    clientCertificate: clientCertificateOf(run),
    groups: groupsOf(run.results),
    findings,
  };
}

/** What did not pass: failures first, then warnings. */
export function problemsIn(results: readonly ReportedResult[]): ReportedResult[] {
  return [
    ...results.filter(({ verdict }) => verdict === 'fail'),
    ...results.filter(({ verdict }) => verdict === 'warn'),
  ];
}

/** Problems with one cause are one finding. */
function findingsOf({ results, fixes }: CheckReport): Finding[] {
  const problems = problemsIn(results);
  const byCause = new Map<unknown, ReportedResult[]>();
  for (const result of problems) {
    const key = causeOf(result, problems) ?? result;
    byCause.set(key, [...(byCause.get(key) ?? []), result]);
  }
  const findings: Finding[] = [];
  for (const own of byCause.values()) {
    const first = own[0]!;
    const shared = own.length > 1 ? causeOf(first, problems) : undefined;
    const { title, why, fix } = { ...first.check, ...shared };
    const { id, snippet } = first.check;
    findings.push({
      ...{ first, results: own, title, why, fix },
      ids: own.length === 1 ? id : `${id} and ${own.length - 1} more`,
      received: first.evidence ? receivedLines(first.evidence) : [],
      codeOf: findings.find((earlier) => earlier.first.check.snippet === snippet),
      code: (framework) => fixCode(snippet, framework, fixes),
    });
  }
  return findings;
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

function groupsOf(results: readonly ReportedResult[]): ResultGroup[] {
  const names = [...new Set(results.map(({ check }) => groupOf(check)))];
  return names.map((name) => {
    const own = results.filter(({ check }) => groupOf(check) === name);
    return { name, results: own, counts: countsOf(own) };
  });
}

function headlineOf(run: CheckReport, findings: readonly Finding[]): string {
  const { isConclusive, incomplete, summary, interruptedOf } = run;
  if (!isConclusive && interruptedOf === undefined) return 'This endpoint could not be judged.';
  const { fail, warn } = summary;
  if (fail > 0) return `This endpoint fails ${countOf(fail, 'check')}${reasons(fail, findings)}.`;
  if (incomplete !== undefined || interruptedOf !== undefined)
    return 'This endpoint was not judged in full.';
  if (warn > 0) return `This endpoint does all that is required, with ${countOf(warn, 'warning')}.`;
  return 'This endpoint is a good receiver.';
}

/** `, all for one reason`, where a finding has several checks. */
function reasons(failed: number, findings: readonly Finding[]): string {
  const failing = findings.filter(({ first }) => first.verdict === 'fail').length;
  if (failing === failed) return '';
  return failing === 1 ? ', all for one reason' : `, for ${failing} reasons`;
}

function scoreOf({ summary: { score }, interruptedOf }: CheckReport): string {
  if (score === null) return 'none';
  return interruptedOf === undefined ? `${score} of 100` : `${score} of 100 so far`;
}

function caveatOf(run: CheckReport): Caveat | undefined {
  const { incomplete, endedEarly, isConclusive, interruptedOf, results } = run;
  if (interruptedOf !== undefined) {
    const text = `the score stands after ${results.length} of ${interruptedOf} checks`;
    return { title: 'Interrupted', text };
  }
  const why = incomplete ?? (isConclusive ? undefined : endedEarly);
  if (why !== undefined) return { title: 'Could not be judged', text: why };
  return endedEarly === undefined ? undefined : { title: 'Ended early', text: endedEarly };
}

const dayMs = 86_400_000;
/** As a destination of `serve` warns, too. */
const warnDays = 14;

/** As of the end of the run. */
function clientCertificateOf(run: CheckReport): ClientCertificateNote | undefined {
  const { clientCertificateEnd: end, startedAt, durationMs } = run;
  if (end === undefined) return undefined;
  const leftMs = end - startedAt - durationMs;
  const isEnding = leftMs <= warnDays * dayMs;
  const left = leftMs > 0 ? `is valid for ${daysText(leftMs)} more` : 'has expired';
  const text = `the client certificate ${left}${isEnding ? '; renew it' : ''}`;
  return { daysLeft: Math.floor(leftMs / dayMs), end, isEnding, text };
}

function aboutOf({ results, durationMs, scheme, startedAt, slowedTo }: CheckReport): string {
  const time = new Date(startedAt).toISOString().slice(0, 16).replace('T', ' ');
  const signed = scheme === undefined ? 'not signed' : `signed as ${scheme}`;
  const pace =
    slowedTo === undefined ? '' : ` (slowed down to ${rateText(slowedTo)} by its rate limit)`;
  return `${countOf(results.length, 'check')} in ${durationText(durationMs / 1000)}${pace}, ${signed}, ${time} UTC`;
}
