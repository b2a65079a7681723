import { resolve } from 'node:path';
import { systemClock } from '../../clock.js';
import { RateLimiter } from '../../delivery/rate-limiter.js';
import { exitCodes } from '../../errors.js';
import { limitHeapGrowth } from '../../memory-limits.js';
import { printable } from '../../output/printable.js';
import { colors } from '../../output/text.js';
import { writeSlowly } from '../../output/write-slowly.js';
import { HandlerComparison, type ComparisonOptions } from '../../replay/candidate/comparison.js';
import { IgnoredPlaces } from '../../replay/candidate/ignore.js';
import { BodyEditor } from '../../replay/edit-body.js';
import { captureItems } from '../../replay/parse-capture.js';
import { readCaptures } from '../../replay/read-captures.js';
import { RequestFilters } from '../../replay/request-filters.js';
import { captureSelector } from '../../replay/select.js';
import { candidateJson } from '../../report/candidate/json.js';
import { candidatePage } from '../../report/candidate/page.js';
import type { CandidateReport } from '../../report/candidate/report.js';
import { candidateText } from '../../report/candidate/text.js';
import { checkPagePath, writePage } from '../../report/write-page.js';
import { SpeedSchedule } from '../../run/speed-schedule.js';
import { signingSecrets } from '../../webhook/signing.js';
import { checkPeriod } from '../flags/run.js';
import { resolveChanges } from '../shared/changes.js';
import { checkTokens } from '../shared/check-tokens.js';
import { confirmAddress } from '../shared/confirm-address.js';
import { filesText } from '../shared/files-text.js';
import { Interruption } from '../shared/interruption.js';
import { warnOfVisibleSecret } from '../shared/secret-flags.js';
import { CandidateOutput, reportOf } from './candidate-output.js';
import { checkReachable, versionsOf, type Versions } from './candidate-versions.js';
import { findCaptures, type Captures } from './captures.js';
import type { CandidateCall } from './parts.js';
import { checkSignatures, noteOfBatch, prepare, type Prepared } from './prepare.js';

/** Everything that is known before a request is sent. */
interface Plan extends CandidateCall, Prepared, Captures {
  readonly versions: Versions;
  readonly baselineRuns: 1 | 2;
  /** Where the page is written. */
  readonly page: string | undefined;
  /** What is the same for each request, as flags and configuration say. */
  readonly rules: Omit<
    ComparisonOptions,
    'baseline' | 'candidate' | 'listener' | 'signal' | 'sleep'
  >;
}

/** Runs `replay --candidate`, from flags to exit code. */
export async function compareVersions(call: CandidateCall): Promise<void> {
  const { flags, io } = call;
  limitHeapGrowth();
  const plan = await planOf(call);
  if (!flags.yes) await confirm(plan);
  await checkTokens(plan.settings);
  warnOfVisibleSecret(flags, io);
  const output = new CandidateOutput(flags, io);
  const interruption = new Interruption(() =>
    output.say('interrupted: reporting what was compared so far'),
  );
  const comparison = await run(plan, output, interruption);
  const isInterrupted = interruption.exitCode !== undefined;
  const report = reportOf({
    ...plan,
    ignored: plan.rules.ignored,
    comparison,
    output,
    isInterrupted,
  });
  await print(report, plan);
  if (plan.page !== undefined) {
    await writePage(plan.page, candidatePage(report));
    output.say(printable(`page written to ${flags.html!}`));
  }
  io.exit(interruption.exitCode ?? exitCodeOf(report, output));
}

/** @throws UsageError when flags, configuration or captures are not valid; nothing was sent then */
async function planOf(call: CandidateCall): Promise<Plan> {
  const { flags, io } = call;
  const files = [...call.files];
  const schedule = SpeedSchedule.from(flags);
  checkPeriod(flags);
  const changes = await resolveChanges(call.typed, flags, io.cwd);
  const prepared = await prepare(files, flags, io);
  if (changes) checkSignatures(flags, prepared);
  noteOfBatch(prepared, flags, io);
  const versions = versionsOf(call, prepared);
  const { endpoint } = versions;
  const captures = await findCaptures(files, flags, io);
  const baselineRuns = flags.baseline ?? 2;
  const perSecond = Math.min(flags.rate ?? Infinity, endpoint.rate ?? Infinity);
  const { signers, settings } = prepared;
  return {
    ...{ ...call, ...prepared, ...captures, versions, baselineRuns },
    page: await pageOf(call, captures),
    rules: {
      ...{ baselineRuns, signers, schedule, clock: systemClock },
      ignored: new IgnoredPlaces(flags.ignore ?? []),
      comparesHeaders: call.withHeaders,
      secrets: [...(settings.signing ?? []).flatMap(signingSecrets), ...versions.secrets],
      bodyEditor: changes && new BodyEditor(changes.steps, changes.hashKey),
      filters: RequestFilters.of([endpoint]),
      isSelected: captureSelector({ ...flags, since: flags.since?.at, until: flags.until?.at }),
      limit: flags.limit ?? Infinity,
      concurrency: endpoint.concurrency ?? flags.concurrency,
      rate: perSecond === Infinity ? undefined : new RateLimiter(perSecond, systemClock),
    },
  };
}

