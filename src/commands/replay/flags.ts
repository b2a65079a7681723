import type { Command } from 'commander';
import { defaults } from '../../defaults.js';
import { isHeaderName } from '../../http/header-rules.js';
import type { FailureLimit } from '../../importer/stop-rule.js';
import { parseIgnored, type IgnoredPlace } from '../../replay/candidate/ignore.js';
import { changeFlags, whereFlag } from '../flags/changes.js';
import { flag, type FlagGroups } from '../flags/flag.js';
import type { OutputFlags } from '../flags/output.js';
import {
  asParsed,
  concurrencyFlag,
  filesFromFlag,
  limitFlag,
  rateFlag,
  runFlags,
  timeDetails,
  timingFlags,
  type GivenTime,
} from '../flags/run.js';
import { signingFlags } from '../flags/signing.js';
import { placeFlags } from '../flags/source.js';
import {
  allUrlsFlag,
  connectionFlags,
  headerFlag,
  profileFlags,
  proxyFlag,
  retryWindowFlag,
  timeoutFlag,
  urlFlag,
} from '../flags/target.js';
import { collectList, invalidValue, parseList } from '../shared/flag-values.js';
import type { ChangeFlags } from '../shared/changes.js';
import type { SigningFlags } from '../shared/signing-flags.js';
import type { SourceFlags } from '../shared/source-flags.js';

/** Flags of `replay`, as commander parses them. */
export interface ReplayFlags extends SigningFlags, OutputFlags, SourceFlags, ChangeFlags {
  url?: string[];
  header?: string[];
  dropHeader?: string[];
  keepSignature?: boolean;
  timeout?: number;
  retryWindow?: number;
  ca?: string;
  cert?: string;
  key?: string;
  proxy?: string;
  allUrls?: boolean;
  profile?: string;
  since?: GivenTime;
  until?: GivenTime;
  methods?: string[];
  paths?: string[];
  status?: string[];
  where?: string[];
  limit?: number;
  concurrency: number;
  rate?: number;
  speed?: number;
  maxWait?: number;
  /** True without a value; a value may be the name of a file, see `compareFlag`. */
  compare?: string | true;
  candidate?: string;
  ignore?: IgnoredPlace[];
  baseline?: 1 | 2;
  html?: string;
  yes?: boolean;
  stateDir?: string;
  fresh?: boolean;
  deadLetter?: string;
  log?: string;
  maxFailures?: FailureLimit;
  stopAfter?: FailureLimit;
  waitForTarget?: boolean;
}

export function addCaptureArguments(command: Command): Command {
  return command.argument(
    '[capture...]',
    'captures: NDJSON of evfwd listen --record, or HAR, also in gzip, zstd or zip; files, directories, quoted patterns, https:// or s3:// URLs; - for standard input, which may be left out for a pipe',
  );
}

const replayTargetFlags = [
  {
    ...urlFlag,
    text: 'where to send; without a path, each request keeps its own path and query (repeatable; env: EVFWD_URL)',
  },
  {
    ...headerFlag,
    text: "add a header 'Name: value', or replace the recorded one; up to 5 (repeatable)",
  },
  flag('--drop-header <list>', 'leave these recorded headers out (repeatable)', {
    parse: parseHeaderNames,
    repeated: 'retry',
  }),
  ...Object.values(signingFlags),
  flag('--keep-signature', 'send the recorded signature, also with a secret', {
    repeated: 'retry',
  }),
  timeoutFlag,
  retryWindowFlag('a request', defaults.sendRetryWindow),
  ...Object.values(connectionFlags),
  proxyFlag,
  allUrlsFlag,
  ...Object.values(profileFlags),
];

const selectionFlags = [
  flag(
    '--since <time>',
    'only requests received at or after this time, e.g. 2026-10-01T08:00:00Z or 36h (before now)',
    timeDetails,
  ),
  flag('--until <time>', 'only requests received before this time', timeDetails),
  flag('--methods <list>', 'only these methods, e.g. POST,PUT (repeatable)', {
    parse: parseMethods,
    identity: asParsed,
  }),
  flag('--paths <list>', "only these paths, e.g. '/hooks/*'; * matches / as well (repeatable)", {
    parse: parsePaths,
    identity: asParsed,
  }),
  flag(
    '--status <list>',
    'only requests whose recorded response had this status, e.g. 5xx,429 (repeatable)',
    { parse: parseStatuses, identity: asParsed },
  ),
  {
    ...whereFlag,
    text: "only requests whose JSON body fits, e.g. type=invoice.paid or 'data.total>=10' (repeatable)",
  },
  limitFlag('requests'),
];

