import { repeatKey } from './repeat-key.js';
import { AnswerStore } from './answer-store.js';
import { answerWith, type Answer, type Stage } from './stage.js';

/**
 * Answers a repeat as the first was. Only a request that was answered 2xx has come before; while it is
 * still being answered, its repeats wait.
 */
export function dedupe(store = new AnswerStore()): Stage {
  /** The answers that are being made, by what the requests have in common with their repeats. */
  const beingMade = new Map<string, Promise<unknown>>();
  return async (exchange, next) => {
    const key = repeatKey(exchange);
    for (;;) {
      const before = store.find(key);
      if (before) return { ...answerWith(before), isDuplicate: true };
      const first = beingMade.get(key);
      if (!first) break;
      await first;
    }
    const made = next();
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

/** A sender that leaves after the status line has its answer; a body that the app broke off is none. */
function hasArrived({ response: { status }, forwarded }: Answer): boolean {
  const isWhole = !forwarded?.error || forwarded.error === 'aborted';
  return status !== null && status >= 200 && status < 300 && isWhole;
}