/** @throws UsageError if a page cannot be written there */
async function pageOf(
  { flags, io }: CandidateCall,
  { inputs }: Captures,
): Promise<string | undefined> {
  if (flags.html === undefined) return undefined;
  const page = resolve(io.cwd, flags.html);
  const onDisk = inputs.filter(({ isFile, object }) => isFile && !object);
  const names = onDisk.map(({ name }) => resolve(io.cwd, name));
  await checkPagePath(page, names, 'captures');
  return page;
}

async function run(
  plan: Plan,
  output: CandidateOutput,
  interruption: Interruption,
): Promise<HandlerComparison> {
  const { versions, rules, inputs, idHeaders, io } = plan;
  const { signal, sleep } = interruption;
  const opened = versions.open(signal);
  const listener = output.listener();
  const comparison = new HandlerComparison({ ...rules, ...opened, listener, signal, sleep });
  const onBroken = output.broken.bind(output);
  try {
    await checkReachable(versions, opened);
    output.say(announcement(plan));
    output.say(effects(plan));
    for (const note of notesOfPaths(plan)) output.say(note);
    const items = captureItems(idHeaders);
    await comparison.run(readCaptures(inputs, items, { stdin: io.stdin, signal, onBroken }));
  } finally {
    output.end();
    opened.baseline.client.close();
    opened.candidate.client.close();
    interruption.end();
  }
  return comparison;
}

function exitCodeOf({ summary }: CandidateReport, { isBroken }: CandidateOutput): number {
  // Nothing compared is no proof that both are equal.
  if (summary.failed > 0 || summary.requests === 0 || isBroken) return exitCodes.incomplete;
  return summary.different > 0 ? exitCodes.negative : exitCodes.ok;
}

/** @throws UsageError if the user may not send to one of the versions */
async function confirm({ versions, inputs, baselineRuns, io }: Plan): Promise<void> {
  const each = printable(`each request of ${filesText(inputs.map(({ name }) => name))}`);
  const ask = async (url: URL, times: string): Promise<void> => {
    const what = `${each} ${times}`;
    await confirmAddress(url, { fact: `replay sends ${what}`, question: `Send ${what}` }, io);
  };
  await ask(versions.baseline.url, baselineRuns === 1 ? 'once' : 'twice');
  await ask(versions.candidate.url, 'once');
}

function announcement({ versions: { baseline, candidate }, inputs }: Plan): string {
  const files = filesText(inputs.map(({ name }) => name));
  return printable(`comparing ${candidate.shown} with ${baseline.shown} by ${files}`);
}

function effects({ versions: { baseline, candidate }, baselineRuns }: Plan): string {
  const [times, again] =
    baselineRuns === 1
      ? ['twice: once', '']
      : [
          'three times: twice',
          `; one with a rare difference once more at ${candidate.shown}, or in a small group up to twice more at ${baseline.shown} and up to three times more at ${candidate.shown}`,
        ];
  return printable(
    `each request takes effect ${times} at ${baseline.shown}, once at ${candidate.shown}${again}`,
  );
}

/** Where the paths differ, handlers may do something else. */
function notesOfPaths({ versions: { baseline, candidate } }: Plan): string[] {
  if (baseline.path === candidate.path) return [];
  const [one, other] = [baseline, candidate].map(
    ({ path, url }) => `${path ?? 'their own paths'} at ${url.origin}`,
  );
  return [printable(`note: requests go to ${one} and to ${other}`)];
}

async function print(report: CandidateReport, { flags, io }: Plan): Promise<void> {
  const lines = flags.json
    ? candidateJson(report)
    : candidateText(report, await colors(io.stdout, io.env, flags.color), flags.verbose === true);
  await writeSlowly(io.stdout, `${lines.join('\n')}\n`);
  if (!flags.json || flags.quiet) return;
  // The lines have no place for what is no difference.
  for (const text of asideTexts(report)) io.stderr.write(`${printable(text)}\n`);
}

function asideTexts({ unanswered, notes }: CandidateReport): string[] {
  return [
    ...unanswered.map(
      ({ method, path, url, reason, count, place }) =>
        `${place} ${method} ${path}: ${url} did not answer: ${reason} (${count} in all)`,
    ),
    ...notes,
  ];
}
