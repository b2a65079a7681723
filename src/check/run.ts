import { setMaxListeners } from 'node:events';
import { systemClock, type Clock } from '../clock.js';
import { withoutQuery } from '../http/url.js';
import {
  groupOf,
  levelOf,
  type Check,
  type Stage,
  failed,
  notApplicable,
  inconclusive,
  type CheckResult,
} from './check.js';
import { areRefused, disagreement } from './disagreement.js';
import { described, isRedirect, isSuccess, type Exchange } from './exchange.js';
import { fixInputOf } from './fixes/input.js';
import {
  incompleteness,
  type CheckReport,
  type ReportedResult,
  summaryOf,
  verdictOf,
} from './result.js';
import { Prober } from './prober.js';
import { presentable } from './presentable.js';
import { isFormKind, type EventKind } from './senders/sender.js';
import { Session } from './session.js';
import { SessionEnded, unlessAborted } from './session-ended.js';
import type { CheckSettings } from './settings.js';

export interface RunOptions {
  /** What to check, in the order of the report. */
  readonly checks: readonly Check[];
  readonly settings: CheckSettings;
  /** Ends the run; what was judged by then is reported. */
  readonly signal: AbortSignal;
  /** Called at the end of each check. */
  readonly onResult?: ((check: Check, judged: number) => void) | undefined;
  /** Of the waits for a limiter of the endpoint. Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Checks an endpoint.
 * @throws UnreachableError when no connection can be opened
 */
export async function runChecks(options: RunOptions): Promise<CheckReport> {
  // One of our own: many requests listen to it at once, and nothing stays on that of the caller.
  const run = new AbortController();
  const { signal } = run;
  setMaxListeners(0, signal);
  const abort = (): void => run.abort();
  if (options.signal.aborted) abort();
  else options.signal.addEventListener('abort', abort);
  try {
    const session = await Session.open(options.settings, signal, options.clock);
    try {
      return await new CheckRun({ ...options, signal }, session).run();
    } finally {
      session.close();
    }
  } finally {
    options.signal.removeEventListener('abort', abort);
  }
}

interface TimedResult {
  readonly result: CheckResult;
  readonly durationMs: number;
}

/** Why the checks that are left were not run. */
const acceptedNothing = 'the endpoint accepted no valid event';

class CheckRun {
  readonly #options: RunOptions;
  readonly #session: Session;
  readonly #judged = new Map<Check, TimedResult>();
  readonly #startedAt = Date.now();
  /** Why what was judged says little, since load has broken the endpoint. */
  #broken: string | undefined;
  /** Whether a failure says why no valid event was accepted. */
  #isExplained = false;

  constructor(options: RunOptions, session: Session) {
    this.#options = options;
    this.#session = session;
  }

