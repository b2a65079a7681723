import { systemClock } from '../../clock.js';
import { errorResponse } from '../planned-response.js';
import { repeatKey } from './repeat-key.js';
import { AnswerStore } from './answer-store.js';
import { answerWith, type Answer, type Stage } from './stage.js';

/** How repeats are answered. */
export interface DedupeOptions {
  readonly store?: AnswerStore;
  /** How long a repeat waits while the first is being answered: its app may stream for ever. */
  readonly waitMs: number;
}

/**
 * Answers a repeat as the first was. Only a request that was answered 2xx has come before; while it is
 * still being answered, its repeats wait, and get a 503 if that takes too long.
 */
export function dedupe({ store = new AnswerStore(), waitMs }: DedupeOptions): Stage {
  /** The answers that are being made, by what the requests have in common with their repeats. */
  const beingMade = new Map<string, Promise<unknown>>();
  return async (exchange, next) => {
    const key = repeatKey(exchange);
    const deadline = systemClock.monotonic() + waitMs;
    for (;;) {
      const before = store.find(key);
      if (before) return { ...answerWith(before), isDuplicate: true };
      const first = beingMade.get(key);
      if (!first) break;
      if (!(await endsBefore(deadline, first))) return answerWith(unanswered);
    }
    const made = Promise.resolve(next());
    beingMade.set(
      key,
      made.catch(() => undefined),
    );
    try {
      const answer = await made;
      if (hasArrived(answer)) store.add(key, answer.response);
      return answer;
    } finally {
      beingMade.delete(key);
    }
  };
}

async function endsBefore(deadline: number, first: Promise<unknown>): Promise<boolean> {
  let stopTimer = (): void => undefined;
  const isLate = new Promise<boolean>((resolve) => {
    const leftMs = deadline - systemClock.monotonic();
    stopTimer = systemClock.after(leftMs, () => resolve(false));
  });
  try {
    return await Promise.race([first.then(() => true), isLate]);
  } finally {
    stopTimer();
  }
}

const unanswered = errorResponse(
  503,
  'first_unanswered',
  'the first request with this id is still being answered; send this one again later',
);

/** A sender that leaves after the status line has its answer; a body that the app broke off is none. */
function hasArrived({ response: { status }, forwarded }: Answer): boolean {
  const isWhole = !forwarded?.error || forwarded.error === 'aborted';
  return status !== null && status >= 200 && status < 300 && isWhole;
}