const compareFlag = flag(
  '--compare [what]',
  'compare each response with the recorded one: the status, or with "--compare body" status and body; exit 1 if any differs. With --candidate: "--compare headers"',
  { values: ['status', 'body', 'headers'], identity: asParsed, repeated: 'retry' },
);

const ofCandidate = { needs: { flag: '--candidate' } };

/** Two versions of a handler, compared. */
const candidateFlags = [
  compareFlag,
  flag(
    '--candidate <url>',
    'send each request twice to --url, once here, and print what only this version does differently; exit 1 if anything',
    {
      once: true,
      excludes: {
        ...notCompared('--retry-window', 'is retried'),
        ...notCompared('--max-failures', 'may fail'),
        ...notCompared('--dead-letter', 'is saved'),
        ...notCompared('--log', 'is logged'),
        ...notCompared('--state-dir', 'is resumed'),
        ...notCompared('--fresh', 'is resumed'),
        '--all-urls': () =>
          '--candidate compares one URL with another, so --all-urls has no meaning; leave it out',
        '--stop-after': () =>
          '--candidate ends by itself when nothing is answered, so --stop-after has no meaning; leave it out',
        '--wait-for-target': () =>
          '--candidate does not wait for a handler, so --wait-for-target has no meaning; leave it out',
      },
    },
  ),
  flag(
    '--ignore <place>',
    'leave this out of the comparison: body.generatedAt, body.items.*.id, header.etag, status (repeatable)',
    { parse: collectIgnored, ...ofCandidate },
  ),
  flag('--baseline <n>', 'how often to send to --url: 2, or 1 for handlers without noise', {
    parse: parseBaseline,
    values: ['1', '2'],
    ...ofCandidate,
  }),
  flag('--html <file>', 'write the differences as a page', {
    insteadOfDash: 'use a file name',
    ...ofCandidate,
  }),
  flag('-y, --yes', 'do not ask before sending to an address that is not loopback', ofCandidate),
];

function notCompared(name: string, what: string): Record<string, () => string> {
  return {
    [name]: () =>
      `a comparison with --candidate runs whole each time, and nothing ${what}; leave out ${name}`,
  };
}

/** All but those of the output, below their headings in the help. */
export const replayFlags: FlagGroups = {
  'Target:': replayTargetFlags,
  'Source:': [filesFromFlag('captures'), ...placeFlags],
  'Selection:': selectionFlags,
  'Changes:': Object.values(changeFlags),
  'Speed:': [rateFlag, concurrencyFlag, ...Object.values(timingFlags)],
  'Comparison:': candidateFlags,
  'State and failures:': runFlags('requests'),
};

function parseHeaderNames(text: string, previous: string[] | undefined): string[] {
  const wrong = unusable(text, (name) => !name.includes(':'));
  if (wrong === undefined) return collectList(text, previous);
  throw invalidValue(wrong, 'is not a header name; use e.g. Authorization,Cookie');
}

function parseMethods(text: string, previous: string[] | undefined): string[] {
  const wrong = unusable(text, isHeaderName);
  if (wrong === undefined) return collectList(text, previous);
  throw invalidValue(wrong, 'is not a method; use e.g. POST,PUT');
}

/** A pattern that begins otherwise fits no path. */
function parsePaths(text: string, previous: string[] | undefined): string[] {
  const wrong = unusable(text, (pattern) => /^[/*]/.test(pattern));
  if (wrong === undefined) return collectList(text, previous);
  throw invalidValue(wrong, "is not a path; use e.g. '/hooks/*'");
}

/** The first part of a list that is not in this form; empty if there is none, as of an unset variable. */
function unusable(text: string, isUsable: (part: string) => boolean): string | undefined {
  const parts = parseList(text);
  return parts.length === 0 ? '' : parts.find((part) => !isUsable(part));
}

function parseStatuses(text: string, previous: string[] | undefined): string[] {
  const statuses = parseList(text).map((status) => status.toLowerCase());
  const wrong = statuses.find((status) => !/^[1-5](?:\d\d|xx)$/.test(status));
  if (wrong === undefined && statuses.length > 0) return [...(previous ?? []), ...statuses];
  throw invalidValue(wrong ?? '', 'is not a status; use e.g. 404 or 5xx');
}

function collectIgnored(text: string, previous: IgnoredPlace[] | undefined): IgnoredPlace[] {
  return [...(previous ?? []), parseIgnored(text)];
}

function parseBaseline(text: string): 1 | 2 {
  if (text === '1') return 1;
  if (text === '2') return 2;
  throw invalidValue(text, 'must be 1 or 2');
}