  async run(): Promise<CheckReport> {
    this.#leaveOutInapplicable();
    if (this.#options.signal.aborted) return this.#report(undefined);
    await this.#evaluateAll(this.#at('connect'));
    const { refusal } = this.#session.facts;
    if (refusal !== undefined) return this.#report(refusal);
    await this.#evaluateAll(this.#at('accept'));
    this.#noteOtherTypes();
    this.#chooseUsual();
    if (this.#sentAny() && !this.#hasAccepted()) return this.#endUnaccepted();
    for (const check of this.#at('exclusive')) await this.#evaluate(check);
    await this.#evaluateParallel();
    await this.#lookAfterLoad();
    await this.#evaluateAll([...this.#at('observe'), ...this.#sending()]);
    return this.#report(this.#whyEnded());
  }

  /** Long waits begin first, and end last: the load is put on while they wait. */
  async #evaluateParallel(): Promise<void> {
    const beside = this.#at('parallel');
    const long = this.#evaluateAll(beside.filter(({ takesLong }) => takesLong));
    const rest = beside.filter(({ takesLong }) => !takesLong);
    const forging = rest.filter((check) => forgingGroups.includes(groupOf(check)));
    await Promise.all([
      ...this.#sending().map((check) => this.#send(check)),
      this.#evaluateForging(forging),
      this.#evaluateAll(rest.filter((check) => !forging.includes(check))),
    ]);
    for (const check of this.#at('load')) await this.#evaluate(check);
    await long;
  }

  /** A refusal proves nothing if valid events are refused by now as well: after too many forged ones, for example. */
  async #evaluateForging(checks: readonly Check[]): Promise<void> {
    if (checks.length === 0) return;
    await this.#evaluateAll(checks);
    const again = await this.#sendAgain();
    if (!again || isSuccess(again)) return;
    for (const check of checks) {
      const judged = this.#judged.get(check);
      if (judged) this.#judged.set(check, { ...judged, result: refusesAll });
    }
  }

  /** Another valid event; undefined if the run has ended. */
  async #sendAgain(): Promise<Exchange | undefined> {
    try {
      return await new Prober(this.#session, 'again').sendValid();
    } catch (error) {
      if (error instanceof SessionEnded) return undefined;
      throw error;
    }
  }

  /** An endpoint that load has broken is not judged by what it did before. */
  async #lookAfterLoad(): Promise<void> {
    const hadLoad = this.#session.exchanges.some(({ checkId }) => checkId.startsWith('load.'));
    const again = hadLoad ? await this.#sendAgain() : undefined;
    if (!again?.response || isSuccess(again)) return;
    this.#broken = `load.parallel: the endpoint accepts no valid event any more after it (${described(again)})`;
  }

  /** Many receivers have one URL for JSON, and another one for forms. */
  #noteOtherTypes(): void {
    const { sender } = this.#session.settings;
    const accepted = sender.kinds.filter((kind) => this.#session.hasAccepted(kind));
    for (const [check, { result, durationMs }] of this.#judged) {
      const kind = sender.kinds.find(({ name }) => check.id === `accept.${name}`);
      const status = result.evidence?.response?.status ?? 0;
      if (!kind || result.outcome !== 'failed' || status < 400 || status > 499) continue;
      if (accepted.length === 0 || accepted.some((one) => isFormKind(one) === isFormKind(kind)))
        continue;
      const what = isFormKind(kind) ? 'forms' : 'JSON';
      const text = `this URL takes no ${what}: ${described(result.evidence!)}`;
      this.#judged.set(check, { result: notApplicable(text), durationMs });
    }
  }

  /** What is made of an event that is refused as it is would all be refused. */
  #chooseUsual(): void {
    const { kinds, usual } = this.#session.settings.sender;
    if (this.#session.hasAccepted(usual)) return;
    const isLike = (kind: EventKind): boolean => isFormKind(kind) === isFormKind(usual);
    const accepted = kinds.filter((kind) => this.#session.hasAccepted(kind) && isLike(kind));
    if (accepted[0]) this.#session.vary(accepted[0]);
  }

  /** Redirects and rate limits explain why nothing was accepted; so does another secret or scheme. */
  async #endUnaccepted(): Promise<CheckReport> {
    const refused = this.#session.exchanges.filter(({ request }) => request.isValid);
    const report = areRefused(refused) ? await this.#endRefused(refused[0]!) : undefined;
    if (report) return report;
    await this.#evaluateAll(
      this.#at('observe').filter((check) => explainingGroups.includes(groupOf(check))),
    );
    return this.#report(this.#whyEnded() ?? acceptedNothing);
  }

  /**
   * That is no failure of the endpoint, unless it verifies another body than was sent: what it expects and what is
   * sent do not fit. Undefined if it refuses the events for what they are.
   */
  async #endRefused(refused: Exchange): Promise<CheckReport | undefined> {
    const before = new Map(this.#judged);
    this.#leaveAcceptOpen(`every valid event was refused: ${described(refused)}`);
    try {
      const found = await this.#unlessAborted(disagreement(this.#session, refused));
      if (!found) {
        for (const [check, judged] of before) this.#judged.set(check, judged);
        return undefined;
      }
      this.#leaveAcceptOpen(found.reason);
      if (found.serializesAgain) this.#failRawBytes(failed(found.reason, refused));
      return this.#report(found.reason);
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error;
      return this.#report(this.#whyEnded() ?? acceptedNothing);
    }
  }

  #leaveAcceptOpen(reason: string): void {
    for (const [check, { result, durationMs }] of this.#judged) {
      const isOpen = check.stage === 'accept' && result.outcome !== 'passed';
      if (isOpen) this.#judged.set(check, { result: inconclusive(reason), durationMs });
    }
  }

