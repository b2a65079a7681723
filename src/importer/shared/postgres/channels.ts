import type { Queries } from '../../../store/postgres/queries.js';
import type { ItemKind } from '../item.js';
import type { RunMessage } from '../run-store.js';

/** The queue of a run's items. */
export function queueOf(run: string, kind: ItemKind): string {
  return `${run}-${kind === 'ranges' ? 'parts' : 'retries'}`;
}

/** One channel for all runs: a worker has something to do for most of them. */
export function channelOf(schema: string): string {
  return `${schema}_runs`;
}

/** A message, and the run that it is about. */
export type AddressedMessage = RunMessage & { readonly run: string };

/** Sent when the transaction is committed. */
export async function publish(
  queries: Queries,
  schema: string,
  run: string,
  message: RunMessage,
): Promise<void> {
  const text = JSON.stringify({ run, ...message });
  await queries.query('SELECT pg_notify($1, $2)', [channelOf(schema), text]);
}

/** Undefined for what no version of ours publishes. */
export function messageOf(text: string): AddressedMessage | undefined {
  try {
    const message = JSON.parse(text) as AddressedMessage | null;
    return message?.kind === 'status' || message?.kind === 'notice' ? message : undefined;
  } catch {
    return undefined;
  }
}
