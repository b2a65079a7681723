import { systemClock } from '../../clock.js';
import { refusalText } from '../../config/open-target.js';
import { isPlainFile } from '../../sources/input.js';
import type { LedgerOptions } from '../../ledger/ledger.js';
import { restOf } from '../../ledger/resume.js';
import { BodyEditor } from '../../replay/edit-body.js';
import { readCaptures } from '../../replay/read-captures.js';
import { RequestTarget } from '../../replay/request-target.js';
import { captureSelector } from '../../replay/select.js';
import type { RunListener } from '../../run/run.js';
import { SingleThreadRun, unflushedCommits, type TargetEvents } from '../../run/single-thread.js';
import { signingSecrets } from '../../webhook/signing.js';
import { comparedOf } from './compare-flag.js';
import type { ReplayParts } from './parts.js';

/** Receives what happens in a running replay. */
export interface ReplayListener extends RunListener {
  /** Called only with `--verbose`. */
  readonly attempts: NonNullable<LedgerOptions['onAttempts']>;
  /** A request was neither delivered nor skipped. */
  readonly problem: NonNullable<LedgerOptions['onProblem']>;
  /** Recorded credentials go to this host, which is not the recorded one; called once. */
  credentialsToOtherHost(host: string): void;
}

/** The maximum of completed rows that are not on the disk yet: a power cut undoes them. */
const maxUncommitted = 500;

/** A replay in this thread alone. */
export function singleThreadReplay(parts: ReplayParts, listener: ReplayListener): SingleThreadRun {
  const { inputs, hars, items, state, io, log, schedule, flags, compositions, changes } = parts;
  const bodyEditor = changes && new BodyEditor(changes.steps, changes.hashKey);
  const rereadable = inputs.map((input) => input.isFile && !hars.has(input) && isPlainFile(input));
  return new SingleThreadRun({
    ...unflushedCommits(state, { maxUncommitted }),
    ...{ items, log, schedule, listener, clock: systemClock },
    ...{ store: state.store, deadLetters: state.deadLetters, isResumable: state.isResumable },
    openSource: (signal) => {
      const checkpoint = state.store.checkpoint();
      return readCaptures(inputs, items, {
        stdin: io.stdin,
        signal,
        rest: (index) => restOf(checkpoint, index),
        onBroken: (error) => listener.broken(error),
      });
    },
    openTarget: (events) => Promise.resolve(openTarget(parts, { ...events, listener, bodyEditor })),
    files: inputs.map(({ name }) => name),
    canReread: (file) => rereadable[file] === true,
    isSelected: selectorOf(parts),
    limit: flags.limit ?? Infinity,
    stamp: { ids: 'keep', seed: state.seed },
    rate: flags.rate,
    isOrdered: false,
    urls: urlsOf(compositions),
    onProblem: listener.problem,
    warnings: () => bodyEditor?.warnings() ?? [],
    ...(flags.verbose && { onAttempts: listener.attempts }),
  });
}

/** Which items are sent. */
export function selectorOf({ flags, state }: ReplayParts): (item: unknown) => boolean {
  const { methods, paths, status, where } = flags;
  const { since, until } = state;
  return captureSelector({ since, until, methods, paths, status, where });
}

function openTarget(
  { settings, compositions, signers, flags }: ReplayParts,
  {
    listener,
    onRefused,
    ...events
  }: TargetEvents & {
    readonly listener: ReplayListener;
    readonly bodyEditor: BodyEditor | undefined;
  },
): RequestTarget {
  return new RequestTarget({
    ...{ ...events, compositions, signers },
    endpoints: settings.endpoints,
    secrets: (settings.signing ?? []).flatMap(signingSecrets),
    compared: comparedOf(flags),
    concurrency: flags.concurrency,
    timeoutMs: settings.timeoutMs,
    retryWindowMs: settings.retryWindowMs,
    allUrls: settings.allUrls,
    ca: settings.ca,
    clientCertificate: settings.clientCertificate,
    onRefused: (index, reason) => onRefused(refusalText(settings, index, reason)),
    onCredentialsToOtherHost: (host) => listener.credentialsToOtherHost(host),
  });
}

/** URLs that have counts of their own: where each request keeps its path, there are too many. */
function urlsOf(compositions: ReplayParts['compositions']): string[] {
  if (compositions.some(({ base }) => base.path === undefined)) return [];
  return compositions.map(({ base }) => base.origin + base.url.pathname);
}
