import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEachTest } from '../helpers/after-each.js';

/** What the receiver does with requests; the first rule that applies decides, else the response is 200. */
export interface Rule {
  /** None: the connection is closed without a response. */
  readonly status?: number;
  /** Seconds, as a header. */
  readonly retryAfter?: number;
  readonly delayMs?: number;
  /** Only events whose number has this remainder (`rest`, 0 unless set). */
  readonly every?: number;
  readonly rest?: number;
  /** Only the first so many attempts of an event. */
  readonly attempts?: number;
  /** Only for so long from now on. */
  readonly forMs?: number;
  /** Only so often. */
  readonly times?: number;
}

/** Milliseconds since 1970, status (0: none), number of the first event in the request. */
export type Arrival = readonly [at: number, status: number, n: number];

export interface ReceiverReport {
  /** How often each event was received, by its number. */
  readonly seen: Uint8Array;
  /** How often each event got a 2xx. */
  readonly accepted: Uint8Array;
  /** Of each request, in their order. */
  readonly arrivals: readonly Arrival[];
  /** Events that came again with another messageId. */
  readonly changedIds: number;
}

export interface CountingReceiver {
  readonly url: string;
  readonly follow: (rules: readonly Rule[]) => Promise<void>;
  readonly report: () => Promise<ReceiverReport>;
  /** Resolves once so many requests have come in all. */
  readonly atLeast: (requests: number) => Promise<void>;
}

interface Reply {
  readonly id: number;
  readonly reply: unknown;
}

/** Starts a receiver in a process of its own for events numbered below `size`; it ends with the test. */
export async function startCountingReceiver(size: number): Promise<CountingReceiver> {
  const path = fileURLToPath(new URL('receiver-process.js', import.meta.url));
  const child = fork(path, [String(size)], { execArgv: [], serialization: 'advanced' });
  children.add(child);
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  const waiting = new Map<number, (reply: unknown) => void>();
  child.on('message', (message) => {
    const { id, reply } = message as Reply;
    waiting.get(id)?.(reply);
    waiting.delete(id);
  });
  let lastId = 0;
  const ask = (question: string, details: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      const id = ++lastId;
      waiting.set(id, resolve);
      child.send({ id, question, ...details });
    });
  return {
    url: `http://127.0.0.1:${port}/hook`,
    follow: async (rules) => {
      await ask('rules', { rules });
    },
    report: async () => (await ask('report')) as ReceiverReport,
    atLeast: async (requests) => {
      await ask('atLeast', { requests });
    },
  };
}

const children = new Set<ChildProcess>();

afterEachTest(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});
