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

/** An attempt to deliver an event, as shown to the user. */
export interface EventAttempt {
  readonly result: AttemptResult;
  readonly messageId: string | undefined;
  readonly file: string;
  readonly line: number;
}

/** How many undelivered events are shown without `--verbose`. */
export const shownProblems = 5;

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
