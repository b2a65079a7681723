import type { ResponseExcerpt, Verdict } from '../delivery/outcome.js';
import { shortened } from '../delivery/response-excerpt.js';
import type { LoggedAttempt } from './attempt-line.js';
import { Counts, type VerdictCounts } from './counts.js';
import { Durations } from './durations.js';
import { FailedDeliveries } from './failed-deliveries.js';
import type { ReadSummary } from './read-logs.js';
import type { FinalStatuses, Latency, Report, UrlReport } from './report.js';
import { Series } from './series.js';

/** Bars of the distribution of durations. */
const maxBars = 60;

/** Sums up attempts, one at a time, in constant memory. */
export class Statistics {
  readonly #all = new Part();
  readonly #urls = new Groups<string, Part>(() => new Part());
  readonly #byAttempt = new Groups<number, Counts>(() => new Counts());
  readonly #statuses = new Groups<number, StatusCounts>(() => new StatusCounts());
  readonly #errors = new Groups<string, Counts>(() => new Counts());
  readonly #failed = new FailedDeliveries();
  readonly #series = new Series();
  #from = Infinity;
  #to = -Infinity;

  get attempts(): number {
    return this.#all.counts.values().attempts;
  }

  add(attempt: LoggedAttempt): void {
    const { at, url, status, error, verdict, durationMs, response } = attempt;
    this.#all.add(attempt);
    this.#urls.of(url).add(attempt);
    this.#series.add(attempt);
    this.#failed.add(attempt);
    this.#byAttempt.of(attempt.attempt).add(verdict);
    if (status !== null) this.#statuses.of(status).addResponse(verdict, response);
    if (error !== null) this.#errors.of(error).add(verdict);
    this.#from = Math.min(this.#from, at);
    this.#to = Math.max(this.#to, at + durationMs);
  }

  /** There must have been at least one attempt. */
  report(reading: ReadSummary): Report {
    const { attempts, ...verdicts } = this.#all.counts.values();
    const seconds = Math.round(this.#to - this.#from) / 1000;
    return {
      type: 'report',
      ...reading,
      attempts,
      verdicts,
      ...this.#all.finalStatuses(),
      from: isoText(this.#from),
      to: isoText(this.#to),
      seconds,
      attemptsPerSecond: seconds > 0 ? Number((attempts / seconds).toPrecision(3)) : null,
      latencyMs: latencyOf(this.#all.durations),
      latencyBars: this.#all.durations.bars(maxBars),
      tries: this.#attemptsInOrder(),
      statuses: this.#statusesByFrequency(),
      errors: byFrequency(this.#errors, (error) => ({ error })),
      urls: this.#urlsByFrequency(),
      failedDeliveries: this.#failed.values(),
      series: this.#series.values(),
    };
  }

  #attemptsInOrder(): Report['tries'] {
    const rows = this.#byAttempt
      .entries()
      .map(([attempt, counts]) => ({ attempt, ...counts.values() }));
    return rows.sort((one, other) => (one.attempt ?? Infinity) - (other.attempt ?? Infinity));
  }

  #statusesByFrequency(): Report['statuses'] {
    const rows = this.#statuses.entries().map(([status, counts]) => {
      const row = { status, ...counts.values() };
      return counts.example ? { ...row, example: counts.example } : row;
    });
    return rows.sort(moreFirst);
  }

  #urlsByFrequency(): UrlReport[] {
    const urls = this.#urls.entries().map(([url, { counts, durations, finalStatuses }]) => ({
      url,
      ...counts.values(),
      ...finalStatuses(),
      latencyMs: latencyOf(durations),
    }));
    return urls.sort(moreFirst);
  }
}

/** Bytes of the body of an example: enough to see the cause, for a thousand statuses of a broken server. */
const maxExampleBytes = 1_024;

/** The attempts with one status, and what the first response that said something said. */
class StatusCounts extends Counts {
  example: ResponseExcerpt | undefined;

  addResponse(verdict: Verdict, response: ResponseExcerpt | undefined): void {
    this.add(verdict);
    if (response !== undefined) this.example ??= shortened(response, maxExampleBytes);
  }
}

/** All attempts, or those at one URL. */
class Part {
  readonly counts = new Counts();
  readonly durations = new Durations();
  #firstAttempts = 0;

  add({ attempt, verdict, durationMs, status }: LoggedAttempt): void {
    this.counts.add(verdict);
    if (attempt === 1) this.#firstAttempts++;
    // A refused connection takes 0 ms, a timeout as long as its limit: neither says how fast the URL responds.
    if (status !== null) this.durations.add(durationMs);
  }

  readonly finalStatuses = (): FinalStatuses => {
    const { attempts, delivered, failed } = this.counts.values();
    const firstAttempts = this.#firstAttempts;
    const unresolved = firstAttempts - delivered - failed;
    const isComplete = firstAttempts > 0 && unresolved >= 0;
    return {
      firstTries: firstAttempts,
      retries: attempts - firstAttempts,
      deliveredShare: isComplete ? Number((delivered / firstAttempts).toPrecision(6)) : null,
      unresolved: isComplete ? unresolved : null,
    };
  };
}

function latencyOf(durations: Durations): Latency {
  return {
    p50: durations.percentile(0.5),
    p90: durations.percentile(0.9),
    p95: durations.percentile(0.95),
    p99: durations.percentile(0.99),
    max: durations.max,
  };
}

function byFrequency<Key, Name>(
  groups: Groups<Key, Counts>,
  name: (key: Key | null) => Name,
): (Name & VerdictCounts)[] {
  const rows = groups.entries().map(([key, counts]) => ({ ...name(key), ...counts.values() }));
  return rows.sort(moreFirst);
}

function moreFirst(one: VerdictCounts, other: VerdictCounts): number {
  return other.attempts - one.attempts;
}

/** In a made-up log, the end of an attempt may be beyond the range of Date. */
function isoText(at: number): string {
  return new Date(Math.min(at, 8.64e15)).toISOString();
}

/**
 * One value per key, for a limited number of keys; all later keys share one value, whose key is null.
 * The limit bounds memory: a log may have a new URL on every line.
 */
class Groups<Key, Value> {
  readonly #values = new Map<Key, Value>();
  readonly #make: () => Value;
  readonly #most: number;
  #rest: Value | undefined;

  constructor(make: () => Value, most = 1_000) {
    this.#make = make;
    this.#most = most;
  }

  of(key: Key): Value {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    if (this.#values.size >= this.#most) return (this.#rest ??= this.#make());
    const value = this.#make();
    this.#values.set(key, value);
    return value;
  }

  /** In the order of their first use; the shared value last. */
  entries(): [key: Key | null, value: Value][] {
    const named: [Key | null, Value][] = [...this.#values];
    return this.#rest === undefined ? named : [...named, [null, this.#rest]];
  }
}
