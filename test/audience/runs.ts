import type { TargetSettings } from '../../src/config/open-target.js';
import type { AudienceFlags } from '../../src/commands/audience/flags.js';
import { openAudience, type AudienceState } from '../../src/commands/audience/state.js';
import { PlanRun } from '../../src/audience/plan-run.js';
import { isMember, type AudienceKind, type Row } from '../../src/audience/row.js';
import type { Comparison, PlanOptions } from '../../src/audience/store.js';
import { systemClock } from '../../src/clock.js';
import type { Outcome } from '../../src/delivery/outcome.js';
import type { Summary } from '../../src/ledger/summary.js';
import { MemoryTarget } from '../helpers/memory-target.js';

const settings: TargetSettings = {
  kind: 'webhooks',
  where: '--url',
  endpoints: [{ url: 'http://localhost/hook', headers: [] }],
  timeoutMs: 5_000,
  retryWindowMs: 0,
  allUrls: false,
  ignoreIntegrations: false,
  ca: [],
};

/** Opens the state of `VIP` in a folder. */
export function openState(
  folder: string,
  kind: AudienceKind = 'sync',
  flags: Partial<AudienceFlags> = {},
): Promise<AudienceState> {
  const given = { name: 'VIP', members: 'list', concurrency: 8, stateDir: folder, ...flags };
  return openAudience({ kind, property: 'vip' }, settings, given);
}

/** A row as it is read from NDJSON. */
export function row(user: string, value = 'true', line = 1): Row {
  const id = Buffer.from(JSON.stringify(user));
  const origin = { file: 'list', line, offset: line * 10, length: 9 };
  const text = value === 'true' ? isMember : Buffer.from(value);
  return { user: Buffer.from(user), id, value: text, origin, bytes: id, isJson: true };
}

/** The rows of these users, one per line. */
export function rows(users: readonly string[]): Row[] {
  return users.map((user, i) => row(user, 'true', i + 1));
}

/** The events sent to a receiver, and the traits that result from them. */
export class AudienceReceiver {
  /** The trait of each user, after the accepted events. */
  readonly values = new Map<string, unknown>();
  /** All events sent, in order. */
  readonly sent: { user: string; messageId: string; value: unknown }[] = [];

  /** A target for one run; `finalStatusOf` is called for every event. */
  target(finalStatusOf: (index: number) => Outcome['verdict'] = () => 'delivered'): MemoryTarget {
    return new MemoryTarget(({ event, stamp }, index) => {
      const user = String(event.value.userId);
      const value = (event.value.traits as { vip: unknown }).vip;
      const verdict = finalStatusOf(index);
      this.sent.push({ user, messageId: stamp.messageId, value });
      if (verdict === 'delivered') this.values.set(user, value);
      return verdict === 'failed' ? { verdict, code: 'status_400', message: 'no' } : { verdict };
    });
  }

  /** The users that are members, by the receiver. */
  get members(): string[] {
    return [...this.values]
      .filter(([, value]) => value === true)
      .map(([user]) => user)
      .sort();
  }

  /** The changes sent for a user, in order; a repeated message counts once. */
  changesOf(user: string): { messageId: string; value: unknown }[] {
    const changes: { messageId: string; value: unknown }[] = [];
    for (const { user: of, messageId, value } of this.sent) {
      if (of === user && changes.at(-1)?.messageId !== messageId)
        changes.push({ messageId, value });
    }
    return changes;
  }
}

export interface RunOptions {
  readonly kind?: AudienceKind;
  readonly list: readonly Row[];
  readonly removals?: PlanOptions['removals'];
  readonly target: MemoryTarget;
  /** Called at every step; if it throws, the run ends there. */
  readonly onStep?: () => void;
  readonly interrupted?: AbortSignal;
}

/** One run like that of the command: first an unfinished plan, then the list. */
export async function runOnce(
  folder: string,
  { kind = 'sync', list, target, onStep = () => undefined, ...options }: RunOptions,
): Promise<{ comparison: Comparison; summaries: Summary[] }> {
  const state = await openState(folder, kind);
  const { store } = state;
  const summaries: Summary[] = [];
  const removals = options.removals ?? (kind === 'sync' ? 'sent' : 'none');
  const interrupted = options.interrupted ?? new AbortController().signal;
  const send = async (): Promise<void> => {
    const plan = store.plan()!;
    const progress = await state.openProgress(plan);
    try {
      const name = { kind, property: 'vip', seed: store.seed };
      const parts = { name, plan, store, progress, deadLetters: state.deadLetters, onStep };
      const run = new PlanRun({
        ...{ ...parts, clock: systemClock, group: { rows: 3, ms: 1 } },
        rate: undefined,
        openTarget: () => Promise.resolve(target),
        onDown: () => undefined,
        onRefused: () => undefined,
      });
      await run.forward(interrupted);
      summaries.push(run.finish(!interrupted.aborted));
    } finally {
      progress.close();
    }
    onStep();
    if (!store.plan()) state.resetProgress();
    onStep();
  };
  try {
    store.stage(list);
    onStep();
    if (store.plan()) await send();
    const madeAt = new Date().toISOString();
    const comparison = store.makePlan({ file: 'list', madeAt, removals });
    onStep();
    await send();
    return { comparison, summaries };
  } finally {
    state.close();
  }
}
