import { systemClock } from '../../clock.js';
import { errorResponse } from '../planned-response.js';
import { AnswerStore } from './answer-store.js';
import { answerWith, type Answer, type Stage, type Exchange } from './stage.js';
import { createHash } from 'node:crypto';
import type { Notes } from '../notes.js';
import { normalPath } from '../../receive/rules/normal-path.js';

/** How repeats are answered. */
export interface DedupeOptions {
  readonly store?: AnswerStore;
  /** How long a repeat waits while the first is being answered: its app may stream for ever. */
  readonly waitMs: number;
}

/**
 * Answers a repeat as the first was. A request counts as seen once it was answered 2xx; while it is
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

/**
 * What a request and its repeats have in common: method, path, and the id of the webhook, else the
 * messageId of the event; without an id method, path with its query, and body. One event may be sent to
 * several paths, and a request to each of them is a first one. As a hash: ids may be long, and 100,000 are
 * kept.
 */
function repeatKey({ incoming, notes, judged }: Pick<Exchange, 'incoming' | 'notes' | 'judged'>) {
  const { method, path, body } = incoming;
  const sum = createHash('sha256');
  const id = judged.webhookId;
  const messageId = messageIdOf(notes);
  const place = `${method}\0${normalPath(path)}`;
  if (id !== null) sum.update(`id\0${place}\0${id}`);
  else if (messageId !== null) sum.update(`messageId\0${place}\0${messageId}`);
  else sum.update(`request\0${method}\0${path}\0`).update(body);
  return sum.digest('base64');
}

/** Longer ones are cut in notes, and no events have them. */
const maxId = 100;

function messageIdOf({ events, isBatch }: Notes): string | null {
  const id = isBatch ? null : (events[0]?.messageId ?? null);
  return id !== null && id.length <= maxId ? id : null;
}
