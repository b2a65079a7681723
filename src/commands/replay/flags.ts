import type { Command } from 'commander';
import { defaults } from '../../defaults.js';
import type { MaxFailures } from '../../importer/stop-rule.js';
import { isHeaderName } from '../../http/header-rules.js';
import {
  collect,
  collectHeader,
  collectList,
  invalidValue,
  parseDuration,
  parseList,
  parseRate,
  parseTimeout,
  parseWhole,
} from '../shared/flag-values.js';
import type { OutputFlags } from '../shared/flags.js';
import { addRunFlags, parseSpeedFlag, parseTime, type GivenTime } from '../shared/run-flags.js';
import { addSigningFlags, type SigningFlags } from '../shared/signing-flags.js';
import type { SourceFlags } from '../shared/source-flags.js';

/** Flags of `replay`, as commander parses them. */
export interface ReplayFlags extends SigningFlags, OutputFlags, SourceFlags {
  url?: string[];
  header?: string[];
  dropHeader?: string[];
  keepSignature?: boolean;
  timeout?: number;
  retryWindow?: number;
  ca?: string;
  cert?: string;
  key?: string;
  allUrls?: boolean;
  profile?: string;
  since?: GivenTime;
  until?: GivenTime;
  methods?: string[];
  paths?: string[];
  status?: string[];
  limit?: number;
  concurrency: number;
  rate?: number;
  speed?: number;
  maxWait?: number;
  /** True without a value; a value may be the name of a file, see `compareFlag`. */
  compare?: string | true;
  stateDir?: string;
  fresh?: boolean;
  deadLetter?: string;
  log?: string;
  maxFailures?: MaxFailures;
  stopAfter?: MaxFailures;
}

export function addCaptureArguments(command: Command): Command {
  return command.argument(
    '[capture...]',
    'captures: NDJSON of evfwd listen --record, plain or gzip, or HAR; - for standard input, which may be left out for a pipe',
  );
}

export function addReplayTargetFlags(command: Command): Command {
  command
    .optionsGroup('Target:')
    .option(
      '--url <url>',
      'where to send; without a path, each request keeps its own path and query (repeatable; env: EVFWD_URL)',
      collect,
    )
    .option(
      '-H, --header <header>',
      "add a header 'Name: value', or replace the recorded one; up to 5 (repeatable)",
      collectHeader,
    )
    .option(
      '--drop-header <list>',
      'leave these recorded headers out (repeatable)',
      parseHeaderNames,
    );
  return addSigningFlags(command)
    .option('--keep-signature', 'send the recorded signature, also with a secret')
    .option('--timeout <duration>', `response timeout (default: ${defaults.timeout})`, parseTimeout)
    .option(
      '--retry-window <duration>',
      `how long to retry a request (default: ${defaults.sendRetryWindow})`,
      parseDuration,
    )
    .option('--ca <file>', 'additional CA certificates (PEM)')
    .option('--cert <file>', 'client certificate (PEM), for servers that require one; needs --key')
    .option('--key <file>', 'private key of --cert (PEM, not encrypted)')
    .option('--all-urls', 'require every URL to succeed (default: any one)')
    .option('--config <file>', 'configuration file (env: EVFWD_CONFIG)')
    .option('-p, --profile <name>', 'target from the configuration file (env: EVFWD_PROFILE)');
}

export function addCaptureSelectionFlags(command: Command): Command {
  return command
    .optionsGroup('Selection:')
    .option(
      '--since <time>',
      'only requests received at or after this time, e.g. 2026-10-01T08:00:00Z or 36h (before now)',
      parseTime,
    )
    .option('--until <time>', 'only requests received before this time', parseTime)
    .option('--methods <list>', 'only these methods, e.g. POST,PUT (repeatable)', parseMethods)
    .option(
      '--paths <list>',
      "only these paths, e.g. '/hooks/*'; * matches / as well (repeatable)",
      parsePaths,
    )
    .option(
      '--status <list>',
      'only requests whose recorded response had this status, e.g. 5xx,429 (repeatable)',
      parseStatuses,
    )
    .option('--limit <n>', 'send at most n requests in this run', parseWhole(1));
}

export function addReplaySpeedFlags(command: Command): Command {
  return command
    .optionsGroup('Speed:')
    .option('--rate <rate>', 'limit the send rate, e.g. 500/s or 90/m', parseRate)
    .option(
      '--concurrency <n>',
      'maximum requests in flight per URL',
      parseWhole(1),
      defaults.concurrency,
    )
    .option('--speed <factor>', 'replay with original timing: 1x, 10x, 0.5x or max', parseSpeedFlag)
    .option('--max-wait <duration>', 'longest gap to wait with --speed', parseDuration);
}

export function addReplayStateFlags(command: Command): Command {
  const group = command
    .optionsGroup('State and failures:')
    .option(
      '--compare [what]',
      'compare each response with the recorded one: the status, or with "--compare body" status and body; exit 1 if any differs',
    );
  return addRunFlags(group, 'requests');
}

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
