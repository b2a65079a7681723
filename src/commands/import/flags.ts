import { defaults } from '../../defaults.js';
import type { EventType } from '../../events/event.js';
import { selectionFrom, type Selection } from '../../events/select.js';
import type { IdPolicy } from '../../events/stamp.js';
import type { FailureLimit } from '../../importer/stop-rule.js';
import type { Shard } from '../../sources/shard.js';
import { importChangeFlags, transformFlag, whereFlag } from '../flags/changes.js';
import { flag, type FlagGroups } from '../flags/flag.js';
import type { OutputFlags } from '../flags/output.js';
import { notShared, storeFlags } from '../flags/store.js';
import {
  asParsed,
  concurrencyFlag,
  limitFlag,
  rateFlag,
  runFlags,
  threadsFlag,
  timeDetails,
  timingFlags,
  type GivenTime,
} from '../flags/run.js';
import { selectionFlags } from '../flags/selection.js';
import { mapFlags, printMapFlag, sourceFlags } from '../flags/source.js';
import { targetFlags } from '../flags/target.js';
import { invalidValue, parseDuration, parseWhole } from '../shared/flag-values.js';
import type { ChangeFlags } from '../shared/changes.js';
import type { StoreFlags } from '../shared/store-flags.js';
import type { SourceFlags } from '../shared/source-flags.js';
import type { TargetFlags } from '../shared/target-flags.js';
import { parseShard } from './shard.js';

/** Flags of `import`, as commander parses them. */
export interface ImportFlags
  extends TargetFlags, OutputFlags, SourceFlags, StoreFlags, ChangeFlags {
  since?: GivenTime;
  until?: GivenTime;
  types?: EventType[];
  events?: string[];
  users?: string[];
  where?: string[];
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
  maxFailures?: FailureLimit;
  stopAfter?: FailureLimit;
  waitForTarget?: boolean;
  stateDir?: string;
  fresh?: boolean;
  speed?: number;
  maxWait?: number;
  ordered?: boolean;
  threads?: number;
  detach?: boolean;
  printMap?: boolean;
  plan?: boolean;
  probe?: number;
  /** Milliseconds. */
  warnOlderThan?: number;
}

const allSelectionFlags = [
  flag(
    '--since <time>',
    'only events at or after this time, e.g. 2026-10-01, 2026-10-01T08:00:00Z or 36h (before now)',
    timeDetails,
  ),
  flag('--until <time>', 'only events before this time', timeDetails),
  ...Object.values(selectionFlags),
  flag('--sample <share>', 'only a share of the users, e.g. 1%; always the same users', {
    parse: parseShare,
    identity: asParsed,
  }),
  whereFlag,
  limitFlag('events'),
  flag(
    '--shard <i/n>',
    'only the part of shard i of n, e.g. 2/8, so that n machines share an import; auto: by JOB_COMPLETION_INDEX and JOB_COMPLETIONS, or CI_NODE_INDEX and CI_NODE_TOTAL',
    {
      parse: parseShard,
      values: ['auto'],
      excludes: notShared(
        '--shard',
        'the store divides the events among workers; leave out --shard',
      ),
    },
  ),
];

/** Flags that change the events. */
const changeFlags = [
  ...Object.values(importChangeFlags),
  transformFlag,
  flag('--ids <policy>', 'messageId policy: keep, new or derive', {
    parse: parseIds,
    default: defaults.ids,
    values: ['keep', 'new', 'derive'],
    identity: asParsed,
  }),
];

const speedFlags = [
  rateFlag,
  concurrencyFlag,
  threadsFlag,
  ...Object.values(timingFlags),
  flag('--ordered', 'send the events of each user strictly one after the other'),
];

const planFlags = [
  flag('--plan', 'read everything, say what would happen, and send nothing', {
    excludes: notShared('--plan', 'it plans by itself; leave out --plan'),
    repeated: 'never',
  }),
  flag(
    '--probe <n>',
    'with --plan: send the first n events, to know how long all take; the import leaves them out',
    {
      parse: parseWhole(1),
      needs: { flag: '--plan' },
      repeated: 'never',
    },
  ),
  flag('--warn-older-than <duration>', 'with --plan: warn of older events, e.g. 30d', {
    parse: parseDuration,
    needs: { flag: '--plan' },
  }),
];

/** For an import that workers share. */
const detachFlag = flag(
  '--detach',
  'with --store: plan the run, print its id and end; workers send the events',
  { needs: { flag: '--store' } },
);

/** What the help shows without `--help all`. */
export const commonFlags = new Set([
  ...['--url', '--header', '--secret-file', '--scheme', '--write-key', '--endpoint', '--profile'],
  ...['--from', '--map', '--since', '--until', '--types', '--events', '--where', '--limit'],
  ...['--set', '--drop', '--hash', '--hash-key-file', '--transform'],
  ...['--rate', '--ordered', '--speed', '--fresh', '--dead-letter', '--log', '--stop-after'],
  ...['--plan', '--probe', '--store'],
]);

/** All but those of the output, below their headings in the help. */
export const importFlags: FlagGroups = {
  'Target:': Object.values(targetFlags(defaults.retryWindow)),
  'Source:': [...sourceFlags(), ...Object.values(mapFlags), printMapFlag],
  'Selection:': allSelectionFlags,
  'Changes:': changeFlags,
  'Speed:': speedFlags,
  'State and failures:': runFlags('events'),
  'Plan:': planFlags,
  'Many machines:': [...Object.values(storeFlags), detachFlag],
};

/** `since` and `until` are separate: a resumed run uses those of the first run. */
export function selectionOf(
  flags: ImportFlags,
  { since, until }: { since: number | undefined; until: number | undefined },
): Selection {
  return selectionFrom({ ...flags, since, until });
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
