import { certificateEnd } from '../http/certificate-end.js';
import { withoutQuery } from '../http/url.js';
import { inconclusive, levelOf, type Check, type CheckResult } from './check.js';
import { isRedirect } from './exchange.js';
import { fixInputOf } from './fixes/input.js';
import { presentable } from './presentable.js';
import {
  incompleteness,
  summaryOf,
  verdictOf,
  type CheckReport,
  type ReportedResult,
} from './result.js';
import type { Session } from './session.js';

interface TimedResult {
  readonly result: CheckResult;
  readonly durationMs: number;
}

/** Results that say something else than was found at first. */
export type Revision = Iterable<readonly [Check, CheckResult]>;

/** How a run ended, beside the results of its checks. */
export interface RunEnd {
  /** Why the checks that are left were not run. */
  readonly endedEarly?: string | undefined;
  /** Why what was found says little: what a check has done to the endpoint. */
  readonly broken?: string | undefined;
  /** Whether a failure says why no valid event was accepted. */
  readonly isExplained?: boolean | undefined;
}

/** What the checks of a run have found so far, and the report of it. */
export class Results {
  readonly #checks: readonly Check[];
  readonly #session: Session;
  readonly #onResult: ((check: Check, ended: number) => void) | undefined;
  readonly #found = new Map<Check, TimedResult>();
  readonly #startedAt = Date.now();

  constructor(
    checks: readonly Check[],
    session: Session,
    onResult?: (check: Check, ended: number) => void,
  ) {
    this.#checks = checks;
    this.#session = session;
    this.#onResult = onResult;
  }

  has(check: Check): boolean {
    return this.#found.has(check);
  }

  add(check: Check, result: CheckResult, durationMs = 0): void {
    this.#found.set(check, { result, durationMs });
    this.#onResult?.(check, this.#found.size);
  }

  revise(revision: Revision): void {
    for (const [check, result] of revision) {
      const { durationMs } = this.#found.get(check)!;
      this.#found.set(check, { result, durationMs });
    }
  }

  get all(): readonly (readonly [Check, CheckResult])[] {
    return [...this.#found].map(([check, { result }]) => [check, result]);
  }

  report({ endedEarly, broken, isExplained }: RunEnd): CheckReport {
    const { settings, pace, signal, hasAcceptedAny } = this.#session;
    const results = this.#reported(endedEarly);
    // Where no valid event was accepted, that alone says why the rest is not judged.
    const incomplete =
      hasAcceptedAny || !this.sendsEvents
        ? (incompleteness(results, endedEarly) ?? broken)
        : undefined;
    return {
      url: withoutQuery(settings.url),
      scheme: settings.signing?.scheme.name,
      fixes: fixInputOf(settings),
      startedAt: this.#startedAt,
      durationMs: Date.now() - this.#startedAt,
      results,
      summary: summaryOf(results, hasAcceptedAny, incomplete !== undefined),
      slowedTo: pace.isSlowed ? pace.rate : undefined,
      clientCertificateEnd:
        settings.clientCertificate && certificateEnd(settings.clientCertificate.cert),
      endedEarly,
      interruptedOf: signal.aborted ? this.#checks.length : undefined,
      incomplete,
      isConclusive: this.#isConclusive(isExplained),
    };
  }

  /** Whether there are checks that send valid events, which the endpoint has to accept. */
  get sendsEvents(): boolean {
    return this.#checks.some(({ stage }) => stage === 'accept');
  }

  /** After an interruption only what was found; else what is left is `na`. */
  #reported(endedEarly: string | undefined): ReportedResult[] {
    const { signal, whyEnded, silence } = this.#session;
    const rest = inconclusive(endedEarly ?? whyEnded ?? silence);
    return this.#checks.flatMap((check) => {
      const found = this.#found.get(check);
      if (found) return this.#reportedResult(check, found);
      return signal.aborted ? [] : this.#reportedResult(check, { result: rest, durationMs: 0 });
    });
  }

  #reportedResult(check: Check, { result, durationMs }: TimedResult): ReportedResult {
    const { settings, silence } = this.#session;
    const level = levelOf(check, settings);
    const shown = this.#isTrailing(result) ? inconclusive(silence) : result;
    return {
      check,
      level,
      verdict: verdictOf(shown, level, settings.isStrict),
      isInconclusive: shown.outcome === 'inconclusive',
      durationMs,
      ...presentable(shown, settings),
    };
  }

  /** Whether its evidence is one of the requests in a row that nobody answered, since the endpoint was gone. */
  #isTrailing({ evidence }: CheckResult): boolean {
    const { isSilent, exchanges, lastAnswered } = this.#session;
    if (!isSilent || !evidence || evidence.response) return false;
    return exchanges.indexOf(evidence) > lastAnswered;
  }

  #isConclusive(isExplained = false): boolean {
    const { facts, hasAcceptedAny, exchanges } = this.#session;
    if (facts.refusal) return facts.isExplained;
    return !this.sendsEvents || hasAcceptedAny || isExplained || exchanges.some(isRedirect);
  }
}
