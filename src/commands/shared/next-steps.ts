import { lineTooLong } from '../../events/rules.js';
import { failuresOfAllRuns, type Summary } from '../../ledger/summary.js';
import type { Ending } from '../../run/run.js';
import { count, countOf } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { shortReason } from '../../output/reason-text.js';
import {
  resumeCommand,
  retryCommand,
  secretFilesFor,
  variablesFor,
} from '../flags/next-command.js';
import type { Io } from './command.js';
import type { TypedFlag } from '../flags/flag.js';

/** What the next steps depend on. */
export interface StepParts {
  /** The command and what it sends. Default: `evfwd import`, events. */
  readonly program?: { readonly command: string; readonly items: string };
  /** The files that were passed as arguments. */
  readonly files: readonly string[];
  readonly flags: { readonly limit?: number; readonly allUrls?: boolean };
  readonly io: Pick<Io, 'cwd'>;
  readonly state: { readonly isResumable: boolean };
  /** The flags as they were typed. */
  readonly typed: readonly TypedFlag[];
}

type Parts = StepParts;

const importing = { command: 'evfwd import', items: 'events' };

/** What a user should know and do next, line by line. */
export function nextSteps(parts: Parts, ending: Ending): string[] {
  const { isInterrupted, stopReason, summary } = ending;
  const lines = failureSteps(parts, summary);
  if (stopReason !== undefined) lines.push(`stopped: ${stopReason.message}; the rest is pending`);
  if (!parts.state.isResumable) return lines;
  if (isInterrupted) return [...lines, ...resumeSteps(parts, 'run')];
  if (stopReason === undefined) return [...lines, ...limitStep(parts, summary)];
  const { advice } = stopReason;
  if (advice !== undefined) lines.push(advice);
  return [...lines, ...resumeSteps(parts, 'fix the cause and run')];
}

/** What a user should know and do about failures. */
export function failureSteps(
  parts: Pick<Parts, 'flags' | 'io' | 'typed' | 'program'>,
  summary: Summary,
): string[] {
  return [...urlWarnings(parts, summary), ...retrySteps(parts, summary)];
}

function limitStep(
  { flags: { limit }, program = importing }: Parts,
  { delivered, failed }: Summary,
): string[] {
  if (limit === undefined || delivered + failed < limit) return [];
  return [`--limit ${limit} is reached; the same command sends the ${program.items} after it`];
}

/** URLs whose failures are not failures of the run, since another URL accepted the events. */
export function urlWarnings(
  { flags }: { readonly flags: Pick<Parts['flags'], 'allUrls'> },
  { urls = [], delivered, failed }: Summary,
): string[] {
  if (flags.allUrls) return [];
  const behind = urls.filter((url) => url.failed > failed);
  return behind.map(({ url, failed: missed, lastReason }) => {
    const reason = lastReason === null ? '' : ` (${shortReason(lastReason)})`;
    return `warning: ${url} did not accept ${count(missed)} of ${countOf(delivered + failed, 'event')}${reason}; one URL is enough, unless --all-urls is used`;
  });
}

function retrySteps(
  { typed, io, program = importing }: Pick<Parts, 'typed' | 'io' | 'program'>,
  summary: Summary,
): string[] {
  const { deadLetter, reasons } = summary;
  if (deadLetter === null) return [];
  const countOfCode = (code: string): number =>
    reasons.find((reason) => reason.code === code)?.count ?? 0;
  const [cut, lacking] = [countOfCode(lineTooLong), countOfCode('bad_har_entry')];
  const saved = savedText(deadLetter, program.items);
  const untyped = countOfCode('missing_type');
  if (
    program.command === importing.command &&
    untyped > 0 &&
    untyped === failuresOfAllRuns(summary)
  ) {
    return [`${saved}; they are no events yet: make them events with --from, --map or --transform`];
  }
  const unchanged = countOfCode('transform_failed');
  if (unchanged > 0) {
    const what = countOf(unchanged, 'is', 'are');
    return [
      `${saved}; ${what} there as read, since --transform failed: correct the function, and import these lines with it`,
    ];
  }
  const correct =
    summary.rejected + summary.earlier.rejected > cut + lacking
      ? 'correct what was rejected there, then '
      : '';
  const lines =
    failuresOfAllRuns(summary) > cut + lacking
      ? [
          `${saved}; ${correct}retry them with${variablesText(typed)}:`,
          `  ${retryCommand(deadLetter, typed, io.cwd, program.command)}`,
        ]
      : [saved];
  if (cut > 0) {
    const what = countOf(cut, 'line was', 'lines were');
    lines.push(
      `${what} too long (${lineTooLong}) and cannot be retried from there; correct the original file`,
    );
  }
  if (lacking > 0) {
    const what = countOf(lacking, 'HAR entry lacks', 'HAR entries lack');
    lines.push(
      `${what} what is to be sent and cannot be retried from there; export the file again`,
    );
  }
  return lines;
}

/** @param items what has failed, in the plural */
export function savedText(deadLetter: string, items: string): string {
  return `failed ${items} saved to ${printable(deadLetter)}`;
}

/** `what`: what to do before, as `fix the cause and run`. */
export function resumeSteps(
  { files, typed, program = importing }: Pick<Parts, 'files' | 'typed' | 'program'>,
  what: string,
): string[] {
  const again = `${what} the same command again to resume`;
  const command = resumeCommand(files, typed, program.command);
  return command === undefined ? [again] : [`${again}${variablesText(typed)}:`, `  ${command}`];
}

/** ` (set EVFWD_SECRET first)`: what the commands of these flags need, since secrets are not shown. */
export function variablesText(typed: Parts['typed']): string {
  const [files, variables] = [secretFilesFor(typed), variablesFor(typed)];
  const steps = [
    files.length > 0 && `put the secrets into ${listed(files)}, newest first`,
    variables.length > 0 && `set ${listed(variables)} first`,
  ].filter((step) => step !== false);
  return steps.length === 0 ? '' : ` (${steps.join('; ')})`;
}

function listed(names: readonly string[]): string {
  return names.join(' and ');
}
