import { selectAndTransform, type Transform } from '../../events/transform.js';
import { exitCodes } from '../../errors.js';
import { eventTimeMs } from '../../events/event-time.js';
import { isExpansion, isProblem, type Event, type Item, type Problem } from '../../events/event.js';
import { userOf } from '../../events/select.js';
import { stampEvent } from '../../events/stamp.js';
import { ReasonCounts } from '../../ledger/reason-counts.js';
import { count, countOf, durationText } from '../../output/numbers.js';
import { printable } from '../../output/printable.js';
import { writeSlowly } from '../../output/write-slowly.js';
import type { BrokenInputError } from '../../sources/broken-input.js';
import { readBatches } from '../../sources/read.js';
import { RecordParser } from '../../steps/changes.js';
import { bodyOf } from '../../webhook/body.js';
import { print } from '../shared/output.js';
import { DistinctCounter, RepeatCounter } from './distinct.js';
import type { Probe } from './probe.js';
import { WantedCounts, type PlanEndpoint } from './wanted-counts.js';
import { changesIn, isSelected, type ImportParts } from './parts.js';

/** What an import would do, as `--json` has it. */
export interface Plan {
  readonly type: 'plan';
  /** Events by type. */
  readonly types: Readonly<Record<string, number>>;
  readonly rejected: number;
  readonly reasons: readonly PlanReason[];
  /** What each URL would get, if not every one wants all events. */
  readonly endpoints?: readonly PlanEndpoint[];
  /** Events that no URL wants. */
  readonly unwanted: number;
  /** Of the oldest and the newest event, in ISO 8601; null without timestamps. */
  readonly first: string | null;
  readonly last: string | null;
  readonly users: number;
  /** Of the events, as they are read. */
  readonly bytes: number;
  /** What earlier runs of this import have delivered. */
  readonly earlier: number;
  /** The body of the first event as it would be sent; null without an event. */
  readonly example: string | null;
  /** How long it takes at `--rate` or `--speed`, else as fast as `--probe` was; null if none says it. */
  readonly seconds: number | null;
  readonly warnings: readonly PlanWarning[];
  /** Of `--probe`. */
  readonly probe?: Probe;
}

export interface PlanReason {
  readonly code: string;
  readonly count: number;
  /** The first event of it: `orders.csv:5: ` and what is wrong. */
  readonly first: string;
}

export interface PlanWarning {
  readonly code:
    'unused_path' | 'broken_input' | 'future' | 'old' | 'no_message_id' | 'repeated_message_id';
  readonly count: number;
  readonly message: string;
}

/** What earlier runs and the probe have done. */
export interface Done {
  readonly earlier: number;
  readonly probed: Probe | undefined;
}

const unchanged: Transform = (item) => Promise.resolve([item]);

/** Reads all events of an import and sends nothing. Returns what would happen. */
export async function planImport(parts: ImportParts, done: Done): Promise<Plan> {
  const { inputs, io, transform: change = unchanged, platform, flags } = parts;
  const changes = changesIn(parts);
  const keepsRecords = parts.transform !== undefined;
  const parser = changes && new RecordParser(changes, { keepsRecords });
  const isSelectedAfter = isSelected(parts);
  const selectors = { isSelected: parser ? () => true : isSelectedAfter, isSelectedAfter };
  const endpoints = parts.settings.kind === 'webhooks' ? parts.settings.endpoints : [];
  const counts = new PlanCounts(
    platform.clock.now(),
    flags.warnOlderThan,
    WantedCounts.of(endpoints),
  );
  const reading = {
    stdin: io.stdin,
    shares: parts.shares,
    parse: parser?.parse,
    onBroken: ({ message }: BrokenInputError) => counts.addBroken(message),
  };
  for await (const batch of readBatches<Item>(inputs, reading)) {
    for (const item of batch) {
      for (const each of isExpansion(item) ? item.items : [item]) {
        for (const event of await selectAndTransform(each, change, selectors)) {
          counts.add(event, parts);
        }
      }
    }
  }
  return counts.plan(done, flags, parser?.warnings() ?? []);
}

