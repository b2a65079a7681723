import { afterEach, describe, expect, it } from 'vitest';
import { failuresOfAllRuns, type Summary } from '../../src/ledger/summary.js';
import { ended } from '../helpers/cli.js';
import { addsUp, deadLines, event, runImport, summaryOf, Witness } from '../helpers/process.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { seededRandom } from '../helpers/seed.js';
import { hasTool } from '../helpers/tools.js';
import type { DiskOptions } from './disk.js';
import { exchangesOf, type Exchange } from './exchanges.js';
import {
  chooseCuts,
  cutPower,
  recordingOf,
  spread,
  startTraced,
  traceableFolder,
  type Cut,
  type Recording,
  type Slow,
} from './power-cut.js';
import type { Step } from './steps.js';

interface Scenario {
  readonly count: number;
  readonly padding?: string;
  readonly args: (receiver: Receiver) => string[];
  /**
   * From this event on, some lines are not JSON and some events are refused. A dead letter is synced at
   * once, with all earlier commits; before the first one, only flushes sync.
   */
  readonly deadFrom: number;
  /** How many events may be sent twice: those in flight, and those committed but not on the disk. */
  readonly maxDuplicates: number;
  /** Makes the disk so slow that sending has to wait for it. */
  readonly slow?: Slow;
  /** Whether events are sent in batches. */
  readonly batches?: boolean;
}

const isBad = ({ deadFrom }: Scenario, n: number): boolean => n >= deadFrom && n % 23 === 13;
/** A collector accepts or refuses whole batches. */
const isRefused = ({ deadFrom, batches }: Scenario, n: number): boolean =>
  !batches && n >= deadFrom && n % 37 === 5;
const toWebhook = ({ url }: Receiver): string[] => ['--url', url];

const oneThread: Scenario = {
  count: 2_000,
  args: (receiver) => [...toWebhook(receiver), '--threads', '1'],
  deadFrom: 1_600,
  slow: 'fdatasync:delay_enter=500000',
  maxDuplicates: 500 + 64,
};

/**
 * A second thread needs at least 8 MB, so there are few but long events. With several threads, SQLite
 * syncs each commit, and the threads have fewer rows unflushed than allowed.
 */
const twoThreads: Scenario = {
  count: 1_300,
  deadFrom: 1_150,
  padding: `,"context":{"pad":"${'x'.repeat(7_500)}"}`,
  args: (receiver) => [...toWebhook(receiver), '--threads', '2'],
  maxDuplicates: 500 + 64,
};

/** Two batches of 250 events are in flight. */
const collector: Scenario = {
  count: 9_000,
  args: ({ url }) => [
    '--endpoint',
    url,
    '--write-key',
    'k',
    '--concurrency',
    '2',
    '--threads',
    '1',
  ],
  deadFrom: 8_500,
  slow: 'fdatasync:delay_enter=500000',
  maxDuplicates: 5_000 + 2 * 250,
  batches: true,
};

let receiver: Receiver;
let witness: Witness;
afterEach(() => receiver.close());

interface Run extends Scenario {
  readonly cwd: string;
  readonly command: readonly string[];
  readonly recording: Recording;
  readonly exchanges: readonly Exchange[];
}

/** Runs an import from its start to its end, and records it. */
async function record(scenario: Scenario): Promise<Run> {
  const { count, padding, args } = scenario;
  const lines = Array.from({ length: count }, (_, n) =>
    isBad(scenario, n) ? 'not json' : event(n, padding),
  );
  const cwd = traceableFolder({ e: `${lines.join('\n')}\n` });
  const later = new Set([100, 1_100]);
  receiver = await startReceiver((request, index) =>
    witness.responding(([n]) => (isRefused(scenario, n!) ? 400 : later.delete(n!) ? 503 : 200))(
      request,
      index,
    ),
  );
  witness = new Witness();
  const command = ['e', ...args(receiver), '--ids', 'new'];
  const result = await ended(startTraced(['import', ...command, '--json'], cwd, scenario.slow));
  expect(summaryOf(result)).toMatchObject({ read: count, pending: 0 });
  const recording = recordingOf(cwd, new Map());
  return {
    ...scenario,
    cwd,
    command,
    recording,
    exchanges: exchangesOf(recording.steps, 'client'),
  };
}

