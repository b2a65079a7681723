import { setTimeout as wait } from 'node:timers/promises';
import { UsageError } from '../../errors.js';
import type { RunStore } from '../../importer/shared/run-store.js';
import { printable } from '../../output/printable.js';
import { defaultPrefix } from '../flags/queue.js';
import type { Io } from './command.js';
import { say } from './output.js';

/** Flags of every command that uses a queue. */
export interface QueueFlags {
  queue?: string;
  queuePrefix?: string;
  queueCa?: string;
  /** The target's, which `rediss://` trusts, too. */
  ca?: string;
  requireDurable?: boolean;
  quiet?: boolean;
}

const expiryWithinMs = 1_000;

/** Where the URL of the queue is from. */
export function queueSource({ queue }: Pick<QueueFlags, 'queue'>): '--queue' | 'EVFWD_QUEUE' {
  return queue === undefined ? 'EVFWD_QUEUE' : '--queue';
}

export interface OpenQueueOptions {
  /** Whether the command changes nothing, so that it need not warn of what may be lost. */
  readonly isReadOnly?: boolean;
  /** See `ConnectQueueOptions`. */
  readonly patienceMs?: number;
}

/**
 * Connects to the server of `--queue` or EVFWD_QUEUE. Warnings and what happens to the connection are
 * lines on standard error.
 *
 * @throws UsageError without a server, and for one that cannot be used
 */
export async function openQueue(
  flags: QueueFlags,
  io: Io,
  { isReadOnly = false, patienceMs }: OpenQueueOptions = {},
): Promise<RunStore> {
  const url = flags.queue ?? io.env.EVFWD_QUEUE;
  if (!url) {
    throw new UsageError(
      'no queue: pass --queue redis://host:6379/0, or set EVFWD_QUEUE',
      'queue_missing',
    );
  }
  const { connectQueue } = await import('../../importer/shared/connect.js');
  const line = (text: string) => say(io, printable(`queue: ${text}`));
  const server = await connectQueue({
    url,
    source: queueSource(flags),
    prefix: flags.queuePrefix ?? defaultPrefix,
    ca: await authorities(flags, url),
    requiresDurable: flags.requireDurable ?? false,
    onWarning: (text) => {
      if (!flags.quiet && !isReadOnly) line(text);
    },
    ...(patienceMs !== undefined && { patienceMs }),
    onTrouble: ({ message }) => line(message),
  });
  await removeExpired(server);
  return server;
}

/** Whoever comes next removes old runs; a server that cannot do it now keeps nobody waiting. */
async function removeExpired(server: RunStore): Promise<void> {
  const waiting = new AbortController();
  const removed = server.removeExpired().catch(() => undefined);
  const tooLong = wait(expiryWithinMs, undefined, { signal: waiting.signal }).catch(
    () => undefined,
  );
  await Promise.race([removed, tooLong]);
  waiting.abort();
}

async function authorities({ queueCa, ca }: QueueFlags, url: string): Promise<string[]> {
  const isTls = url.startsWith('rediss:');
  if (queueCa === undefined && (ca === undefined || !isTls)) return [];
  const { readAuthorities } = await import('./certificate-files.js');
  const own = queueCa === undefined ? [] : [await readAuthorities(queueCa, '--queue-ca')];
  const shared = ca === undefined || !isTls ? [] : [await readAuthorities(ca)];
  return [...own, ...shared];
}
