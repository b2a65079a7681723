import type { EvfwdError } from '../../errors.js';
import type { Input } from '../../sources/input.js';
import { cutTo } from '../../output/columns.js';
import { count, countOf } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { pathText } from '../../json/path.js';
import { noAnswerText } from '../../replay/candidate/client.js';
import { pathWithoutIds } from '../../replay/candidate/ids.js';
import type {
  ComparisonCounts,
  ComparisonListener,
  HandlerComparison,
  Unanswered,
} from '../../replay/candidate/comparison.js';
import type { IgnoredPlaces } from '../../replay/candidate/ignore.js';
import { shownPath } from '../../replay/path.js';
import type { CandidateReport, UnansweredReport } from '../../report/candidate/report.js';
import type { OutputFlags } from '../flags/output.js';
import type { Io } from '../shared/command.js';
import type { Versions } from './candidate-versions.js';
import { RunReport } from '../shared/run-report.js';

const clearLine = '\r\u001b[K';
/** How often the live line changes. */
const lineMs = 100;
/** Reasons for no answer that are told apart; hosts that reply differently each time have no more. */
const maxReasons = 200;
/** Groups that are named in notes. */
const maxGroupNotes = 10;

type UnansweredCount = Omit<UnansweredReport, 'url' | 'count'> &
  Pick<Unanswered, 'of'> & { count: number };

/** What is said while versions are compared, on standard error, and what is counted for the report. */
export class CandidateOutput {
  readonly #report: RunReport;
  /** Undefined where no live line is shown. */
  readonly #line: ((text: string) => void) | undefined;
  readonly #clear: () => void;
  readonly #unanswered = new Map<string, UnansweredCount>();
  #isBroken = false;
  #shownAt = -Infinity;
  #hasLine = false;

  constructor(flags: OutputFlags, { stderr, env }: Io) {
    this.#report = new RunReport(flags, { stderr, env } as Io);
    const isShown = stderr.isTTY && env.TERM !== 'dumb' && !flags.quiet && !flags.json;
    if (isShown) {
      this.#line = (text) => stderr.write(clearLine + cutTo(text, (stderr.columns || 80) - 1));
    }
    this.#clear = () => void stderr.write(clearLine);
  }

  /** Whether an input could not be read to its end. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  say(text: string): void {
    this.end();
    this.#report.say(text);
  }

  broken(error: EvfwdError): void {
    this.end();
    this.#isBroken = true;
    this.#report.broken(error);
  }

  /** Removes the live line. */
  end(): void {
    if (this.#hasLine) this.#clear();
    this.#hasLine = false;
  }

  listener(): ComparisonListener {
    return {
      rejected: (rejected) => {
        this.end();
        const { origin } = 'item' in rejected ? rejected.item : rejected;
        const about = 'item' in rejected ? ` ${requestText(rejected.item.request)}` : '';
        this.#report.reportProblem(`${printable(origin.file)}:${origin.line}${printable(about)}`, {
          verdict: 'rejected',
          message: rejected.message,
        });
      },
      unanswered: (unanswered) => this.#count(unanswered),
      credentialsToOtherHost: (host) =>
        this.say(
          `warning: recorded Authorization or Cookie headers go to ${printable(host)}, which is not the recorded host; --drop-header Authorization,Cookie leaves them out`,
        ),
      progress: (counts) => {
        const now = performance.now();
        if (!this.#line || now - this.#shownAt < lineMs) return;
        this.#shownAt = now;
        this.#hasLine = true;
        const { requests, different, failed } = counts();
        this.#line(
          `comparing  ${countOf(requests, 'request')}  ${count(different)} different  ${count(failed)} failed`,
        );
      },
    };
  }

  #count({ item, of, why }: Unanswered): void {
    const { method, path } = item.request;
    const shown = pathWithoutIds(shownPath(path));
    const reason = noAnswerText(why);
    const key = JSON.stringify([of, method, shown, reason]);
    const known = this.#unanswered.get(key);
    if (known) known.count++;
    else if (this.#unanswered.size < maxReasons) {
      const place = `${item.origin.file}:${item.origin.line}`;
      this.#unanswered.set(key, { of, method, path: shown, reason, place, count: 1 });
    }
  }

  unanswered({ baseline, candidate }: Pick<CandidateReport, 'baseline' | 'candidate'>) {
    return [...this.#unanswered.values()].map(({ of, ...rest }): UnansweredReport => ({
      ...rest,
      url: of === 'baseline' ? baseline : candidate,
    }));
  }
}

function requestText({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${shownPath(path)}`;
}

/** What a report is made of. */
export interface ReportParts {
  readonly comparison: HandlerComparison;
  readonly output: CandidateOutput;
  readonly inputs: readonly Input[];
  readonly baselineRuns: number;
  readonly versions: Versions;
  readonly ignored: IgnoredPlaces;
  readonly isInterrupted: boolean;
}

export function reportOf(parts: ReportParts): CandidateReport {
  const { comparison, output, inputs, versions, baselineRuns } = parts;
  const [baseline, candidate] = [versions.baseline.shown, versions.candidate.shown];
  const { findings, counts } = comparison;
  const { requests, different, failed } = counts;
  const noise = findings.noise();
  return {
    files: inputs.map(({ name }) => (name === '-' ? 'standard input' : name)),
    ...{ baseline, candidate, baselineRuns, noise },
    differences: findings.differences(),
    unanswered: output.unanswered({ baseline, candidate }),
    summary: {
      requests,
      same: requests - different - failed,
      different,
      noise: noise.reduce((sum, { places }) => sum + places.length, 0),
      failed,
    },
    notes: notesOf(parts, counts),
  };
}

function notesOf(
  { comparison, ignored, isInterrupted }: ReportParts,
  { requests, failed, skipped, cut, refused }: ComparisonCounts,
): string[] {
  const notes: string[] = [];
  if (cut > 0) {
    const responses = countOf(cut, 'response was', 'responses were');
    notes.push(`${responses} longer than 1 MiB; only the first 1 MiB was compared`);
  }
  const withoutBodies = comparison.findings.withoutBodies();
  for (const { method, path } of withoutBodies.slice(0, maxGroupNotes)) {
    notes.push(`all bodies of ${method} ${path} were left out as noise`);
  }
  if (withoutBodies.length > maxGroupNotes) {
    notes.push(
      `so were those of ${countOf(withoutBodies.length - maxGroupNotes, 'further group')}; --verbose lists them`,
    );
  }
  const { unrepeated } = comparison.findings;
  if (unrepeated > 0) {
    const left = countOf(unrepeated, 'place', 'places');
    notes.push(
      `rare differences at ${left} were left out, since they were not there again when repeated; --verbose lists them as noise`,
    );
  }
  if (comparison.findings.hasLeftOut) {
    notes.push('there are more differences than are kept; not all of them are shown');
  }
  if (requests > failed) {
    for (const place of ignored.unused) {
      notes.push(`--ignore ${pathText(place)} left nothing out; no difference was found there`);
    }
  }
  if (refused > 0 && refused === requests - failed) {
    notes.push(
      'both versions refused each request (401 or 403); sign them anew with --scheme and --secret-file, or check the secret',
    );
  }
  if (comparison.isUnreachable) {
    notes.push(
      'stopped: none of the first 100 requests was answered by both; check --url and --candidate',
    );
  }
  if (isInterrupted) notes.push('interrupted: not all requests were compared');
  else if (requests === 0) {
    const why = skipped > 0 ? `all ${count(skipped)} were left out by filters` : 'there is none';
    notes.push(`no request was compared: ${why}`);
  }
  return notes;
}
