import { InvalidArgumentError } from 'commander';
import { defaults } from '../../defaults.js';
import { parseSpeed } from '../../delivery/schedule-clock.js';
import { durationMs } from '../../duration.js';
import { UsageError } from '../../errors.js';
import { givenTimeHint, givenTimeMs, periodProblem } from '../../events/given-time.js';
import type { FailureLimit } from '../../importer/stop-rule.js';
import { invalidValue, parseDuration, parseRate, parseWhole } from '../shared/flag-values.js';
import { flag, type Flag } from './flag.js';
import { notShared } from './store.js';

/** @param files what the files are called */
export function filesFromFlag(files = 'event files'): Flag {
  return flag(
    '--files-from <file>',
    `read names of ${files} from this file, one per line or NUL-separated; - for standard input`,
  );
}

/** A time as it was typed, which may be relative (`36h`), and in milliseconds since 1970. */
export interface GivenTime {
  readonly text: string;
  readonly at: number;
}

/** Of a flag whose value is compared as it was parsed. */
export function asParsed(value: unknown): unknown {
  return value;
}

/** What both ends of a period have; a run is known by how they were typed. */
export const timeDetails = {
  parse: parseTime,
  identity: (time: GivenTime | undefined) => time?.text,
};

/** Both ends of a period, each if it is given. */
export interface Period {
  readonly since?: GivenTime | undefined;
  readonly until?: GivenTime | undefined;
}

/**
 * @param latest the last time at which something can be. Default: any
 * @throws UsageError for a period in which nothing can be
 */
export function checkPeriod({ since, until }: Period, latest?: number): void {
  // The same duration was perhaps not read in the same millisecond.
  const end = since !== undefined && until?.text === since.text ? since : until;
  const problem = periodProblem(since?.at, end?.at, latest);
  const flags = until === undefined ? '--since' : '--since, --until';
  if (problem !== undefined) throw new UsageError(`${flags}: ${problem}`);
}

/** Whether a period that something can be in becomes one in which nothing can be, as time goes on. */
export function mayEnd({ since, until }: Period): boolean {
  return since !== undefined && until !== undefined && isAgo(since) && !isAgo(until);
}

function isAgo({ text }: GivenTime): boolean {
  return durationMs(text) !== undefined;
}

/** @param items what is counted */
export function limitFlag(items: 'events' | 'requests'): Flag {
  return flag('--limit <n>', `send at most n ${items} in this run`, {
    parse: parseWhole(1),
    excludes: {
      ...notShared('--limit', 'workers take whole parts; leave out --limit'),
      '--shard': () =>
        '--limit counts the events of one process, so it cannot be used with --shard; remove one of them',
    },
  });
}

export const rateFlag = flag('--rate <rate>', 'limit the send rate, e.g. 500/s or 90/m', {
  parse: parseRate,
  repeated: 'retry',
});

export const concurrencyFlag = flag('--concurrency <n>', 'maximum requests in flight per URL', {
  parse: parseWhole(1),
  default: defaults.concurrency,
  excludes: notShared('--concurrency', 'that is up to each worker; use evfwd worker --concurrency'),
  repeated: 'retry',
});

export const threadsFlag = flag(
  '--threads <n>',
  'maximum worker threads (default: number of cores)',
  {
    parse: parseWhole(1),
    excludes: notShared('--threads', 'that is up to each worker; use evfwd worker --threads'),
  },
);

const inNoOrder = 'workers send in no common order; use --rate to limit the speed';

/** How runs repeat the original timing. */
export const timingFlags = {
  speed: flag('--speed <factor>', 'replay with original timing: 1x, 10x, 0.5x or max', {
    parse: parseSpeedFlag,
    values: ['1x', '10x', 'max'],
    excludes: {
      ...notShared('--speed', inNoOrder),
      '--shard': () =>
        '--speed needs all events in one process, so it cannot be used with --shard; remove one of them',
    },
  }),
  maxWait: flag('--max-wait <duration>', 'longest gap to wait with --speed', {
    parse: parseDuration,
    excludes: notShared('--max-wait', inNoOrder),
  }),
};

export const stateFlags = {
  stateDir: flag('--state-dir <dir>', 'directory for resume state (default: .evfwd)', {
    insteadOfDash: 'use the name of a directory',
    repeated: 'retry',
  }),
  fresh: flag('--fresh', 'discard the state of earlier runs and start over', {
    repeated: 'never',
  }),
};

/** @param items what is saved */
export function deadLetterFlag(items: string): Flag {
  return flag('--dead-letter <file>', `file for ${items} (default: in the state directory)`, {
    insteadOfDash: 'use a file name, or /dev/stdout in a pipe',
  });
}

export const logFlag = flag('--log <file>', 'write one line per attempt', {
  insteadOfDash: 'use a file name, or /dev/stdout in a pipe',
  excludes: notShared('--log', 'each worker has its own attempt log; use evfwd worker --log'),
});

/** The state and the failures of a run. @param items what it sends */
export function runFlags(items: 'events' | 'requests'): Flag[] {
  return [
    ...Object.values(stateFlags),
    deadLetterFlag(`rejected and failed ${items}`),
    logFlag,
    flag('--max-failures <n>', 'exit 0 if there are no more than n failures, e.g. 10 or 1%', {
      parse: parseFailureLimit,
    }),
    flag(
      '--stop-after <n>',
      `stop after more than n failures, e.g. 100 or 5% (default: if the first 1,000 ${items} all fail)`,
      { parse: parseFailureLimit },
    ),
    flag('--wait-for-target', 'do not stop when nothing has responded for 60 s', {
      excludes: notShared('--wait-for-target', 'workers wait by themselves; leave it out'),
    }),
  ];
}

function parseTime(text: string): GivenTime {
  const at = givenTimeMs(text, Date.now());
  if (at !== undefined) return { text, at };
  throw invalidValue(text, `is not a valid time; ${givenTimeHint}`);
}

/** `10` or `1%`. */
function parseFailureLimit(text: string): FailureLimit {
  if (/^\d+$/.test(text)) return { events: Number(text) };
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100 };
  throw invalidValue(text, 'must be a number or a percentage, e.g. 10 or 1%');
}

/** `1x`, `10x`, `max`. */
function parseSpeedFlag(text: string): number {
  try {
    return parseSpeed(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
