import { InvalidArgumentError, type Command } from 'commander';
import { durationMs } from '../../config/duration.js';
import { defaults } from '../../defaults.js';
import { eventTypes, type EventType } from '../../events/event.js';
import type { Selection } from '../../events/select.js';
import type { IdPolicy } from '../../events/stamp.js';
import { timestampMs } from '../../events/timestamp.js';
import {
  collectList,
  invalidValue,
  parseDuration,
  parseList,
  parseRate,
  parseWhole,
} from '../shared/flag-values.js';
import type { OutputFlags } from '../shared/flags.js';
import { parseSpeed } from '../../delivery/replay-clock.js';
import type { TargetFlags } from '../shared/target-flags.js';

/** Flags of `import`, as commander parses them. */
export interface ImportFlags extends TargetFlags, OutputFlags {
  since?: GivenTime;
  until?: GivenTime;
  types?: EventType[];
  events?: string[];
  users?: string[];
  limit?: number;
  sample?: number;
  transform?: string;
  ids: IdPolicy;
  concurrency: number;
  rate?: number;
  deadLetter?: string;
  log?: string;
  maxFailures?: MaxFailures;
  stateDir?: string;
  fresh?: boolean;
  speed?: number;
  maxWait?: number;
  ordered?: boolean;
  threads?: number;
}

/** A moment as it was typed, which may be relative (`36h`), and in milliseconds since 1970. */
export interface GivenTime {
  readonly text: string;
  readonly at: number;
}

/** How much may fail before the exit code says so: a number of events, or a share of those read. */
export type MaxFailures = { readonly events: number } | { readonly share: number };

export function addSelectionFlags(command: Command): Command {
  return command
    .option('--since <time>', 'events from then on: ISO 8601, or 36h ago', parseTime)
    .option('--until <time>', 'events before then', parseTime)
    .option('--types <list>', 'types, like track,identify', parseTypes)
    .option('--events <list>', "names of track events, like 'Order *'; repeatable", collectList)
    .option('--users <list>', 'userIds or anonymousIds; repeatable', collectList)
    .option('--limit <n>', 'send no more than so many events', parseWhole(1))
    .option('--sample <share>', 'a share of the users, like 1%; always the same ones', parseShare)
    .option('--transform <file>', 'module whose default export is event → event, array or null');
}

export function addDeliveryFlags(command: Command): Command {
  return command
    .option('--ids <policy>', 'messageIds: keep, new or derive', parseIds, defaults.ids)
    .option(
      '--concurrency <n>',
      'requests in flight to one URL',
      parseWhole(1),
      defaults.concurrency,
    )
    .option('--threads <n>', 'worker threads, at most (default: by the cores)', parseWhole(1))
    .option('--rate <rate>', 'at most so many events, like 500/s or 90/m', parseRate)
    .option('--speed <factor>', "the events' own spacing: 1x, 10x, 0.5x or max", speed)
    .option('--max-wait <duration>', 'with --speed: the longest gap to wait', parseDuration)
    .option('--ordered', 'events of one user go strictly one after the other')
    .option('--state-dir <folder>', 'what a later run needs to go on (default: .evfwd)')
    .option('--fresh', 'forget what earlier runs of this import did, and start over')
    .option(
      '--dead-letter <file>',
      'where rejected and failed events go (default: in the state folder)',
    )
    .option('--log <file>', 'write one line an attempt')
    .option('--max-failures <n>', 'exit 0 up to so many failures: 10, or 1%', parseMaxFailures);
}

/** `since` and `until` are given on their own: a run that goes on takes those of the first. */
export function selectionOf(
  flags: ImportFlags,
  { since, until }: { since: number | undefined; until: number | undefined },
): Selection {
  const { types, events, users, sample } = flags;
  return {
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
    ...(types && { types }),
    ...(events && { events }),
    ...(users && { users: new Set(users) }),
    ...(sample !== undefined && { sample }),
  };
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

/** A moment in milliseconds since 1970; a day alone is its first moment in UTC. */
function parseTime(text: string): GivenTime {
  const ago = durationMs(text);
  if (ago !== undefined) return { text, at: Date.now() - ago };
  const at = timestampMs(dayForm.test(text) ? `${text}T00:00:00Z` : text);
  if (at !== undefined) return { text, at };
  throw invalidValue(
    text,
    'is no moment; write 2026-10-01, 2026-10-01T08:00:00Z, or how long ago, like 36h',
  );
}

function parseTypes(text: string): EventType[] {
  const types = parseList(text);
  const unknown = types.find((type) => !eventTypes.includes(type as EventType));
  if (unknown === undefined && types.length > 0) return types as EventType[];
  throw invalidValue(unknown ?? '', `is not a type; they are ${eventTypes.join(', ')}`);
}

function parseIds(text: string): IdPolicy {
  if (text === 'keep' || text === 'new' || text === 'derive') return text;
  throw invalidValue(text, 'is none of keep, new, derive');
}

function parseShare(text: string): number {
  const share = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]) / 100;
  if (share > 0 && share <= 1) return share;
  throw invalidValue(text, 'is not a share; write a percentage, like 1%');
}

function parseMaxFailures(text: string): MaxFailures {
  if (/^\d+$/.test(text)) return { events: Number(text) };
  const percent = /^(\d+(?:\.\d+)?)%$/.exec(text)?.[1];
  if (percent !== undefined && Number(percent) <= 100) return { share: Number(percent) / 100 };
  throw invalidValue(text, 'is neither a number of events nor a percentage, like 10 or 1%');
}

function speed(text: string): number {
  try {
    return parseSpeed(text);
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}
