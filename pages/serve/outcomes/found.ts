import type { SearchResult } from '../../../src/api/serve.js';
import { newestOf } from './merge.js';
import {
  ofDeadLetter,
  ofHistory,
  ofQueued,
  ofRejected,
  ofWaiting,
  type Outcome,
} from './outcome.js';

/** What a search has found, one outcome for each event and destination, the newest first. */
export function outcomesOf(result: SearchResult): Outcome[] {
  const { at, queued, waiting, deadLetters, rejected, history } = result;
  return newestOf([
    ...history.map(ofHistory),
    ...deadLetters.map(ofDeadLetter),
    ...rejected.map(ofRejected),
    ...waiting.map((row) => ofWaiting(row, at)),
    ...queued.map((row) => ofQueued(row, at)),
  ]);
}
