import type { ReplayStore, StoredReplay } from '../../../src/serve/kept/replay-store.js';

/** A store that hands out one replay and takes whatever it queues, but for what `more` does in its place. */
export function replayStoreOf(replay: StoredReplay, more: Partial<ReplayStore>): ReplayStore {
  return {
    list: () => [replay],
    running: 1,
    create: () => Promise.resolve(),
    stop: () => Promise.resolve(true),
    take: () => [replay],
    isOurs: () => true,
    release: () => undefined,
    add: () => Promise.resolve(),
    end: () => Promise.resolve(),
    hasRoom: () => true,
    waitingFor: () => () => new Set(),
    dead: () => new Set(),
    ...more,
  };
}