/** Cuts the power, runs the import to its end, and returns what is wrong. */
async function problemsAfter(run: Run, cut: Cut, options?: DiskOptions): Promise<string[]> {
  const { count, cwd, command, exchanges, maxDuplicates } = run;
  cutPower(run.recording, cut.at, cut.survival, options);
  witness = new Witness();
  const result = await runImport(command, cwd);
  const before = exchanges.filter(({ requestedAt }) => requestedAt <= cut.at);
  const isAccepted = ({ status, respondedAt }: Exchange): boolean =>
    status === 200 && respondedAt <= cut.at;
  const taken = numbersOf(before.filter(isAccepted));
  const mayBeAccepted = numbersOf(
    before.filter(({ status, respondedAt }) => status === 200 || respondedAt > cut.at),
  );
  const all = Array.from({ length: count }, (_, n) => n);
  const isDead = (n: number): boolean => isBad(run, n) || isRefused(run, n);
  const lost = all.filter((n) => !isDead(n) && !taken.has(n) && !witness.accepted.has(n));
  const doubled = all.filter((n) => mayBeAccepted.has(n) && witness.accepted.has(n));
  const renamed = [...idsOf(before)].filter(([n, id]) =>
    [...(witness.ids.get(n) ?? [])].some((other) => other !== id),
  );
  const dead = all.filter(isDead).map((n) => n + 1);
  const problems: string[] = [];
  const note = (isWrong: boolean, what: string): void => {
    if (isWrong) problems.push(what);
  };
  note(/unexpected|Error/.test(result.stderr), result.stderr);
  note(lost.length > 0, `lost: ${lost.join()}`);
  note(doubled.length + witness.doubled > maxDuplicates, `doubled: ${doubled.length}`);
  note(renamed.length > 0, `sent again under another messageId: ${renamed.length}`);
  if (!result.stdout.includes('"summary"')) return [...problems, `no summary: ${result.stderr}`];
  const summary = summaryOf(result);
  const written = deadLettersIn(summary, cwd);
  note(written !== dead.join(), `dead letters ${written} and not ${dead.join()}`);
  note(!addsUp(summary) || summary.read !== count || summary.pending > 0, JSON.stringify(summary));
  note(failuresOfAllRuns(summary) !== dead.length, JSON.stringify(summary));
  return problems;
}

/**
 * Critical times: at the first request, since its id must be the same again; during the slowest sync,
 * since much is not durable; late in the run, since more is duplicated if nothing was synced; after a sync
 * of the dead-letter file, since these dead letters must be in the state.
 */
function criticalTimes(
  { exchanges, recording: { steps } }: Run,
  parts: number,
  random: () => number,
): number[] {
  const responses = exchanges.map(({ respondedAt }) => respondedAt);
  const places = [
    ...spread(responses, parts, random),
    ...spread(deadLettersSynced(steps), 3, random),
  ];
  return [exchanges[0]!.requestedAt, duringSlowestSync(steps), ...places];
}

/** When dead letters were synced to their file. */
function deadLettersSynced(steps: readonly Step[]): number[] {
  const isSynced = (step: Step): boolean =>
    step.kind === 'synced' && step.path.endsWith('.dead-letter.ndjson');
  return steps.filter(isSynced).map(({ at }) => at);
}

/** The time right before the return of the sync with the most steps during it. */
function duringSlowestSync(steps: readonly Step[]): number {
  const begun = new Map<number, number>();
  let slowest = { steps: 0, at: 0 };
  steps.forEach((step, index) => {
    if (step.kind === 'sync') begun.set(step.id, index);
    if (step.kind !== 'synced') return;
    const taken = index - begun.get(step.id)!;
    if (taken > slowest.steps) slowest = { steps: taken, at: step.at - 1 };
  });
  return slowest.at;
}

/** The lines of the dead letters, separated by commas. */
function deadLettersIn(summary: Summary, cwd: string): string {
  try {
    return deadLines(summary, cwd).join();
  } catch (error) {
    return `that cannot be read (${(error as Error).message})`;
  }
}

function numbersOf(exchanges: readonly Exchange[]): Set<number> {
  return new Set(idsOf(exchanges).keys());
}

/** The messageId of each event that was sent. */
function idsOf(exchanges: readonly Exchange[]): Map<number, string> {
  const sent = /"messageId":"([^"]*)"(?:(?!"messageId").)*?"n":(\d+)/g;
  const pairs = exchanges.flatMap(({ request }) => [...request.matchAll(sent)]);
  return new Map(pairs.map(([, id, n]) => [Number(n), id!]));
}

describe.skipIf(!hasTool('strace'))('evfwd import, when the power is cut', () => {
  it.each([
    ['a webhook, one thread', oneThread, 6, 10],
    ['a webhook, two threads', twoThreads, 4, 3],
    ['a collector', collector, 6, 3],
  ])(
    'loses nothing and duplicates few events: %s',
    async (_what, scenario, parts, cuts) => {
      const random = seededRandom();
      const run = await record(scenario);
      const { steps } = run.recording;
      const chosen = criticalTimes(run, parts, random).map((at): Cut => ({
        at,
        survival: 'synced only',
      }));
      const torn = spread(deadLettersSynced(steps), 3, random).map((at): Cut => ({
        at: at - 1,
        survival: { random },
      }));
      for (const cut of [...chosen, ...torn, ...chooseCuts(steps, cuts, random)]) {
        expect(await problemsAfter(run, cut), `power cut after line ${cut.at}`).toEqual([]);
      }
    },
    120_000,
  );

  it('duplicates too many on a disk that ignores syncs, so that the test above would fail', async () => {
    seededRandom();
    const run = await record(oneThread);
    const cut: Cut = { at: run.recording.steps.at(-1)!.at, survival: 'synced only' };
    const problems = await problemsAfter(run, cut, { ignoresSync: true });
    expect(problems.join('\n')).toMatch(/doubled: 1\d\d\d/);
  });
});
