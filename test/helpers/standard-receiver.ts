import { Webhook } from 'standardwebhooks';
import { startReceiver, type ReceivedRequest, type Receiver } from './receiver.js';
import { standardSecret } from './signing.js';

/** One attempt, as its headers say. */
export interface SeenAttempt {
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** A receiver that verifies with the reference library of Standard Webhooks. */
export interface StandardReceiver {
  readonly receiver: Receiver;
  /** The attempts of each event, by the number in its properties. */
  readonly attempts: ReadonlyMap<number, readonly SeenAttempt[]>;
  /** What the library said of signatures that it refused. */
  readonly refused: readonly string[];
  /** Resolves when so many events were accepted. */
  readonly accepted: (count: number) => Promise<void>;
}

/**
 * Answers 401 to what it refuses, 503 to events that `fails` names until they come with a later time, and
 * 200 to the rest.
 */
export async function standardReceiver(fails: (n: number) => boolean): Promise<StandardReceiver> {
  const library = new Webhook(standardSecret);
  const attempts = new Map<number, SeenAttempt[]>();
  const refused: string[] = [];
  const accepted = new Set<number>();
  const waiters: { count: number; resolve: () => void }[] = [];
  const receiver = await startReceiver((request) => {
    const { n, ...seen } = seenOf(request);
    const list = attempts.get(n) ?? [];
    attempts.set(n, [...list, seen]);
    try {
      library.verify(seen.body, request.headers as Record<string, string>);
    } catch (error) {
      refused.push((error as Error).message);
      return { status: 401 };
    }
    const isLater = list.some(({ timestamp }) => timestamp < seen.timestamp);
    if (fails(n) && !isLater) return { status: 503, headers: { 'retry-after': '1' } };
    accepted.add(n);
    waiters.filter(({ count }) => accepted.size >= count).forEach(({ resolve }) => resolve());
    return {};
  });
  const acceptedCount = (count: number): Promise<void> =>
    new Promise((resolve) => {
      if (accepted.size >= count) resolve();
      else waiters.push({ count, resolve });
    });
  return { receiver, attempts, refused, accepted: acceptedCount };
}

function seenOf({ headers, body }: ReceivedRequest): SeenAttempt & { n: number } {
  const text = body.toString('utf8');
  const { properties } = JSON.parse(text) as { properties: { n: number } };
  return {
    ...{ id: String(headers['webhook-id']), body: text, n: properties.n },
    timestamp: Number(headers['webhook-timestamp']),
  };
}
