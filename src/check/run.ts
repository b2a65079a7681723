import { setMaxListeners } from 'node:events';
import { systemClock, type Clock } from '../clock.js';
import { groupOf, notApplicable, type Check, type Stage } from './check.js';
import { described, isSuccess } from './exchange.js';
import { Prober } from './prober.js';
import {
  revisedAcceptance,
  revisedForgeries,
  revisedTypes,
  sendAgain,
  whyAllRefused,
} from './refusals.js';
import type { CheckReport } from './result.js';
import { Results } from './run-results.js';
import { isFormKind, type EventKind } from './senders/sender.js';
import { SessionEnded, unlessAborted } from './session-ended.js';
import { Session } from './session.js';
import type { CheckSettings } from './settings.js';

export interface RunOptions {
  /** What to check, in the order of the report. */
  readonly checks: readonly Check[];
  readonly settings: CheckSettings;
  /** Ends the run; what was judged by then is reported. */
  readonly signal: AbortSignal;
  /** Called at the end of each check, with the number that have ended. */
  readonly onResult?: ((check: Check, ended: number) => void) | undefined;
  /** Of the waits for a limiter of the endpoint. Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Checks an endpoint.
 * @throws UnreachableError when no connection can be opened
 */
export async function runChecks(options: RunOptions): Promise<CheckReport> {
  // A signal of this run alone: many requests listen to it at once, and no listener stays on the caller's.
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

/** Why the checks that are left were not run. */
const acceptedNothing = 'the endpoint accepted no valid event';

class CheckRun {
  readonly #checks: readonly Check[];
  readonly #session: Session;
  readonly #results: Results;

  constructor({ checks, onResult }: RunOptions, session: Session) {
    this.#checks = checks;
    this.#session = session;
    this.#results = new Results(checks, session, onResult);
  }

  async run(): Promise<CheckReport> {
    const { settings, facts, signal } = this.#session;
    for (const check of this.#checks) {
      const reason = check.skipIf?.(settings);
      if (reason !== undefined) this.#results.add(check, notApplicable(reason));
    }
    if (signal.aborted) return this.#results.report({});
    await this.#evaluateAll(this.#at('connect'));
    if (facts.refusal !== undefined) return this.#results.report({ endedEarly: facts.refusal });
    await this.#evaluateAll(this.#at('accept'));
    this.#results.revise(revisedTypes(this.#results.all, this.#session));
    this.#chooseUsual();
    if (this.#results.sendsEvents && !this.#session.hasAcceptedAny) return this.#endUnaccepted();
    for (const check of this.#at('exclusive')) await this.#evaluate(check);
    await this.#evaluateParallel();
    const broken = await this.#whyBroken();
    await this.#evaluateAll([...this.#at('observe'), ...this.#sending()]);
    return this.#results.report({ endedEarly: this.#session.whyEnded, broken });
  }

  /** Long waits begin first, and end last: the load is put on while they wait. */
  async #evaluateParallel(): Promise<void> {
    const parallel = this.#at('parallel');
    const long = this.#evaluateAll(parallel.filter(({ takesLong }) => takesLong));
    const rest = parallel.filter(({ takesLong }) => !takesLong);
    const forging = rest.filter((check) => forgingGroups.includes(groupOf(check)));
    await Promise.all([
      ...this.#sending().map((check) => this.#send(check)),
      this.#evaluateForging(forging),
      this.#evaluateAll(rest.filter((check) => !forging.includes(check))),
    ]);
    for (const check of this.#at('load')) await this.#evaluate(check);
    await long;
  }

  async #evaluateForging(checks: readonly Check[]): Promise<void> {
    if (checks.length === 0) return;
    await this.#evaluateAll(checks);
    const ended = checks.filter((check) => this.#results.has(check));
    this.#results.revise(await revisedForgeries(ended, this.#session));
  }

  /** An endpoint that load has broken is not judged by what it did before. */
  async #whyBroken(): Promise<string | undefined> {
    const hadLoad = this.#session.exchanges.some(({ checkId }) => checkId.startsWith('load.'));
    const again = hadLoad ? await sendAgain(this.#session) : undefined;
    if (!again?.response || isSuccess(again)) return undefined;
    return `load.parallel: the endpoint accepts no valid event any more after it (${described(again)})`;
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
    const cause = await whyAllRefused(this.#session);
    if (cause) this.#results.revise(revisedAcceptance(this.#results.all, cause.reason));
    else await this.#evaluateAll(this.#at('observe').filter(isExplaining));
    const rawBytes = this.#checks.find(({ id }) => id.startsWith('sign.raw-bytes.'));
    const isExplained = cause?.rawBytes !== undefined && rawBytes !== undefined;
    if (isExplained) this.#results.add(rawBytes, cause.rawBytes);
    const endedEarly = cause?.endedEarly ?? this.#session.whyEnded ?? acceptedNothing;
    return this.#results.report({ endedEarly, isExplained });
  }

  #at(stage: Stage): readonly Check[] {
    return this.#checks.filter(
      (check) => check.stage === stage && !check.send && !this.#results.has(check),
    );
  }

  /** Those that send beside the others, and are evaluated at the end. */
  #sending(): readonly Check[] {
    return this.#checks.filter((check) => check.send && !this.#results.has(check));
  }

  async #evaluateAll(checks: readonly Check[]): Promise<void> {
    await Promise.all(checks.map((check) => this.#evaluate(check)));
  }

  async #send(check: Check): Promise<void> {
    await this.#whileGoing(check.send!(new Prober(this.#session, check.id)));
  }

  async #evaluate(check: Check): Promise<void> {
    const startedAt = systemClock.monotonic();
    const result = await this.#whileGoing(check.evaluate(new Prober(this.#session, check.id)));
    // What is left is listed at the end.
    if (result) this.#results.add(check, result, systemClock.monotonic() - startedAt);
  }

  /**
   * Undefined if the session has ended. An interruption does not wait for what a check waits for: a probe,
   * a response, an idle connection.
   */
  async #whileGoing<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await unlessAborted(work, this.#session.signal);
    } catch (error) {
      if (error instanceof SessionEnded) return undefined;
      throw error;
    }
  }
}

/** The groups that send what has to be refused. */
const forgingGroups = ['sign', 'time'];

/** Whether it may say why no valid event was accepted. */
function isExplaining(check: Check): boolean {
  return ['accept', 'limit', 'gone'].includes(groupOf(check));
}
