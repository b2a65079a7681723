import { systemClock } from '../../clock.js';
import { errorResponse } from '../planned-response.js';
import { AnswerStore } from './answer-store.js';
import { answerWith, type Answer, type Stage, type Exchange } from './stage.js';
import { createHash } from 'node:crypto';
import { inflated } from '../../receive/inflate.js';
import { elementsOfBatch, type Notes } from '../notes.js';
import { normalPath } from '../../receive/rules/normal-path.js';

/** How repeats are answered. */
export interface DedupeOptions {
  readonly store?: AnswerStore;
  /** How long a repeat waits while the first is being answered: its app may stream for ever. */
  readonly waitMs: number;
}

/**
 * Answers a repeat as the first was. A request counts as seen once it was answered 2xx; while it is
 * still being answered, its repeats wait, and get a 503 if that takes too long. A batch is a repeat if each
 * of its events is one; one with new events goes on as it is, and says which are not.
 */
export function dedupe({ store = new AnswerStore(), waitMs }: DedupeOptions): Stage {
  /** The answers that are being made, by what the requests have in common with their repeats. */
  const beingMade = new Map<string, Promise<unknown>>();
  return async (exchange, next) => {
    const keys = repeatKeys(exchange);
    const deadline = systemClock.monotonic() + waitMs;
    for (;;) {
      const before = keys.every((key) => store.find(key)) && store.find(keys[0]!);
      if (before) return { ...answerWith(before), isDuplicate: true };
      const first = beingMade.get(keys.find((key) => beingMade.has(key)) ?? '');
      if (!first) break;
      if (!(await endsBefore(deadline, first))) return answerWith(unanswered);
    }
    const added = new Set<string>();
    const duplicateEvents: number[] = [];
    for (const [i, key] of keys.entries()) {
      if (added.has(key) || store.find(key)) duplicateEvents.push(i);
      else added.add(key);
    }
    const made = Promise.resolve(next());
    const ended = made.catch(() => undefined);
    for (const key of keys) beingMade.set(key, ended);
    try {
      const answer = await made;
      if (hasArrived(answer)) store.add([...added], answer.response);
      return { ...answer, duplicateEvents };
    } finally {
      for (const key of keys) beingMade.delete(key);
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
 * several paths, and a request to each of them is a first one. A batch has a key for each element, as of a
 * request with this element alone. As hashes: ids may be long, and 100,000 are kept.
 */
function repeatKeys({ incoming, notes, checked }: Described): string[] {
  const { method, path, body } = incoming;
  const place = `${method}\0${normalPath(path)}`;
  const id = checked.webhookId;
  if (id !== null) return [hashOf(`id\0${place}\0${id}`)];
  const ids = elementIds(notes);
  const texts = ids.includes(undefined) && notes.isBatch ? elementsIn(body) : [body];
  return ids.map((messageId, i) =>
    messageId === undefined
      ? hashOf(`request\0${method}\0${path}\0`, texts[i]!)
      : hashOf(`messageId\0${place}\0${messageId}`),
  );
}

type Described = Pick<Exchange, 'incoming' | 'notes' | 'checked'>;

/** The texts of the elements; an empty batch is one text. */
function elementsIn(body: Buffer): Buffer[] {
  const bytes = inflated(body)!;
  const texts = elementsOfBatch(bytes).map(({ start, end }) => bytes.subarray(start, end));
  return texts.length === 0 ? [body] : texts;
}

function hashOf(...parts: readonly (string | Buffer)[]): string {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return sum.digest('base64');
}

/** Longer ones are cut in notes, and no events have them. */
const maxId = 100;

/** The messageId of each element of a batch, or of the one body; undefined for one without. */
function elementIds({ events, isBatch, others }: Notes): (string | undefined)[] {
  const size = isBatch ? events.length + others : 1;
  const ids = new Array<string | undefined>(size || 1).fill(undefined);
  for (const { messageId, index = 0 } of events) {
    if (messageId !== null && messageId.length <= maxId) ids[index] = messageId;
  }
  return ids;
}
