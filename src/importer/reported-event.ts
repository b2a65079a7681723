import type { AttemptResult, FinalStatus, Outcome } from '../delivery/outcome.js';
import type { Event, Problem } from '../events/event.js';
import { firstLineOf } from '../output/response-text.js';

/** An event that was neither delivered nor skipped, as shown to the user. */
export interface EventProblem {
  readonly file: string;
  readonly line: number;
  readonly verdict: FinalStatus;
  readonly message: string;
  /** The first line of the response to the last attempt, safe to print. */
  readonly response?: string;
}

/** What is shown of a problem beside its place. */
export interface ShownProblem {
  readonly verdict: string;
  readonly message: string;
  readonly response?: string | undefined;
}

/** An attempt to deliver an event, as shown to the user. */
export interface EventAttempt {
  readonly result: AttemptResult;
  readonly messageId: string | undefined;
  readonly file: string;
  readonly line: number;
}

/** The most kinds of failures that are shown without `--verbose`. */
const maxKinds = 5;

/** Chooses the failures that are shown: with `--verbose` all, else the first of each kind. */
export class ProblemFilter {
  readonly #isVerbose: boolean;
  readonly #kinds = new Set<string>();
  #hasHidden = false;

  constructor(isVerbose: boolean) {
    this.#isVerbose = isVerbose;
  }

  /** Whether all further failures are hidden. */
  get isDone(): boolean {
    return !this.#isVerbose && this.#hasHidden && this.#kinds.size >= maxKinds;
  }

  /** Failures are of one kind if their verdict and message are equal; the first that is hidden is told. */
  take({ verdict, message }: ShownProblem): 'shown' | 'first-hidden' | 'hidden' {
    const kind = `${verdict} ${message}`;
    const isNew = this.#kinds.size < maxKinds && !this.#kinds.has(kind);
    if (isNew) this.#kinds.add(kind);
    if (isNew || this.#isVerbose) return 'shown';
    if (this.#hasHidden) return 'hidden';
    this.#hasHidden = true;
    return 'first-hidden';
  }
}

export function problemOf(
  { verdict, message = '', attempts }: Outcome,
  item: Event | Problem,
): EventProblem {
  const { file, line } = item.origin;
  const answered = attempts.findLast(({ response }) => response !== undefined);
  const response = firstLineOf(answered?.response);
  return { file, line, verdict, message, ...(response !== undefined && { response }) };
}

/** The attempts that have ended with this outcome. */
export function attemptsOf(
  { attempts, messageId }: Outcome,
  item: Event | Problem,
): EventAttempt[] {
  const { file, line } = item.origin;
  return attempts.map((result) => ({ result, messageId, file, line }));
}
