import type { Check } from './check.js';
import type { FixInput } from './fixes/input.js';
import type { Exchange } from './exchange.js';
import type { CheckSummary, Level, Verdict } from './options.js';

/** What is known of one check after a run. Secrets are masked. */
export interface CheckResult {
  readonly check: Check;
  readonly level: Level;
  readonly verdict: Verdict;
  readonly message: string;
  /** `na`, although the check applies: the endpoint left it open. */
  readonly isLeftOpen?: boolean | undefined;
  readonly durationMs: number;
  /** Of the request that shows it; what came back has its secrets masked. */
  readonly evidence?: Exchange | undefined;
  /** A command that repeats that request, with all headers. Undefined where curl cannot. */
  readonly curl?: string | undefined;
  /** The same for reports that are passed on: `***` for static headers. */
  readonly sharedCurl?: string | undefined;
}

/** A whole run. */
export interface CheckReport {
  /** Without its query. */
  readonly url: string;
  /** Name of the scheme; undefined without a secret. */
  readonly scheme: string | undefined;
  /** What the fixes in code are written for. */
  readonly fixes: FixInput;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** In the order of the list; after an interruption only those that were judged. */
  readonly results: readonly CheckResult[];
  readonly summary: CheckSummary;
  /** Why the run ended early, in a sentence; undefined if it did not. */
  readonly endedEarly?: string | undefined;
  /** After an interruption, how many checks there were to judge; undefined if there was none. */
  readonly interruptedOf?: number | undefined;
  /** Requests a second that a rate limit of the endpoint left; undefined if there was none. */
  readonly slowedTo?: number | undefined;
  /** What could not be judged though it had to be, and why, in a sentence. If defined and nothing failed, the exit code is 2. */
  readonly incomplete?: string | undefined;
  /** Whether the endpoint accepted a valid event, or a failure explains why not. If false, the exit code is 2. */
  readonly isJudged: boolean;
}
