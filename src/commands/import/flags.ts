import type { Command } from 'commander';
import { defaults } from '../../defaults.js';
import { eventTypes, type EventType } from '../../events/event.js';
import type { Selection } from '../../events/select.js';
import type { IdPolicy } from '../../events/stamp.js';
import {
  collectList,
  invalidValue,
  parseDuration,
  parseList,
  parseRate,
  parseWhole,
} from '../shared/flag-values.js';
import type { OutputFlags } from '../shared/flags.js';
import type { MaxFailures } from '../../importer/stop-rule.js';
import { addQueueFlags, type QueueFlags } from '../shared/queue-flags.js';
import type { SourceFlags } from '../shared/source-flags.js';
import type { TargetFlags } from '../shared/target-flags.js';
import type { Shard } from '../../input/shard.js';
import { addRunFlags, parseSpeedFlag, parseTime, type GivenTime } from '../shared/run-flags.js';
import { parseShard } from './shard.js';

/** Flags of `import`, as commander parses them. */
export interface ImportFlags extends TargetFlags, OutputFlags, SourceFlags, QueueFlags {
  since?: GivenTime;
  until?: GivenTime;
  types?: EventType[];
  events?: string[];
  users?: string[];
  limit?: number;
  sample?: number;
  /** `auto`: by variables of the environment. */
  shard?: Shard | 'auto';
  transform?: string;
  ids: IdPolicy;
  concurrency: number;
  rate?: number;
  deadLetter?: string;
  log?: string;
  maxFailures?: MaxFailures;
  stopAfter?: MaxFailures;
  stateDir?: string;
  fresh?: boolean;
  speed?: number;
  maxWait?: number;
  ordered?: boolean;
  threads?: number;
  detach?: boolean;
}

export function addSelectionFlags(command: Command): Command {
  return command
    .optionsGroup('Selection:')
    .option(
      '--since <time>',
      'only events at or after this time, e.g. 2026-10-01, 2026-10-01T08:00:00Z or 36h (before now)',
      parseTime,
    )
    .option('--until <time>', 'only events before this time', parseTime)
    .option(
      '--types <list>',
      'only events of these types, e.g. track,identify (repeatable)',
      parseTypes,
    )
    .option(
      '--events <list>',
      "only track events with these names, e.g. 'Order *' (repeatable)",
      collectList,
    )
    .option(
      '--users <list>',
      'only events of these userIds or anonymousIds (repeatable)',
      collectList,
    )
    .option(
      '--sample <share>',
      'only a share of the users, e.g. 1%; always the same users',
      parseShare,
    )
    .option('--limit <n>', 'send at most n events in this run', parseWhole(1))
    .option(
      '--shard <i/n>',
      'only the part of shard i of n, e.g. 2/8, so that n machines share an import; auto: by JOB_COMPLETION_INDEX and JOB_COMPLETIONS, or CI_NODE_INDEX and CI_NODE_TOTAL',
      parseShard,
    );
}

/** Flags that change the events. */
export function addChangeFlags(command: Command): Command {
  return command
    .optionsGroup('Changes:')
    .option(
      '--transform <file>',
      'module whose default export maps an event to an event, an array or null',
    )
    .option('--ids <policy>', 'messageId policy: keep, new or derive', parseIds, defaults.ids);
}

export function addSpeedFlags(command: Command): Command {
  return command
    .optionsGroup('Speed:')
    .option('--rate <rate>', 'limit the send rate, e.g. 500/s or 90/m', parseRate)
    .option(
      '--concurrency <n>',
      'maximum requests in flight per URL',
      parseWhole(1),
      defaults.concurrency,
    )
    .option('--threads <n>', 'maximum worker threads (default: number of cores)', parseWhole(1))
    .option('--speed <factor>', 'replay with original timing: 1x, 10x, 0.5x or max', parseSpeedFlag)
    .option('--max-wait <duration>', 'longest gap to wait with --speed', parseDuration)
    .option('--ordered', 'send the events of each user strictly one after the other');
}

export function addStateFlags(command: Command): Command {
  return addRunFlags(command.optionsGroup('State and failures:'), 'events');
}

/** Flags of an import that workers share. */
export function addSharingFlags(command: Command): Command {
  return addQueueFlags(command).option(
    '--detach',
    'with --queue: plan the run, print its id and end; workers send the events',
  );
}

/** `since` and `until` are separate: a resumed run uses those of the first run. */
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

function parseTypes(text: string, previous: EventType[] | undefined): EventType[] {
  const types = parseList(text);
  const unknown = types.find((type) => !eventTypes.includes(type as EventType));
  if (unknown === undefined && types.length > 0)
    return [...(previous ?? []), ...(types as EventType[])];
  throw invalidValue(
    unknown ?? '',
    `is not a known type; expected one of ${eventTypes.join(', ')}`,
  );
}

function parseIds(text: string): IdPolicy {
  if (text === 'keep' || text === 'new' || text === 'derive') return text;
  throw invalidValue(text, 'must be one of keep, new, derive');
}

function parseShare(text: string): number {
  const share = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1]) / 100;
  if (share > 0 && share <= 1) return share;
  throw invalidValue(text, 'is not a valid share; use a percentage, e.g. 1%');
}