  #failRawBytes(result: CheckResult): void {
    const check = this.#options.checks.find(({ id }) => id.startsWith('sign.raw-bytes.'));
    if (!check) return;
    this.#note(check, result, 0);
    this.#isExplained = true;
  }

  #at(stage: Stage): readonly Check[] {
    return this.#options.checks.filter(
      (check) => check.stage === stage && !check.send && !this.#judged.has(check),
    );
  }

  /** Those that send beside the others, and judge at the end. */
  #sending(): readonly Check[] {
    return this.#options.checks.filter((check) => check.send && !this.#judged.has(check));
  }

  #leaveOutInapplicable(): void {
    for (const check of this.#options.checks) {
      const reason = check.skipIf?.(this.#session.settings);
      if (reason !== undefined) this.#note(check, notApplicable(reason), 0);
    }
  }

  async #evaluateAll(checks: readonly Check[]): Promise<void> {
    await Promise.all(checks.map((check) => this.#evaluate(check)));
  }

  async #send(check: Check): Promise<void> {
    try {
      await this.#unlessAborted(check.send!(new Prober(this.#session, check.id)));
    } catch (error) {
      if (!(error instanceof SessionEnded)) throw error;
    }
  }

  async #evaluate(check: Check): Promise<void> {
    const startedAt = systemClock.monotonic();
    try {
      const result = await this.#unlessAborted(check.evaluate(new Prober(this.#session, check.id)));
      this.#note(check, result, systemClock.monotonic() - startedAt);
    } catch (error) {
      // What is left is listed at the end.
      if (!(error instanceof SessionEnded)) throw error;
    }
  }

  /** An interruption does not wait for what a check waits for: a probe, a response, an idle connection. */
  #unlessAborted<T>(work: Promise<T>): Promise<T> {
    return unlessAborted(work, this.#options.signal);
  }

  #note(check: Check, result: CheckResult, durationMs: number): void {
    this.#judged.set(check, { result, durationMs });
    this.#options.onResult?.(check, this.#judged.size);
  }

  #sentAny(): boolean {
    return this.#options.checks.some(({ stage }) => stage === 'accept');
  }

  #hasAccepted(): boolean {
    return this.#session.exchanges.some(
      (exchange) => exchange.request.isValid && isSuccess(exchange),
    );
  }

  /** @param endedEarly why the checks that are left were not run */
  #report(endedEarly: string | undefined): CheckReport {
    const { settings, pace } = this.#session;
    const results = this.#results(endedEarly);
    // Where no valid event was accepted, that alone says why the rest is not judged.
    const hasAccepted = this.#hasAccepted();
    const incomplete =
      hasAccepted || !this.#sentAny()
        ? (incompleteness(results, endedEarly) ?? this.#broken)
        : undefined;
    return {
      url: withoutQuery(settings.url),
      scheme: settings.signing?.scheme.name,
      fixes: fixInputOf(settings),
      startedAt: this.#startedAt,
      durationMs: Date.now() - this.#startedAt,
      results,
      summary: summaryOf(results, hasAccepted, incomplete !== undefined),
      slowedTo: pace.isSlowed ? pace.rate : undefined,
      endedEarly,
      interruptedOf: this.#options.signal.aborted ? this.#options.checks.length : undefined,
      incomplete,
      isConclusive: this.#isConclusive(),
    };
  }

  /** After an interruption only what was judged; else what is left is `na`. */
  #results(endedEarly: string | undefined): ReportedResult[] {
    const isInterrupted = this.#options.signal.aborted;
    return this.#options.checks.flatMap((check) => {
      const judged = this.#judged.get(check);
      if (judged) return this.#resultOf(check, judged);
      const rest = inconclusive(endedEarly ?? this.#whyEnded() ?? this.#silence());
      return isInterrupted ? [] : this.#resultOf(check, { result: rest, durationMs: 0 });
    });
  }

  #resultOf(check: Check, { result, durationMs }: TimedResult): ReportedResult {
    const { settings } = this.#session;
    const level = levelOf(check, settings);
    const shown = this.#isTrailing(result) ? inconclusive(this.#silence()) : result;
    return {
      check,
      level,
      verdict: verdictOf(shown, level, settings.isStrict),
      isInconclusive: shown.outcome === 'inconclusive',
      durationMs,
      ...presentable(shown, settings),
    };
  }

  /** Whether it was judged by one of the requests in a row that nobody answered, since the endpoint was gone. */
  #isTrailing({ evidence }: CheckResult): boolean {
    if (!this.#session.isSilent || !evidence || evidence.response) return false;
    return this.#session.exchanges.indexOf(evidence) > this.#lastAnswered();
  }

  #lastAnswered(): number {
    return this.#session.exchanges.findLastIndex(({ response }) => response !== undefined);
  }

  /** Undefined if the session goes on. */
  #whyEnded(): string | undefined {
    const { isSilent, limit, exchanges } = this.#session;
    if (isSilent) return this.#silence();
    if (limit.givenUp === undefined) return undefined;
    const from = exchanges.findLastIndex((exchange) => !limit.hasRefused(exchange)) + 2;
    return `the endpoint limits the rate, and ${limit.givenUp}, from request ${from} on`;
  }

  #silence(): string {
    // Requests count from 1.
    const from = this.#lastAnswered() + 2;
    return `the endpoint stopped responding: five requests in a row had no response, from request ${from} on`;
  }

  #isConclusive(): boolean {
    if (this.#session.facts.refusal) return this.#session.facts.isExplained;
    if (!this.#sentAny() || this.#hasAccepted() || this.#isExplained) return true;
    return this.#session.exchanges.some(isRedirect);
  }
}

/** The groups that send what has to be refused. */
const forgingGroups = ['sign', 'time'];
/** The groups that may say why no valid event was accepted. */
const explainingGroups = ['accept', 'limit', 'gone'];

const refusesAll = inconclusive(
  'a valid event that was sent afterwards was refused, too, so the refusals prove nothing',
);
