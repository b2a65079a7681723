import { setTimeout as wait } from 'node:timers/promises';
import type { RunStore } from '../../importer/shared/run-store.js';

/** A server that is started again is there by then; Docker kills a container after 10 s. */
const patienceMs = 5_000;
const askEveryMs = 500;

/**
 * Resolves when a worker that is to end need not wait for its server any more: after `signal`, it has not
 * been available for 5 s. Never, if it is.
 */
export async function untilGone(
  server: Pick<RunStore, 'isAvailable'>,
  signal: AbortSignal,
): Promise<void> {
  if (!signal.aborted) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
  // Questions are counted, as time goes on for a process that sleeps.
  for (let failed = 0; failed < patienceMs / askEveryMs;) {
    // A worker that has ended in order need not wait for this.
    const pause = wait(askEveryMs, undefined, { ref: false });
    failed = (await server.isAvailable(askEveryMs)) ? 0 : failed + 1;
    await pause;
  }
}