class PlanCounts {
  readonly #now: number;
  readonly #oldest: number;
  readonly #types = new Map<string, number>();
  readonly #reasons = new ReasonCounts();
  readonly #firsts = new Map<string, string>();
  readonly #users = new DistinctCounter();
  readonly #ids = new RepeatCounter();
  readonly #warned = { future: 0, old: 0, no_message_id: 0 };
  readonly #broken: string[] = [];
  readonly #wanted: WantedCounts | undefined;
  #rejected = 0;
  #bytes = 0;
  #first = Infinity;
  #last = -Infinity;
  #example: string | undefined;

  /** `olderThanMs`: how old an event may be without a warning. */
  constructor(now: number, olderThanMs = Infinity, wanted?: WantedCounts) {
    this.#now = now;
    this.#oldest = now - olderThanMs;
    this.#wanted = wanted;
  }

  addBroken(message: string): void {
    this.#broken.push(message);
  }

  add(item: Event | Problem, { settings, flags, state }: ImportParts): void {
    if (isProblem(item)) {
      this.#rejected++;
      this.#reasons.add(item.code);
      if (!this.#firsts.has(item.code)) this.#firsts.set(item.code, firstText(item));
      return;
    }
    const { type, value, bytes } = item;
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1);
    this.#bytes += bytes.length;
    this.#users.add(userOf(item));
    const { messageId } = value;
    if (typeof messageId !== 'string' && item.givenId === undefined) this.#warned.no_message_id++;
    else this.#ids.add(item.givenId ?? String(messageId));
    this.#addTime(eventTimeMs(item));
    const isWanted = this.#wanted?.add(item) ?? true;
    if (this.#example !== undefined || !isWanted) return;
    const stamp = stampEvent(item, { ids: flags.ids, seed: state.seed, now: this.#now });
    const form = settings.kind === 'webhooks' ? (settings.body ?? 'webhook') : 'original';
    const example = bodyOf(form, item, stamp).toString();
    const isBatched = settings.kind === 'webhooks' && settings.batch !== undefined;
    this.#example = isBatched ? `[${example}]` : example;
  }

  #addTime(at: number | undefined): void {
    if (at === undefined) return;
    this.#first = Math.min(this.#first, at);
    this.#last = Math.max(this.#last, at);
    if (at > this.#now) this.#warned.future++;
    if (at < this.#oldest) this.#warned.old++;
  }

  plan(
    { earlier, probed }: Done,
    { rate, speed, warnOlderThan }: ImportParts['flags'],
    pathWarnings: readonly string[],
  ): Plan {
    const events = [...this.#types.values()].reduce((sum, each) => sum + each, 0);
    const spanMs = this.#last > this.#first ? this.#last - this.#first : 0;
    const probedEvents = probed ? probed.delivered + probed.failed : 0;
    const unwanted = this.#wanted?.unwanted ?? 0;
    const left = Math.max(0, events - unwanted - earlier - probedEvents);
    const measured = speed === undefined ? probed?.eventsPerSecond : undefined;
    const perSecond = rate ?? measured;
    const seconds = [
      ...(perSecond ? [left / perSecond] : []),
      ...(speed === undefined || speed === Infinity ? [] : [spanMs / 1000 / speed]),
    ];
    return {
      type: 'plan',
      types: Object.fromEntries(this.#types),
      rejected: this.#rejected,
      reasons: this.#reasons.list().map((reason) => ({
        ...reason,
        first: this.#firsts.get(reason.code) ?? '',
      })),
      ...(this.#wanted && { endpoints: this.#wanted.list() }),
      unwanted,
      first: timeText(this.#first),
      last: timeText(this.#last),
      users: this.#users.count,
      bytes: this.#bytes,
      earlier,
      example: this.#example ?? null,
      seconds: seconds.length === 0 ? null : Math.max(...seconds),
      warnings: [...this.#warnings(warnOlderThan), ...pathWarnings.map(unusedPath)],
      ...(probed && { probe: probed }),
    };
  }

  #warnings(olderThanMs: number | undefined): PlanWarning[] {
    const { future, old, no_message_id } = this.#warned;
    const days = durationText((olderThanMs ?? 0) / 1000);
    const all: PlanWarning[] = [
      { code: 'future', count: future, message: 'timestamps in the future' },
      { code: 'old', count: old, message: `older than ${days}` },
      {
        code: 'no_message_id',
        count: no_message_id,
        message: 'without messageId: their place in the file makes one',
      },
      {
        code: 'repeated_message_id',
        count: this.#ids.repeats,
        message: 'with the messageId of another event: receivers may drop them',
      },
      ...this.#broken.map((message) => ({ code: 'broken_input', count: 1, message }) as const),
    ];
    return all.filter((warning) => warning.count > 0);
  }
}

function unusedPath(message: string): PlanWarning {
  return { code: 'unused_path', count: 1, message };
}

function firstText({ origin, message }: Problem): string {
  return `${origin.file}:${origin.line}: ${message}`;
}

function timeText(ms: number): string | null {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : null;
}

function warningText({ code, count: events, message }: PlanWarning): string {
  return code === 'broken_input' || code === 'unused_path'
    ? `warning: ${message}`
    : `warning: ${countOf(events, 'event')} ${message}`;
}

/** Prints a plan, and exits as a run with these rejected events would. */
export async function reportPlan(plan: Plan, { flags, io }: ImportParts): Promise<void> {
  if (flags.json) print(io, JSON.stringify(plan));
  else await writeSlowly(io.stdout, `${planText(plan).join('\n')}\n`);
  const hasFailed = (plan.probe?.failed ?? 0) > 0;
  const isBroken = plan.warnings.some(({ code }) => code === 'broken_input');
  io.exit(plan.rejected > 0 || isBroken || hasFailed ? exitCodes.incomplete : exitCodes.ok);
}

function planText(plan: Plan): string[] {
  const { types, rejected, reasons, first, last, users, bytes, earlier, example } = plan;
  const { endpoints = [], unwanted } = plan;
  const events = Object.values(types).reduce((sum, each) => sum + each, 0);
  const row = (name: string, text: string): string => `${name.padEnd(10)} ${text}`;
  return [
    row('events', count(events)),
    ...Object.entries(types).map(([type, each]) => `  ${type} × ${count(each)}`),
    ...(rejected > 0 ? [row('rejected', count(rejected))] : []),
    ...reasons.map(
      ({ code, count: each, first: example }) =>
        `  ${code.replaceAll('_', ' ')} × ${count(each)}, first ${printable(example)}`,
    ),
    ...(unwanted > 0 ? [row('unwanted', `${count(unwanted)} (no endpoint wants them)`)] : []),
    ...endpoints.map(({ url, events: each }) => `  ${url}  ${countOf(each, 'event')}`),
    ...(first === null ? [] : [row('from', first), row('to', last!)]),
    row('users', count(users)),
    row('bytes', count(bytes)),
    ...(earlier > 0 ? [row('earlier', `${countOf(earlier, 'event')} delivered`)] : []),
    ...(plan.seconds === null ? [] : [row('takes', takesText(plan, plan.seconds))]),
    ...(example === null ? [] : [row('first', printable(example))]),
    ...plan.warnings.map(warningText),
    plan.probe ? probeText(plan.probe) : 'nothing was sent',
  ];
}

/** A few events are sent at once, so the connections take most of their time. */
const fewEvents = 1_000;

function takesText({ probe }: Plan, seconds: number): string {
  const text = durationText(Math.ceil(seconds));
  if (!probe || probe.sent >= fewEvents) return text;
  return `${text} at the speed of the probe; one of ${count(fewEvents)} events is more exact`;
}

function probeText({ sent, delivered, failed, pending, eventsPerSecond }: Probe): string {
  const parts = [
    `${count(delivered)} delivered`,
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(pending > 0 ? [`${count(pending)} left for the import`] : []),
    ...(eventsPerSecond === null ? [] : [`${count(Math.round(eventsPerSecond))}/s`]),
  ];
  return `probe: ${countOf(sent, 'event')} sent: ${parts.join(', ')}`;
}
