import type { PoolClient, QueryConfig } from 'pg';
import { answerWithinMs } from './connection.js';
import type { Transaction } from './queries.js';
import { codeOf } from './unavailable.js';

/** Said of each statement in a transaction after one that has failed. */
const inFailedTransaction = '25P02';
/** It waits for all that was sent before. */
const commitWithinMs = 2 * answerWithinMs;

/**
 * All of `work` or nothing, on a connection that does nothing else meanwhile and is in no transaction afterwards.
 *
 * @param nameOf under which a statement is prepared
 * @throws the error of the first statement that has failed, or that of `work`, or an Error for a COMMIT that was none
 */
export async function inTransaction<T>(
  client: PoolClient,
  work: (tx: Transaction) => Promise<T>,
  nameOf: (text: string) => string | undefined = () => undefined,
): Promise<T> {
  const listeners: ((isCommitted: boolean) => void)[] = [];
  const sent: Promise<unknown>[] = [];
  /** Of statements, the first one first: those behind it only say that the transaction has failed. */
  const failures: unknown[] = [];
  let isCommitted = false;
  /** COMMIT or ROLLBACK was sent: a later statement would be a transaction of its own. */
  let isOver = false;
  const noted = <R>(done: Promise<R>): Promise<R> => {
    done.catch((error: unknown) => failures.push(error));
    return done;
  };
  const run = (text: string, values: readonly unknown[] = []) => {
    if (isOver) return refused();
    const name = nameOf(text);
    return noted(client.query({ text, values: [...values], ...(name !== undefined && { name }) }));
  };
  void noted(client.query(inPipeline('BEGIN')));
  try {
    const result = await work({
      query: async <Row>(text: string, values?: readonly unknown[]) =>
        (await run(text, values)).rows as Row[],
      send: (text, values) => sent.push(run(text, values)),
      onEnd: (listener) => listeners.push(listener),
    });
    await driverHasReported();
    if (failures.length > 0) throw failures[0];
    isOver = true;
    const commit = client.query(inPipeline('COMMIT', { query_timeout: commitWithinMs }));
    await Promise.allSettled([...sent, commit]);
    if (failures.length > 0) throw failures[0];
    const { command } = await commit;
    if (command !== 'COMMIT') throw new Error(`the server has answered COMMIT with ${command}`);
    isCommitted = true;
    return result;
  } catch (error) {
    // After COMMIT it would be too late. A connection that is gone has ended the transaction, too.
    if (!isOver) {
      isOver = true;
      await client.query('ROLLBACK').catch(() => undefined);
    }
    throw codeOf(error) === inFailedTransaction ? failures[0] : error;
  } finally {
    for (const listener of listeners) listener(isCommitted);
  }
}

/** Not one of the failures of the transaction: those before its end may have been committed. */
function refused(): Promise<never> {
  const rejected = Promise.reject(new Error('the transaction of this statement has ended'));
  rejected.catch(() => undefined);
  return rejected;
}

/** Gives the transaction its id, which it otherwise gets with its first write. */
export function assignTransactionId(tx: Transaction): void {
  tx.send('SELECT pg_current_xact_id()');
}

/** Written together with the statements beside it, which a simple query is not. */
function inPipeline(text: string, options: { readonly query_timeout?: number } = {}): QueryConfig {
  return { text, queryMode: 'extended', ...options } as QueryConfig;
}

/**
 * Resolves when the driver has said which statements it cannot send, as one that is too large: the server knows nothing
 * of them, and would commit the others.
 */
async function driverHasReported(): Promise<void> {
  // It does so on the next tick, and its promises reject one tick later.
  for (let i = 0; i < 2; i++) await new Promise<void>((resolve) => process.nextTick(resolve));
}
